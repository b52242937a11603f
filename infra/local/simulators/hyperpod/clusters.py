"""CreateCluster and DeleteCluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from infra.local.simulators.hyperpod import group_rules, quotas, requests, times
from infra.local.simulators.hyperpod.quotas import Wanted
from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord
from infra.local.simulators.hyperpod.refusals import conflict
from infra.local.simulators.hyperpod.software_records import Software

if TYPE_CHECKING:
    from infra.local.simulators.eks import EksView
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.progress import Progress
    from infra.local.simulators.hyperpod.state import HyperPodState
    from infra.local.simulators.neighbours import Subnet
    from infra.local.simulators.service import JsonObject

DESCRIBED: Final = (
    "VpcConfig",
    "Orchestrator",
    "NodeRecovery",
    "NodeProvisioningMode",
    "TieredStorageConfig",
    "ClusterRole",
    "AutoScaling",
)


def wanted(group: JsonObject) -> Wanted:
    """What a specification asks for, as quotas count it."""
    spot = "Spot" in group.get("CapacityRequirements", {})
    return Wanted(group_rules.instance_types(group), group["InstanceCount"], spot, bool(group.get("TrainingPlanArn")))


def check_resources(state: HyperPodState, groups: Sequence[JsonObject], standing: Mapping[str, int]) -> None:
    """Refuse groups for the images, plans and volumes they name.

    Groups that stand, here with their target, keep what they have: they are judged by their plan, and if they grow.
    """
    promised = Counter[str]()
    for group in groups:
        own, arn = standing.get(group["InstanceGroupName"], 0), group.get("TrainingPlanArn", "")
        if group["InstanceGroupName"] not in standing:
            _check_new(state, group)
        elif group["InstanceCount"] <= own:
            continue
        requests.check_plan(state, group, own - promised[arn], state.now())
        promised[arn] += group["InstanceCount"] - own


def _check_new(state: HyperPodState, group: JsonObject) -> None:
    requests.check_image(state, group)
    for config in group.get("InstanceStorageConfigs", []):
        quotas.judge_volume(state.records, config["EbsVolumeConfig"].get("VolumeSizeInGB", 0))


class Clusters:
    """Makes and deletes clusters."""

    def __init__(self, state: HyperPodState, journal: Journal, progress: Progress) -> None:
        self._state = state
        self._journal = journal
        self._progress = progress

    def create(self, params: JsonObject) -> HyperPodRecord:
        """CreateCluster: everything the request names is checked before anything is made."""
        state, specs = self._state, params["InstanceGroups"] if params.get("InstanceGroups") else []
        requests.check_shape(params)
        requests.check_name(state, params["ClusterName"])
        eks = requests.check_orchestrator(state, params["Orchestrator"]["Eks"]["ClusterArn"])
        roles = list(dict.fromkeys(group["ExecutionRole"] for group in specs))
        requests.check_roles(state, roles)
        requests.check_autoscaling(state, params)
        check_resources(state, specs, {})
        groups = {spec["InstanceGroupName"]: self._new_group(spec, params, eks) for spec in specs}
        quotas.judge(state.records, params["ClusterName"], [], map(wanted, specs))
        cluster = self._record(params, eks.arn, groups)
        state.records.clusters[cluster.name] = cluster
        self._begin(cluster, eks.name, roles)
        return cluster

    def _record(self, params: JsonObject, eks_arn: str, groups: dict[str, GroupRecord]) -> HyperPodRecord:
        state, now, cluster_id = self._state, self._state.now(), self._state.mint(12)
        scaled = params.get("AutoScaling", {}).get("Mode") == "Enable"
        described: JsonObject = {name: params[name] for name in DESCRIBED if name in params}
        if not scaled:
            described.pop("AutoScaling", None)
        return HyperPodRecord(
            name=params["ClusterName"],
            cluster_id=cluster_id,
            arn=f"arn:aws:sagemaker:{state.region}:{state.account_id}:cluster/{cluster_id}",
            eks_arn=eks_arn,
            created_at=now,
            changed_at=now,
            due=now + times.CREATION,
            described=described,
            groups=groups,
            tags={tag["Key"]: tag["Value"] for tag in params.get("Tags", [])},
            autoscaling_ready_at=now + times.AUTOSCALING if scaled else None,
        )

    def _begin(self, cluster: HyperPodRecord, eks_name: str, roles: list[str]) -> None:
        now = self._state.now()
        self._journal.announce(cluster, now)
        self._journal.of_cluster(cluster, now, "Cluster creation started")
        for role in roles:
            self._state.host.admit_nodes(eks_name, role)
        text = "EKS Access Entries CREATE successful"
        self._journal.of_cluster(cluster, now, text, EksRoleAccessEntries=roles)
        for group in cluster.groups.values():
            self._progress.groups.scale(cluster, group, group.spec["InstanceCount"], now)

    def _new_group(self, spec: JsonObject, params: JsonObject, eks: EksView) -> GroupRecord:
        network = spec.get("OverrideVpcConfig") or params["VpcConfig"]
        subnets = requests.check_network(self._state, network, eks.vpc_id)
        software = Software(self._state.records.releases[-1], eks.version)
        return self.new_group(spec, subnets, network["SecurityGroupIds"], software)

    def new_group(
        self, spec: JsonObject, subnets: list[Subnet], security_groups: list[str], software: Software
    ) -> GroupRecord:
        """Make a group that has no instances yet."""
        ready_at, minimum = self._state.now() + times.CREATION, spec.get("MinInstanceCount", 0)
        return GroupRecord(
            spec=spec,
            target=0,
            minimum=minimum,
            subnets=subnets,
            security_groups=list(security_groups),
            ready_at=ready_at,
            configured=dict(spec.get("KubernetesConfig", {})),
            software=software,
            minimum_deadline=ready_at + times.MINIMUM_WITHIN if minimum else None,
        )

    def delete(self, name: str) -> HyperPodRecord:
        """DeleteCluster."""
        cluster = self._state.cluster(name)
        if cluster.deleted_at:
            raise conflict(f"Cluster {cluster.name} is already being deleted.")
        cluster.deleted_at, cluster.status = self._state.now(), "Deleting"
        self._journal.announce(cluster, cluster.deleted_at)
        return cluster
