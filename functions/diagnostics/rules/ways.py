"""What traffic each subnet has to let through for nodes: of instances, NAT gateways, the control plane, endpoints.

Sources: Amazon VPC user guide, "Ephemeral ports"; Amazon VPC CNI, AWS_VPC_K8S_CNI_RANDOMIZESNAT; Amazon EKS user guide,
"Amazon EKS security group requirements" (443 to the control plane, 10250 to kubelets); AWS PrivateLink guide, "Access
an AWS service using an interface VPC endpoint" (with private DNS all of the VPC calls a service through its endpoint).
"""

from __future__ import annotations

from ipaddress import collapse_addresses
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Priority
from functions.diagnostics.rules.passage import Way
from functions.diagnostics.rules.subnets import placed
from functions.diagnostics.rules.traffic import HELPFUL, NEEDED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from ipaddress import IPv4Network

    from functions.diagnostics.models.facts import Facts
    from functions.network.subnets.models import Vpc

    Ranges = Mapping[str, IPv4Network]
    Peers = tuple[IPv4Network, ...]

_HTTPS: Final = (443, 443)
_KUBELET: Final = (10_250, 10_250)
# Nodes call from the ports that Linux gives. Pods leave by the address translation of the VPC CNI, which takes any port
# (AWS_VPC_K8S_CNI_RANDOMIZESNAT is `prng` by default), as NAT gateways do.
_CALLERS: Final = (1_024, 65_535)
_NODES: Final = (32_768, 60_999)
_OUT: Final = (
    Way("HTTPS out", outbound=True, ports=_HTTPS),
    Way("the answers to it", outbound=False, ports=_CALLERS, core=_NODES),
)


def ways_of(facts: Facts, vpc: Vpc) -> dict[str, list[Way]]:
    """Say for each subnet that nodes depend on what it has to let through; within a subnet no ACL is asked."""
    ranges = {each.subnet_id: each.cidr for each in vpc.subnets}
    nodes = {each: ranges[each] for each in placed(facts, vpc) if each in ranges}
    ways: dict[str, list[Way]] = {each: [*_OUT] for each in nodes}
    for gateway, subnet_id in facts.nat_subnets.items():
        served = {each: ranges[each] for each in nodes if _leads_to(gateway, vpc, each)}
        ways.setdefault(subnet_id, []).extend(_relayed(gateway, _others(served, subnet_id)))
    _add_control_plane(ways, facts, nodes, ranges)
    _add_endpoints(ways, facts, nodes, ranges)
    return {subnet_id: wanted for subnet_id, wanted in ways.items() if wanted}


def _add_control_plane(ways: dict[str, list[Way]], facts: Facts, nodes: Ranges, ranges: Ranges) -> None:
    eks = facts.eks.value.found if facts.eks.value else None
    doors = {each: ranges[each] for each in (eks.subnet_ids if eks else ()) if each in ranges}
    private = bool(eks and eks.private_endpoint)
    for own in nodes:
        ways[own] += _with_control_plane(_others(doors, own), private=private)
    for own in doors:
        ways.setdefault(own, []).extend(_with_nodes(_others(nodes, own), private=private))


def _add_endpoints(ways: dict[str, list[Way]], facts: Facts, nodes: Ranges, ranges: Ranges) -> None:
    """Add what endpoints take that nodes call under a service's own name, whatever else leads to the service."""
    found = facts.endpoints.value.subnets if facts.endpoints.value else {}
    called = {each for each, services in found.items() if services.intersection((*NEEDED, *HELPFUL))}
    ends = {each: ranges[each] for each in sorted(called) if each in ranges}
    for own in nodes:
        ways[own] += _to_endpoints(_others(ends, own), _weight(found, ends, (own,)))
    for own in ends:
        ways.setdefault(own, []).extend(_of_endpoints(_others(nodes, own), _weight(found, (own,), nodes)))


def _weight(found: Mapping[str, frozenset[str]], ends: Collection[str], nodes: Collection[str]) -> Priority:
    """Say how much hangs on endpoints: without what is needed nodes do not join, unless their own subnet has it too."""
    needed = any(found[end].intersection(NEEDED) - found.get(node, frozenset()) for end in ends for node in nodes)
    return Priority.P0 if needed else Priority.P1


def _leads_to(gateway: str, vpc: Vpc, subnet_id: str) -> bool:
    table = vpc.table_of(subnet_id)
    return table is not None and table.default_route is not None and table.default_route.target == gateway


def _others(ranges: Ranges, own: str) -> Peers:
    return tuple(collapse_addresses(cidr for subnet_id, cidr in ranges.items() if subnet_id != own))


def _relayed(gateway: str, nodes: Peers) -> Iterator[Way]:
    """Say what a NAT gateway passes on: calls of nodes, from a port of its own, and the answers, to the caller's."""
    if nodes:
        yield Way(f"HTTPS in to {gateway}", outbound=False, ports=_HTTPS, peers=nodes)
        yield Way(f"HTTPS out of {gateway}", outbound=True, ports=_HTTPS)
        yield Way(f"answers to {gateway}", outbound=False, ports=_CALLERS)
        yield Way(f"answers of {gateway} to nodes", outbound=True, ports=_CALLERS, peers=nodes, core=_NODES)


def _with_control_plane(doors: Peers, *, private: bool) -> Iterator[Way]:
    """Say what nodes need to get from and to the interfaces of the control plane, whose calls are Linux's, too."""
    if doors and private:
        yield Way("HTTPS to the control plane", outbound=True, ports=_HTTPS, peers=doors)
        yield Way("answers of the control plane", outbound=False, ports=_NODES, peers=doors)
    if doors:
        yield Way("port 10250 from the control plane", False, _KUBELET, doors, priority=Priority.P1)
        yield Way("answers to the control plane", True, _NODES, doors, priority=Priority.P1)


def _with_nodes(nodes: Peers, *, private: bool) -> Iterator[Way]:
    """Say what the control plane's interfaces need to get from and to nodes."""
    if nodes and private:
        yield Way("HTTPS from nodes", outbound=False, ports=_HTTPS, peers=nodes)
        yield Way("answers to nodes", outbound=True, ports=_NODES, peers=nodes)
    if nodes:
        yield Way("port 10250 to nodes", True, _KUBELET, nodes, priority=Priority.P1)
        yield Way("answers of nodes", False, _NODES, nodes, priority=Priority.P1)


def _to_endpoints(ends: Peers, priority: Priority) -> Iterator[Way]:
    """Say what nodes, and pods, which keep their address within the VPC, need to get from and to endpoints."""
    if ends:
        yield Way("HTTPS to endpoints", True, _HTTPS, ends, priority=priority)
        yield Way("answers of endpoints", False, _NODES, ends, priority=priority)


def _of_endpoints(nodes: Peers, priority: Priority) -> Iterator[Way]:
    """Say what endpoints need to get from and to nodes."""
    if nodes:
        yield Way("HTTPS from nodes to endpoints", False, _HTTPS, nodes, priority=priority)
        yield Way("answers of endpoints to nodes", True, _NODES, nodes, priority=priority)
