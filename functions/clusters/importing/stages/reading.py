"""EKS, its network and its HyperPod cluster as AWS tells of them; what is denied is unknown, and nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import ClientError

from functions.aws import hyperpod_survey, network, routing, security_groups
from functions.clusters.importing.models.found import (
    FoundEks,
    FoundGroup,
    FoundHyperPod,
    FoundNetwork,
    FoundSecurityGroup,
    FoundSubnet,
    Unknown,
)
from functions.clusters.importing.rules.findings import INTERNAL, PUBLIC
from functions.core.failures import DENIED, code_of
from functions.network.subnets.models import Vpc
from functions.network.subnets.rules.routing import onward, reaches_s3

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.aws.hyperpod_survey import GroupFound, HyperPodFound
    from functions.clusters.importing.models.found import FoundEks
    from functions.network.subnets.models import Subnet

Result = TypeVar("Result")

# A record has to stay far below what DynamoDB and Step Functions carry.
_SUBNETS: Final = 200


class Looking:
    """One look around; `unknown` collects what AWS does not let us see."""

    def __init__(self) -> None:
        self.unknown: list[Unknown] = []

    def ask(self, what: str, call: Callable[[], Result]) -> Result | None:
        """Make the calls of one side; None when a right is missing. Raises the client's other errors."""
        try:
            return call()
        except ClientError as error:
            if code_of(error) not in DENIED:
                raise
            reason = f"the control plane's role may not call {error.operation_name}"
            self.unknown.append(Unknown(what=what, reason=reason, code=code_of(error)))
            return None


def network_of(eks: FoundEks, region: str) -> FoundNetwork:
    """Read the VPC of an EKS cluster with its subnets, their routes and their tags."""
    subnets = network.subnets_of_vpc(eks.vpc_id)
    zones = {subnet.subnet_id: subnet.zone for subnet in subnets}
    vpc = Vpc(
        vpc_id=eks.vpc_id,
        subnets=tuple(subnets),
        tables=tuple(routing.tables_of_vpc(eks.vpc_id)),
        nat_gateways=tuple(routing.nat_gateways_of_vpc(eks.vpc_id, zones)),
        endpoints=tuple(routing.s3_endpoints_of_vpc(eks.vpc_id, region)),
    )
    # Those of the control plane first: they are what is judged.
    ordered = sorted(subnets, key=lambda subnet: (subnet.subnet_id not in eks.subnet_ids, subnet.subnet_id))
    return FoundNetwork(
        vpc_id=eks.vpc_id,
        subnets=[_subnet(each, vpc, eks.subnet_ids) for each in ordered[:_SUBNETS]],
        nat_gateways=[each.nat_gateway_id for each in vpc.nat_gateways if each.available and each.public],
        s3_endpoints=[each.endpoint_id for each in vpc.endpoints if each.available],
    )


def _subnet(found: Subnet, vpc: Vpc, control_plane: list[str]) -> FoundSubnet:
    table = vpc.table_of(found.subnet_id)
    route = table.default_route if table else None
    return FoundSubnet(
        subnet_id=found.subnet_id,
        availability_zone=found.zone,
        cidr=str(found.cidr),
        free_addresses=found.available_addresses,
        of_control_plane=found.subnet_id in control_plane,
        public=route is not None and route.target.startswith("igw-"),
        default_route=route.target if route else None,
        reaches_s3=onward(table) or reaches_s3(table, vpc.endpoints),
        load_balancer_roles=sorted(tag for tag in (INTERNAL, PUBLIC) if found.tags.get(tag) in ("1", "")),
    )


def groups_of(eks: FoundEks, hyperpod: HyperPodFound | None) -> list[FoundSecurityGroup]:
    """Read the security groups of the control plane and of the instance groups."""
    of_instances = [each for group in (hyperpod.groups if hyperpod else ()) for each in group.security_group_ids]
    named = dict.fromkeys([eks.cluster_security_group_id, *eks.security_group_ids, *of_instances])
    found = security_groups.describe([each for each in named if each])
    return [
        FoundSecurityGroup(group_id=each.group_id, from_itself=each.from_itself, to_itself=each.to_itself)
        for each in found.values()
    ]


def hyperpod_on(eks: FoundEks, name: str | None) -> HyperPodFound | None:
    """Find the HyperPod cluster that runs on an EKS cluster, by its name where that is known."""
    named = hyperpod_survey.describe(name) if name else None
    return named if named and named.eks_arn == eks.arn else hyperpod_survey.of_eks_cluster(eks.arn)


def hyperpod_of(found: HyperPodFound) -> FoundHyperPod:
    """Write a HyperPod cluster down."""
    return FoundHyperPod(
        name=found.name,
        arn=found.arn,
        status=found.status,
        provisioning="continuous" if found.continuous else "classic",
        node_recovery=found.node_recovery,
        groups=[_group(group) for group in found.groups],
    )


def _group(found: GroupFound) -> FoundGroup:
    return FoundGroup(
        name=found.desired.name,
        instance_types=[*found.desired.types],
        current=found.current,
        target=found.desired.instance_count,
        capacity_type=found.desired.capacity_type,
        status=found.status,
        execution_role_arn=found.execution_role_arn,
    )
