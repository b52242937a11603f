"""What runs on instances, and how an update of it goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

Status = Literal["InProgress", "Succeeded", "RollbackInProgress", "RollbackComplete"]


@dataclass(frozen=True)
class Software:
    """An image of HyperPod's own: its release, and the Kubernetes version it was chosen for."""

    release: str
    kubernetes_version: str


@dataclass
class SoftwareUpdate:
    """One update of a group; `waiting` are the instances, by id, that it has still to come to.

    `config` is the DeploymentConfiguration that was sent; sizes of batches are counts of instances.
    """

    target: Software
    before: Software
    waiting: list[str]
    batch: int
    rollback_batch: int
    wait: timedelta
    config: dict[str, Any]
    status: Status = "InProgress"
    next_batch: datetime | None = None
    changed: list[str] = field(default_factory=list)
    """Instances that it has begun with: those that a rollback comes to."""

    @property
    def running(self) -> bool:
        """Whether it is not at its end."""
        return self.status in ("InProgress", "RollbackInProgress")

    @property
    def backwards(self) -> bool:
        """Whether it takes back what it did."""
        return self.status == "RollbackInProgress"

    @property
    def alarms(self) -> list[str]:
        """The CloudWatch alarms that roll it back."""
        return [each["AlarmName"] for each in self.config.get("AutoRollbackConfiguration", [])]

    def take_batch(self) -> list[str]:
        """Take the instances that come next."""
        size = self.rollback_batch if self.backwards else self.batch
        taken, self.waiting, self.next_batch = self.waiting[:size], self.waiting[size:], None
        if not self.backwards:
            self.changed += taken
        return taken

    def turn_back(self) -> None:
        """Begin the rollback of everything that was begun with."""
        self.status, self.waiting = "RollbackInProgress", list(self.changed)
