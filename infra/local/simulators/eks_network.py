"""Network rules of an EKS control plane: zones, the service CIDR, the cluster security group."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from infra.local.simulators.eks_records import invalid
from infra.local.simulators.neighbours import call, error_code
from infra.local.simulators.paging import identifier
from infra.local.simulators.service import ServiceError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from botocore.client import BaseClient

    from infra.local.simulators.eks_records import ClusterRecord, EksHost, EksRecords
    from infra.local.simulators.neighbours import Subnet

DEFAULT_SERVICE_CIDRS = ("10.100.0.0/16", "172.20.0.0/16")
PRIVATE_RANGES = tuple(IPv4Network(block) for block in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))
GROUP_DESCRIPTION = (
    "EKS created security group applied to ENI that is attached to EKS Control Plane master nodes, as well as any"
    " managed workloads."
)


def refuse_zones(name: str, subnets: Sequence[Subnet], zones: Mapping[str, str], records: EksRecords) -> None:
    """Two zones of one VPC, none of them without room for control planes (EKS User Guide, network requirements)."""
    if len({subnet.zone for subnet in subnets}) < 2:
        raise invalid("Subnets specified must be in at least two different AZs", clusterName=name)
    if len({subnet.vpc_id for subnet in subnets}) > 1:
        raise invalid("Subnets specified must belong to the same VPC", clusterName=name)
    refusing = sorted(subnet.zone for subnet in subnets if subnet.zone_id in records.unsupported_zone_ids)
    if refusing:
        usable = sorted(zone for zone, zone_id in zones.items() if zone_id not in records.unsupported_zone_ids)
        message = (
            f"Cannot create cluster '{name}' because {refusing[0]}, the targeted availability zone, does not currently"
            " have sufficient capacity to support the cluster. Retry and choose from these availability zones: "
            + ", ".join(usable)
        )
        raise ServiceError("UnsupportedAvailabilityZoneException", message, 400, clusterName=name, validZones=usable)


def service_cidr(asked: str | None, vpc_blocks: Sequence[IPv4Network]) -> str:
    """The block for services: the one asked for, else the first default that the VPC leaves free."""
    if asked is None:
        free = (block for block in DEFAULT_SERVICE_CIDRS if not _overlaps(IPv4Network(block), vpc_blocks))
        return next(free, DEFAULT_SERVICE_CIDRS[-1])
    try:
        block = IPv4Network(asked)
    except ValueError as error:
        raise invalid(f"serviceIpv4Cidr {asked} is not a valid CIDR block") from error
    if not 12 <= block.prefixlen <= 24 or not any(block.subnet_of(private) for private in PRIVATE_RANGES):
        raise invalid(f"serviceIpv4Cidr {asked} must be a private block between /24 and /12")
    if _overlaps(block, vpc_blocks):
        raise invalid(f"serviceIpv4Cidr {asked} overlaps with the CIDR blocks of the VPC")
    return asked


def create_cluster_group(ec2: BaseClient, name: str, vpc_id: str, seed: str) -> str:
    """The security group EKS makes for a cluster: open to itself."""
    label = f"eks-cluster-sg-{name}-{identifier(f'{seed}:sg', 10, '0123456789')}"
    tags = [{"Key": "Name", "Value": label}, {"Key": f"kubernetes.io/cluster/{name}", "Value": "owned"}]
    answer = call(
        ec2,
        "create_security_group",
        GroupName=label,
        Description=GROUP_DESCRIPTION,
        VpcId=vpc_id,
        TagSpecifications=[{"ResourceType": "security-group", "Tags": tags}],
    )
    group_id = str(answer["GroupId"])
    rule = {"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group_id}]}
    call(ec2, "authorize_security_group_ingress", GroupId=group_id, IpPermissions=[rule])
    return group_id


def make_interfaces(host: EksHost, cluster: ClusterRecord) -> None:
    """Put the control plane's interfaces into its subnets (EKS user guide, "Cluster network interfaces")."""
    network = cluster.described["resourcesVpcConfig"]
    for subnet in network["subnetIds"]:
        answer = call(
            host.ec2(),
            "create_network_interface",
            SubnetId=subnet,
            Groups=[cluster.security_group_id, *network["securityGroupIds"]],
            Description=f"Amazon EKS {cluster.name}",
        )
        interface_id = str(answer["NetworkInterface"]["NetworkInterfaceId"])
        host.hold_interface(interface_id)
        cluster.interface_ids.append(interface_id)


def remove_interfaces(host: EksHost, cluster: ClusterRecord, *, forgets: bool) -> None:
    """Take the control plane's interfaces away, or leave them behind without their owner."""
    for interface_id in cluster.interface_ids:
        host.free_interface(interface_id)
        if forgets:
            continue
        try:
            call(host.ec2(), "delete_network_interface", NetworkInterfaceId=interface_id)
        except ClientError as error:
            if error_code(error) != "InvalidNetworkInterfaceID.NotFound":
                raise


def delete_cluster_group(ec2: BaseClient, group_id: str) -> None:
    """EKS removes its security group, unless something still uses it or somebody removed it."""
    try:
        call(ec2, "delete_security_group", GroupId=group_id)
    except ClientError as error:
        if error_code(error) not in ("DependencyViolation", "InvalidGroup.NotFound"):
            raise


def _overlaps(block: IPv4Network, others: Sequence[IPv4Network]) -> bool:
    return any(block.overlaps(other) for other in others)
