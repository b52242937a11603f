"""What the parts of the HyperPod simulator share: records, clock, host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from infra.local.simulators.hyperpod.records import HyperPodRecord, HyperPodRecords
from infra.local.simulators.paging import LETTERS_AND_DIGITS, identifier
from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from infra.local.simulators.bus_event import BusEvent
    from infra.local.simulators.eks import EksView
    from infra.local.simulators.neighbours import ClientFactory


@dataclass(frozen=True)
class HyperPodHost:
    """What the HyperPod simulator asks of and tells its host."""

    ec2: ClientFactory
    iam: ClientFactory
    s3: ClientFactory
    logs: ClientFactory
    eks_cluster: Callable[[str], EksView | None]
    dependencies_installed: Callable[[str], bool]
    admit_nodes: Callable[[str, str], None]
    publish: Callable[[BusEvent], None]
    hold_interface: Callable[[str], None] = lambda _: None
    """Told of an interface that an instance has from now on."""
    free_interface: Callable[[str], None] = lambda _: None
    """Told of an interface that no instance has any more."""


@dataclass
class HyperPodState:
    """Records, clock and host, shared by the parts of the HyperPod simulator."""

    now: Callable[[], datetime]
    account_id: str
    region: str
    host: HyperPodHost
    records: HyperPodRecords = field(default_factory=HyperPodRecords)
    looked: dict[str, bool] = field(default_factory=dict)
    """What was seen of other services at this moment; all instances of a group ask the same."""

    def once(self, what: str, look: Callable[[], bool]) -> bool:
        """Look at something once a moment."""
        if what not in self.looked:
            self.looked[what] = look()
        return self.looked[what]

    def cluster(self, name_or_arn: str) -> HyperPodRecord:
        """A cluster by name or ARN."""
        for cluster in self.records.clusters.values():
            if name_or_arn in (cluster.name, cluster.arn):
                return cluster
        raise ServiceError("ResourceNotFound", f"Cluster with name {name_or_arn} does not exist.")

    def mint(self, length: int, alphabet: str = LETTERS_AND_DIGITS) -> str:
        """An identifier that this simulator never gave before."""
        self.records.minted += 1
        return identifier(f"hyperpod:{self.account_id}:{self.region}:{self.records.minted}", length, alphabet)
