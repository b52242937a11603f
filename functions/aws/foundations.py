"""What a cluster stands on, behind one door: the outputs of its stack, or what was found when it was imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.aws import cloudformation
from functions.core.errors import PreconditionFailed

if TYPE_CHECKING:
    from functions.core.cluster import ClusterSpec, Surroundings


@dataclass(frozen=True)
class Foundation:
    """The parts of a foundation that later stages build on.

    `nat_gateway_id` and `endpoint_id` are empty where the cluster was imported: any that works will do. So is
    `execution_role_arn` where no role was found or named. A VPC that is not ours (not `owns_vpc`) may have no endpoint
    for S3.
    """

    eks_arn: str
    vpc_id: str
    security_group_id: str
    nat_gateway_id: str
    endpoint_id: str
    execution_role_arn: str
    owns_vpc: bool

    @property
    def required_role(self) -> str:
        """Give the role for instances; raises PreconditionFailed when there is none."""
        if not self.execution_role_arn:
            raise PreconditionFailed(
                "The cluster was imported without an execution role for HyperPod's instances.",
                remedy='Name one: POST /api/clusters/<tag>/redetect with {"execution_role_arn": "arn:..."}.',
            )
        return self.execution_role_arn


def foundation_of(cluster: ClusterSpec) -> Foundation:
    """Read what a cluster stands on; raises PreconditionFailed when it does not stand, else the client's errors."""
    if cluster.surroundings is not None:
        return _found(cluster.surroundings)
    outputs, reused = cloudformation.outputs_of(cluster.stack), cluster.reused
    return Foundation(
        eks_arn=outputs["EksClusterArn"],
        vpc_id=outputs["VpcId"],
        security_group_id=outputs["ComputeSecurityGroupId"],
        nat_gateway_id=outputs["NatGatewayId"],
        endpoint_id=outputs["S3EndpointId"],
        execution_role_arn=outputs["ExecutionRoleArn"],
        owns_vpc=reused is None or reused.vpc_id is None,
    )


def _found(surroundings: Surroundings) -> Foundation:
    return Foundation(
        eks_arn=surroundings.eks_arn,
        vpc_id=surroundings.vpc_id,
        security_group_id=surroundings.security_group_id,
        nat_gateway_id="",
        endpoint_id="",
        execution_role_arn=surroundings.execution_role_arn or "",
        owns_vpc=False,
    )
