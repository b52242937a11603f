"""Decisions about capacity: what counts as there, why it is not, and what could be had instead."""
