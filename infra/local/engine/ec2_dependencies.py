"""EC2's refusals to delete what is in use, and the interfaces of AWS's own services, both of which moto lacks.

An interface that a service attached cannot be deleted; a security group cannot while an interface has it or another
group's rule names it; a VPC cannot while it holds groups, gateways or endpoints; an internet gateway cannot be detached
while an address is mapped through it. A load balancer has an interface in each of its subnets, for as long as it lives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from moto.backends import get_backend

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto

_IN_USE = "in-use"
_NAT = "Interface for NAT Gateway"


class _Group(Protocol):
    id: str
    name: str
    ingress_rules: Sequence[_Rule]
    egress_rules: Sequence[_Rule]


class _Rule(Protocol):
    source_group: Mapping[str, str] | None


class _Subnet(Protocol):
    id: str
    vpc_id: str


class _Interface(Protocol):
    id: str
    subnet: _Subnet
    status: str
    description: str
    interface_type: str
    requester_managed: bool
    requester_id: str
    public_ip: str | None

    @property
    def group_set(self) -> Iterable[_Group]: ...


class _Nat(Protocol):
    id: str
    vpc_id: str
    state: str
    connectivity_type: str
    _eni: _Interface


class _Gateway(Protocol):
    vpc: _Vpc | None


class _Vpc(Protocol):
    id: str


class _Endpoint(Protocol):
    vpc_id: str
    state: str


class _Acl(Protocol):
    vpc_id: str


class _Backend(Protocol):
    enis: dict[str, _Interface]
    groups: Mapping[str, Mapping[str, _Group]]
    nat_gateways: Mapping[str, _Nat]
    internet_gateways: Mapping[str, _Gateway]
    vpc_end_points: Mapping[str, _Endpoint]
    network_acls: dict[str, _Acl]

    def create_network_interface(
        self, subnet: object, private_ip_address: str, group_ids: list[str], description: str
    ) -> _Interface: ...


class _Balancer(Protocol):
    arn: str
    name: str
    type: str
    scheme: str
    subnets: Sequence[_Subnet]
    security_groups: list[str]


class _Balancers(Protocol):
    ec2_backend: _Backend
    load_balancers: Mapping[str, _Balancer]


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    models = "moto.ec2.models"
    interfaces = import_module(f"{models}.elastic_network_interfaces").NetworkInterfaceBackend
    if hasattr(interfaces.delete_network_interface, "unless_in_use"):
        return
    wrap(interfaces, "delete_network_interface", _unless_in_use)
    wrap(import_module(f"{models}.security_groups").SecurityGroupBackend, "delete_security_group", _unless_referred_to)
    wrap(import_module(f"{models}.vpcs").VPCBackend, "delete_vpc", _when_empty)
    wrap(import_module(f"{models}.internet_gateways").InternetGatewayBackend, "detach_internet_gateway", _unless_mapped)
    wrap(import_module(f"{models}.nat_gateways").NatGatewayBackend, "create_nat_gateway", _with_held_interface)
    balancers = import_module("moto.elbv2.models").ELBv2Backend
    wrap(balancers, "create_load_balancer", _with_interfaces)
    wrap(balancers, "delete_load_balancer", _without_interfaces)


class Interfaces:
    """How AWS's own services attach interfaces to what runs elsewhere, for which EC2 has no public call."""

    def __init__(self, account: str, region: str) -> None:
        self._account, self._region = account, region

    def held_by(self, owner: str) -> Callable[[str], None]:
        """Give what attaches an interface by its id; EC2 names `owner` as its requester."""
        return lambda interface_id: _hold(self._found(interface_id), owner)

    def let_go(self, interface_id: str) -> None:
        """Detach an interface, which stays behind `available`; one that is gone stays gone."""
        found = self._found(interface_id)
        if found is not None:
            found.status = "available"

    def _found(self, interface_id: str) -> _Interface | None:
        backend = cast("_Backend", get_backend("ec2")[self._account][self._region])
        return backend.enis.get(interface_id)


def _hold(interface: _Interface | None, owner: str) -> None:
    if interface is not None:
        interface.status, interface.requester_managed, interface.requester_id = _IN_USE, True, owner


def _unless_in_use(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_network_interface(self: _Backend, eni_id: str) -> object:
        found = self.enis.get(eni_id)
        if found is not None and found.status == _IN_USE:
            raise _refusal("InvalidParameterValue", f"Network interface '{eni_id}' is currently in use.")
        return delete(self, eni_id)

    vars(delete_network_interface)["unless_in_use"] = True
    return delete_network_interface


def _unless_referred_to(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_security_group(self: _Backend, name: str | None = None, group_id: str | None = None) -> object:
        if group_id is not None and _is_referred_to(self, group_id):
            raise _refusal("DependencyViolation", f"resource {group_id} has a dependent object")
        return delete(self, name, group_id)

    return delete_security_group


def _is_referred_to(backend: _Backend, group_id: str) -> bool:
    if any(group.id == group_id for interface in backend.enis.values() for group in interface.group_set):
        return True
    others = (group for groups in backend.groups.values() for group in groups.values() if group.id != group_id)
    rules = (rule for group in others for rule in (*group.ingress_rules, *group.egress_rules))
    return any((rule.source_group or {}).get("GroupId") == group_id for rule in rules)


def _when_empty(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_vpc(self: _Backend, vpc_id: str) -> object:
        groups = any(group.name != "default" for group in self.groups.get(vpc_id, {}).values())
        gateways = any(each.vpc and each.vpc.id == vpc_id for each in self.internet_gateways.values())
        endpoints = any(each.vpc_id == vpc_id and each.state != "deleted" for each in self.vpc_end_points.values())
        if groups or gateways or endpoints:
            raise _refusal("DependencyViolation", f"The vpc '{vpc_id}' has dependencies and cannot be deleted.")
        deleted = delete(self, vpc_id)
        # Its own access control list goes with it.
        for acl in [acl for acl, found in self.network_acls.items() if found.vpc_id == vpc_id]:
            del self.network_acls[acl]
        return deleted

    return delete_vpc


def _unless_mapped(detach: Callable[..., object]) -> Callable[..., object]:
    def detach_internet_gateway(self: _Backend, internet_gateway_id: str, vpc_id: str) -> object:
        public = any(each.public_ip and each.subnet.vpc_id == vpc_id for each in self.enis.values())
        translated = any(
            each.vpc_id == vpc_id and each.state != "deleted" and each.connectivity_type == "public"
            for each in self.nat_gateways.values()
        )
        if public or translated:
            message = f"Network {vpc_id} has some mapped public address(es). Please unmap those public address(es)"
            raise _refusal("DependencyViolation", f"{message} before detaching the gateway.")
        return detach(self, internet_gateway_id, vpc_id)

    return detach_internet_gateway


def _with_held_interface(create: Callable[..., object]) -> Callable[..., object]:
    def create_nat_gateway(self: _Backend, *arguments: object, **named: object) -> object:
        gateway = cast("_Nat", create(self, *arguments, **named))
        _hold(gateway._eni, "amazon-nat")
        gateway._eni.interface_type, gateway._eni.description = "nat_gateway", f"{_NAT} {gateway.id}"
        return gateway

    return create_nat_gateway


def _with_interfaces(create: Callable[..., object]) -> Callable[..., object]:
    def create_load_balancer(self: _Balancers, *arguments: object, **named: object) -> object:
        made = cast("_Balancer", create(self, *arguments, **named))
        for subnet in made.subnets:
            interface = self.ec2_backend.create_network_interface(
                subnet, "", group_ids=list(made.security_groups or []), description=_described(made)
            )
            _hold(interface, "amazon-elb")
            if made.scheme == "internet-facing":
                interface.public_ip = import_module("moto.ec2.utils").random_public_ip()
        return made

    return create_load_balancer


def _without_interfaces(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_load_balancer(self: _Balancers, arn: str) -> object:
        found = self.load_balancers.get(arn)
        for interface in [*self.ec2_backend.enis.values()] if found else []:
            if found and interface.description == _described(found):
                del self.ec2_backend.enis[interface.id]
        return delete(self, arn)

    return delete_load_balancer


def _described(balancer: _Balancer) -> str:
    """Describe a load balancer's interface (Elastic Load Balancing user guides, "ELB app/<name>/<id>")."""
    # moto's ARNs call every load balancer an application's.
    kind = "net" if balancer.type == "network" else "app"
    return f"ELB {kind}/{balancer.arn.rpartition(':loadbalancer/app/')[2]}"


def _refusal(code: str, message: str) -> Exception:
    error: Exception = import_module("moto.ec2.exceptions").EC2ClientError(code, message)
    return error
