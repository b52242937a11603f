"""EC2's networks: what moto lets pass and AWS does not.

A route through a NAT gateway that is gone is a `blackhole`; moto calls every route active. A subnet that has a route
table is not given another by AssociateRouteTable; moto answers with the association there is, as if it had obeyed. A
subnet in which network interfaces stand cannot be deleted; and so that one can, a NAT gateway takes its own along, and
lets its address go, which another gateway may then have. A deleted subnet is no longer associated with its route
table; moto leaves the table in use.
CreateRouteTable sent again with the client token of an earlier call gives that call's table; moto makes another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Protocol

from moto.core.responses import ActionResult

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto


class _NatGateway(Protocol):
    state: str
    _eni: _Interface


class _Route(Protocol):
    nat_gateway: _NatGateway | None


class _Table(Protocol):
    _associations: dict[str, str]


class _Interface(Protocol):
    id: str
    subnet: _Subnet


class _Subnet(Protocol):
    id: str


class _Address(Protocol):
    eni: _Interface | None
    association_id: str | None


class _Backend(Protocol):
    addresses: list[_Address]
    route_tables: Mapping[str, _Table]
    nat_gateways: Mapping[str, _NatGateway]
    enis: dict[str, _Interface]

    def get_all_network_interfaces(self) -> Iterable[_Interface]: ...


class _Request(Protocol):
    ec2_backend: _Backend

    def _get_param(self, name: str) -> str | None: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    tables = import_module("moto.ec2.models.route_tables")
    if tables.Route.state.fget is _state:
        return
    tables.Route.state = property(_state)
    wrap(tables.RouteBackend, "associate_route_table", _without_another)
    wrap(import_module("moto.ec2.responses.route_tables").RouteTables, "create_route_table", _once)
    wrap(import_module("moto.ec2.models.subnets").SubnetBackend, "delete_subnet", _when_empty)
    wrap(import_module("moto.ec2.models.nat_gateways").NatGatewayBackend, "delete_nat_gateway", _with_interface)


def _state(route: _Route) -> str:
    gateway = route.nat_gateway
    return "blackhole" if gateway is not None and gateway.state in ("deleting", "deleted", "failed") else "active"


def _without_another(associate: Callable[..., object]) -> Callable[..., object]:
    def associate_route_table(
        self: _Backend, route_table_id: str, gateway_id: str | None = None, subnet_id: str | None = None
    ) -> object:
        for other, table in self.route_tables.items():
            if subnet_id and other != route_table_id and subnet_id in table._associations.values():
                message = f"the specified association for route table {route_table_id} conflicts with an existing"
                raise _refusal("Resource.AlreadyAssociated", f"{message} association")
        return associate(self, route_table_id, gateway_id, subnet_id)

    return associate_route_table


def _once(create: Callable[..., object]) -> Callable[..., object]:
    def create_route_table(self: _Request) -> object:
        token = self._get_param("ClientToken")
        # On the backend, so that a snapshot holds it.
        known: dict[str | None, str] = vars(self.ec2_backend).setdefault("route_tables_by_token", {})
        if token and known.get(token) in self.ec2_backend.route_tables:
            return ActionResult({"RouteTable": self.ec2_backend.route_tables[known[token]]})
        created = create(self)
        if isinstance(created, ActionResult) and isinstance(created.result, dict):
            known[token] = created.result["RouteTable"].id
        return created

    return create_route_table


def _when_empty(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_subnet(self: _Backend, subnet_id: str) -> object:
        if any(interface.subnet.id == subnet_id for interface in self.get_all_network_interfaces()):
            message = f"The subnet '{subnet_id}' has dependencies and cannot be deleted."
            raise _refusal("DependencyViolation", message)
        for table in self.route_tables.values():
            for link in [link for link, subnet in table._associations.items() if subnet == subnet_id]:
                del table._associations[link]
        return delete(self, subnet_id)

    return delete_subnet


def _with_interface(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_nat_gateway(self: _Backend, nat_gateway_id: str) -> object:
        deleted = delete(self, nat_gateway_id)
        interface = self.nat_gateways[nat_gateway_id]._eni
        self.enis.pop(interface.id, None)
        for address in self.addresses:
            if address.eni is interface:
                address.eni = address.association_id = None
        return deleted

    return delete_nat_gateway


def _refusal(code: str, message: str) -> Exception:
    error: Exception = import_module("moto.ec2.exceptions").EC2ClientError(code, message)
    return error
