"""What callers send to upgrade a cluster, and the facts that an upgrade is decided by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from functions.core.requests import Wire

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION_PATTERN: Final = r"^1\.\d{1,2}$"
KubernetesVersion = Annotated[str, Field(pattern=VERSION_PATTERN, examples=["1.34"])]
AlarmName = Annotated[str, Field(min_length=1, max_length=255)]


class Rollout(Wire):
    """How nodes are updated: so many, or so many percent of each group, at a time, with a pause between two batches.

    While one of `alarms` (of CloudWatch, by name) is in ALARM after a batch, HyperPod takes the group's update back.
    """

    batch_size: int | None = Field(default=None, ge=1, description="Nodes of a group at a time.")
    batch_percentage: int | None = Field(default=None, ge=1, le=100, description="Percent of a group at a time.")
    wait_seconds: int = Field(default=0, ge=0, le=3600)
    alarms: list[AlarmName] = Field(default_factory=list, max_length=10)

    @model_validator(mode="after")
    def _one_size(self) -> Rollout:
        if self.batch_size is not None and self.batch_percentage is not None:
            raise PydanticCustomError("batch", "takes batch_size or batch_percentage, not both")
        if self.batch_size is None and self.batch_percentage is None:
            self.batch_percentage = 25
        return self

    @property
    def words(self) -> str:
        """Say how many nodes at a time."""
        return f"{self.batch_size} at a time" if self.batch_size else f"{self.batch_percentage} % at a time"


class UpgradeCluster(Wire):
    """The Kubernetes version to move to: the next minor one when left out, the present one to bring the rest up to it.

    `addon_conflicts` says what becomes of fields of an add-on that others changed.
    """

    kubernetes_version: KubernetesVersion | None = None
    addon_conflicts: Literal["refuse", "overwrite"] = "refuse"
    rollout: Rollout = Field(default_factory=Rollout)


@dataclass(frozen=True)
class ControlPlane:
    """An EKS control plane as it stands; `moving_to` is the version of an update that is under way."""

    name: str
    status: str
    version: str
    moving_to: str | None = None


@dataclass(frozen=True)
class Insight:
    """What EKS says of a cluster's readiness for its next version, with the API usage that will no longer be served."""

    name: str
    status: str
    reason: str
    recommendation: str = ""
    deprecated: tuple[str, ...] = ()


@dataclass(frozen=True)
class AddonFact:
    """An add-on that is installed, and the version of it for the target; None when EKS offers none."""

    name: str
    version: str
    target: str | None


@dataclass(frozen=True)
class GroupFact:
    """An instance group and what runs on it; `custom` images are their owner's to change."""

    name: str
    status: str
    count: int
    release: str | None
    newest: bool
    custom: bool
    last_update: str | None = None

    @property
    def behind(self) -> bool:
        """Say whether HyperPod has something newer for it, or its last update did not come to a good end."""
        return not self.custom and (not self.newest or self.last_update in ("Failed", "RollbackComplete"))


@dataclass(frozen=True)
class Compute:
    """A HyperPod cluster and its groups."""

    status: str
    groups: tuple[GroupFact, ...]


@dataclass(frozen=True)
class Readiness:
    """Everything that was gathered for one target.

    What could not be read is None; `compute` is None too where there is no HyperPod cluster, and `compute_known` tells
    the two apart. `addons_denied` says which permission is lacking to read the add-ons. `settled` is the version that
    everything of the cluster was last brought to, as far as that is known.
    """

    control_plane: ControlPlane
    offered: tuple[str, ...] | None
    addons: tuple[AddonFact, ...] | None = ()
    addons_denied: str | None = None
    compute: Compute | None = None
    compute_known: bool = True
    insights: tuple[Insight, ...] | None = ()
    settled: str | None = None

    @property
    def may_have_nodes(self) -> bool:
        """Say whether there is a HyperPod cluster, or nobody said that there is none."""
        return self.compute is not None or not self.compute_known

    @property
    def pinned(self) -> Mapping[str, str]:
        """Give the version that each add-on is brought to."""
        return {addon.name: addon.target for addon in self.addons or () if addon.target}
