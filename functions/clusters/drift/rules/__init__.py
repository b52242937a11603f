"""Decisions about drift: what of a stack's drift is nobody's fault, and what a detection and a repair consist of."""
