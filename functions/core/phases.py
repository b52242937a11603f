"""The phases of a cluster's pipelines in the order in which they run, and what each makes true of the cluster."""

from __future__ import annotations

from typing import Final

# Each phase that leaves something standing, with the condition of the cluster that says so.
CONDITIONS: Final = {
    "foundation": "FoundationReady",
    "dependencies": "DependenciesReady",
    "hyperpod": "HyperPodReady",
    "storage": "StorageReady",
}
PREFLIGHT: Final = "preflight"
VERIFY: Final = "verify"
PHASES: Final = (PREFLIGHT, *CONDITIONS, VERIFY)
