"""Looks at a request before anything is made for it: zones first, then capacity."""

from functions.clusters.preflight.routes.survey import Seen, look

__all__ = ["Seen", "look"]
