"""EC2's gateway endpoints: a route table that joins one by ModifyVpcEndpoint gets its route, and loses it again.

moto notes the table alone, and then cannot delete the endpoint for want of the route. A table that is gone by then is
passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto


class _Endpoint(Protocol):
    destination_prefix_list_id: str | None
    route_table_ids: list[str]


class _Table(Protocol):
    routes: Mapping[str, object]


class _Backend(Protocol):
    vpc_end_points: Mapping[str, _Endpoint]
    route_tables: Mapping[str, _Table]

    def create_route(
        self, route_table_id: str, cidr: None, *, gateway_id: str, destination_prefix_list_id: str
    ) -> object: ...

    def delete_route(self, route_table_id: str, prefix_list_id: str) -> object: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    backend = import_module("moto.ec2.models.vpcs").VPCBackend
    if hasattr(backend.modify_vpc_endpoint, "with_routes"):
        return
    wrap(backend, "modify_vpc_endpoint", _with_routes)


def _with_routes(modify: Callable[..., object]) -> Callable[..., object]:
    def modify_vpc_endpoint(self: _Backend, vpc_id: str, *arguments: object, **named: object) -> object:
        before = _routed(self, vpc_id)
        modified = modify(self, vpc_id, *arguments, **named)
        endpoint = self.vpc_end_points[vpc_id]
        prefixes, after = endpoint.destination_prefix_list_id, set(endpoint.route_table_ids or [])
        if prefixes:
            for table in sorted(after - before):
                self.create_route(table, None, gateway_id=vpc_id, destination_prefix_list_id=prefixes)
            for table in sorted((before - after) & self.route_tables.keys()):
                self.delete_route(table, prefixes)
        return modified

    vars(modify_vpc_endpoint)["with_routes"] = True
    return modify_vpc_endpoint


def _routed(backend: _Backend, endpoint_id: str) -> set[str]:
    found = backend.vpc_end_points.get(endpoint_id)
    return set(found.route_table_ids or []) if found else set()
