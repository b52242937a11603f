"""What a connection test answers."""

from __future__ import annotations

from typing import Literal

from functions.clusters.importing.models.found import Record


class Check(Record):
    """One step of a connection test; `unknown` means that it was not reached."""

    name: str
    outcome: Literal["passed", "failed", "unknown"]
    message: str
    code: str | None = None
    remedy: str | None = None


class ConnectionReport(Record):
    """Whether and how far the control plane gets into a cluster, step by step."""

    cluster_tag: str
    eks_cluster: str
    connected: bool
    checks: list[Check]
