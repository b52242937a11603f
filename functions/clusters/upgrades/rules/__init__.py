"""Decisions about upgrades: which versions may follow which, what stands in the way, what is done in which order."""

from functions.clusters.upgrades.rules.findings import of_readiness, of_version
from functions.clusters.upgrades.rules.plan import by_stack, changes, kept_request, noted, read, stages
from functions.clusters.upgrades.rules.versions import target_of

__all__ = ["by_stack", "changes", "kept_request", "noted", "of_readiness", "of_version", "read", "stages", "target_of"]
