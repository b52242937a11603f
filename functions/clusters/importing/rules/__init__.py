"""Decisions about an import: what is refused, what is planned, and what follows from what was found."""
