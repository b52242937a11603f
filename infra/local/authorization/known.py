"""What the simulators know of the resources that a request names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.local.simulators.eks_records import EksRecords
    from infra.local.simulators.hyperpod.records import HyperPodRecords
    from infra.local.simulators.stack_records import StackRecords
    from infra.local.world import World


class Simulated:
    """The records of a world, looked at anew each time: a snapshot brings others."""

    def __init__(self, world: World) -> None:
        self._world = world

    def hyperpod_cluster(self, name_or_arn: str) -> tuple[str, str]:
        """Give the ARNs of a HyperPod cluster and of its EKS cluster."""
        records: HyperPodRecords = self._world.hyperpod.records
        found = (each for each in records.clusters.values() if name_or_arn in (each.name, each.arn))
        return next(((each.arn, each.eks_arn) for each in found), ("", ""))

    def stack(self, name_or_id: str) -> str:
        """Give the id of a stack."""
        records: StackRecords = self._world.cloudformation.records
        found = records.find(name_or_id)
        return found.stack_id if found else ""

    def eks_part(self, cluster: str, kind: str, name: str) -> str:
        """Give the ARN of a part of a cluster."""
        records: EksRecords = self._world.eks.records
        found = records.clusters.get(cluster)
        if found is None:
            return ""
        arns = {
            "addon": {key: part.arn for key, part in found.addons.items()},
            "access-entry": {key: part.arn for key, part in found.entries.items()},
            "podidentityassociation": {key: part.arn for key, part in found.associations.items()},
        }
        return arns[kind].get(name, "")
