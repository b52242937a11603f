"""What HyperPod does in the customer's network: interfaces for its instances, and EFA's health check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from infra.local.simulators import neighbours
from infra.local.simulators.instance_facts import instance_facts

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecords
    from infra.local.simulators.hyperpod.state import HyperPodHost
    from infra.local.simulators.neighbours import Subnet

EFA_FAILURE: Final = (
    "EFA health checks did not run successfully. Ensure that your VPC and security groups are properly configured"
    " before attempting to create a new cluster."
)
_RESERVED_AT_THE_START: Final = 3


def has_efa(instance_type: str) -> bool:
    """Say whether instances of a type get EFA interfaces."""
    return instance_facts()[instance_type].efa_count > 0


def efa_traffic_flows(ec2: BaseClient, group: GroupRecord) -> bool:
    """Say whether a group's security groups let all traffic among themselves in and out; a range does not count."""
    ids = set(group.security_groups)
    try:
        answer = neighbours.call(ec2, "describe_security_groups", GroupIds=sorted(ids))
    except ClientError:
        # A group that was deleted meanwhile lets nothing through.
        return False
    found: list[dict[str, Any]] = answer["SecurityGroups"]
    return all(
        any(_lets_all_through(rule, ids) for each in found for rule in each[side])
        for side in ("IpPermissions", "IpPermissionsEgress")
    )


def _lets_all_through(rule: dict[str, Any], ids: set[str]) -> bool:
    peers = {pair.get("GroupId") for pair in rule.get("UserIdGroupPairs", [])}
    return rule.get("IpProtocol") == "-1" and bool(peers & ids)


@dataclass(frozen=True)
class NoInterface(Exception):
    """EC2 refused an interface; the text is EC2's."""

    text: str


def make_interface(host: HyperPodHost, subnet: Subnet, addresses: Sequence[str], group: GroupRecord, name: str) -> str:
    """Make an instance's interface with all addresses that its interfaces take together; gives its id."""
    private = [{"PrivateIpAddress": each, "Primary": index == 0} for index, each in enumerate(addresses)]
    try:
        answer = neighbours.call(
            host.ec2(),
            "create_network_interface",
            SubnetId=subnet.subnet_id,
            Groups=group.security_groups,
            Description=f"Amazon SageMaker HyperPod {name}",
            PrivateIpAddresses=private,
        )
    except ClientError as error:
        raise NoInterface(str(error.response["Error"]["Message"])) from error
    interface_id = str(answer["NetworkInterface"]["NetworkInterfaceId"])
    host.hold_interface(interface_id)
    return interface_id


def remove_interface(host: HyperPodHost, interface_id: str) -> None:
    """Delete an instance's interface; somebody may have done so before."""
    host.free_interface(interface_id)
    try:
        neighbours.call(host.ec2(), "delete_network_interface", NetworkInterfaceId=interface_id)
    except ClientError as error:
        if neighbours.error_code(error) != "InvalidNetworkInterfaceID.NotFound":
            raise


class Addresses:
    """Free addresses of a group's subnets at one moment, from the top: what else is there fills them from below."""

    def __init__(self, ec2: BaseClient, subnets: Sequence[Subnet], records: HyperPodRecords) -> None:
        ids = [subnet.subnet_id for subnet in subnets]
        answer = neighbours.call(ec2, "describe_subnets", SubnetIds=ids)
        self._free = {each["SubnetId"]: int(each["AvailableIpAddressCount"]) for each in answer["Subnets"]}
        taken = {
            (node.subnet.subnet_id, address)
            for _, node in records.nodes()
            if node.subnet.subnet_id in ids
            for address in node.addresses
        }
        self._addresses = {
            subnet.subnet_id: (each for each in _usable(subnet) if (subnet.subnet_id, each) not in taken)
            for subnet in subnets
        }

    def free(self, subnet: Subnet) -> int:
        """Say how many are left."""
        return self._free[subnet.subnet_id]

    def take(self, subnet: Subnet, count: int) -> tuple[str, ...]:
        """Take as many; there have to be."""
        self._free[subnet.subnet_id] -= count
        source = self._addresses[subnet.subnet_id]
        return tuple(next(source) for _ in range(count))


def _usable(subnet: Subnet) -> Iterator[str]:
    block = IPv4Network(subnet.cidr)
    lowest = int(block.network_address) + _RESERVED_AT_THE_START
    return (str(IPv4Address(number)) for number in range(int(block.broadcast_address) - 1, lowest, -1))
