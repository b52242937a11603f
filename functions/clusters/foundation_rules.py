"""The parameters of a foundation's stack that say what it makes and what it takes over.

The template makes whatever a parameter calls `none`. Its outputs are the same either way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.cluster import ReusedResources
from functions.network.reuse.models import EVERYWHERE
from functions.network.reuse.rules.network import primary_range, subnet_of
from functions.network.rules import SERVICE_RANGE, free_service_range
from functions.network.subnets.rules.routing import choose_endpoint, choose_nat

if TYPE_CHECKING:
    from functions.core.cluster import ClusterSpec
    from functions.network.reuse.models import Network
    from functions.network.rules import NetworkPlan

NONE: Final = "none"


def parts(cluster: ClusterSpec) -> dict[str, str]:
    """Name what the stack makes beside the network, and what it takes over instead."""
    reused, names = cluster.reused or ReusedResources(), cluster.names
    made = {
        "BucketName": (cluster.bucket, reused.bucket),
        "ControlPlaneRoleName": (names.control_plane_role, reused.control_plane_role_arn),
        "ExecutionRoleName": (names.execution_role, reused.execution_role_arn),
        "S3CsiRoleName": (names.s3_csi_role, reused.s3_csi_role_arn),
    }
    return {
        **{parameter: NONE if taken else name for parameter, (name, taken) in made.items()},
        "ReusedBucketName": reused.bucket or NONE,
        "ReusedControlPlaneRoleArn": reused.control_plane_role_arn or NONE,
        "ReusedExecutionRoleArn": reused.execution_role_arn or NONE,
        "ReusedS3CsiRoleArn": reused.s3_csi_role_arn or NONE,
        "PublicAccessCidrs": ",".join(cluster.public_access_cidrs or [EVERYWHERE]),
    }


def with_kept_bucket(made: dict[str, str]) -> dict[str, str]:
    """Let the stack take over the bucket that it would make: an earlier cluster of the tag has left it."""
    return {**made, "BucketName": NONE, "ReusedBucketName": made["BucketName"]}


def new_network(plan: NetworkPlan, zones: tuple[str, str]) -> dict[str, str]:
    """Lay out a network that the stack makes."""
    return {
        "VpcCidr": str(plan.vpc),
        "PublicSubnetOneCidr": str(plan.public[0]),
        "PublicSubnetTwoCidr": str(plan.public[1]),
        "ControlPlaneSubnetOneCidr": str(plan.control_plane[0]),
        "ControlPlaneSubnetTwoCidr": str(plan.control_plane[1]),
        "ControlPlaneZoneOne": zones[0],
        "ControlPlaneZoneTwo": zones[1],
        "ServiceCidr": str(plan.services),
        "ReusedVpcId": NONE,
        "ReusedControlPlaneSubnetOne": NONE,
        "ReusedControlPlaneSubnetTwo": NONE,
        "ReusedPublicSubnetIds": NONE,
        "ReusedSecurityGroupId": NONE,
        "ReusedNatGatewayId": NONE,
        "ReusedS3EndpointId": NONE,
    }


def reused_network(reused: ReusedResources, network: Network) -> dict[str, str]:
    """Name a network that is taken over; nothing of it is laid out."""
    first, second = reused.control_plane_subnet_ids
    zones = [subnet.zone for each in (first, second) if (subnet := subnet_of(network, each))]
    nat = choose_nat("", zones[0] if zones else "", network.parts.nat_gateways)
    endpoint = choose_endpoint("", network.parts.endpoints)
    # EKS says what is wrong with a range that overlaps; the checks before have left one free.
    services = free_service_range(network.ranges) or SERVICE_RANGE
    return {
        "VpcCidr": str(primary_range(network)),
        "PublicSubnetOneCidr": NONE,
        "PublicSubnetTwoCidr": NONE,
        "ControlPlaneSubnetOneCidr": NONE,
        "ControlPlaneSubnetTwoCidr": NONE,
        "ControlPlaneZoneOne": NONE,
        "ControlPlaneZoneTwo": NONE,
        "ServiceCidr": str(services),
        "ReusedVpcId": network.parts.vpc_id,
        "ReusedControlPlaneSubnetOne": first,
        "ReusedControlPlaneSubnetTwo": second,
        "ReusedPublicSubnetIds": ",".join(reused.public_subnet_ids) or NONE,
        "ReusedSecurityGroupId": reused.security_group_id or NONE,
        "ReusedNatGatewayId": nat.nat_gateway_id if nat else NONE,
        "ReusedS3EndpointId": endpoint.endpoint_id if endpoint else NONE,
    }
