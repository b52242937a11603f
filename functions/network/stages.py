"""The compute subnet of a zone: found by name, created when absent, each of its properties checked and repaired."""

from __future__ import annotations

from dataclasses import dataclass

from functions.aws import cloudformation, network, zones
from functions.aws.network import RouteTable, Subnet
from functions.core.errors import Cause, InvalidRequest, Layer, QuotaExceeded
from functions.core.runtime import Patience
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import tags_of
from functions.network.rules import free_compute_range

_LOAD_BALANCER_ROLE = {"kubernetes.io/role/internal-elb": "1"}


@dataclass(frozen=True)
class _Place:
    """Where the subnet belongs: zone and the foundation's network."""

    name: str
    zone: str
    vpc_id: str
    nat_gateway_id: str
    endpoint_id: str


class ComputeSubnet:
    """Every capacity path goes through this stage: one place where a compute subnet is right or wrong."""

    def apply(self, context: StageContext) -> Applied:
        """Create the subnet if it is absent, then repair its tags, its route and its endpoint."""
        place = _place(context)
        _check_zone(context, place)
        tags = tags_of(context.cluster, context.operation.operation_id) | {"Name": place.name} | _LOAD_BALANCER_ROLE
        subnet = _find(place)
        subnet_id = subnet.subnet_id if subnet else _create(place, tags)
        if subnet and any(subnet.tags.get(key) != value for key, value in _LOAD_BALANCER_ROLE.items()):
            network.tag(subnet_id, _LOAD_BALANCER_ROLE)
        _repair_route(place, subnet_id, tags)
        return Applied(f"{place.name} is {subnet_id}", (subnet_id,))

    def observe(self, context: StageContext) -> Observation:
        """Done when subnet, NAT route and endpoint association all stand."""
        place = _place(context)
        subnet = _find(place)
        if subnet is None:
            return Reapply(f"{place.name} is gone")
        table = network.route_tables_of_vpc(place.vpc_id).get(_table_name(place))
        missing = _missing(place, subnet, table)
        if missing:
            return Reapply(f"{place.name} ({subnet.subnet_id}) has no {missing}")
        result = {"subnet_id": subnet.subnet_id, "zone": subnet.zone, "cidr": str(subnet.cidr)}
        return Done(result, f"{place.name}: {subnet.cidr} in {subnet.zone}", (subnet.subnet_id,))


def _place(context: StageContext) -> _Place:
    outputs = cloudformation.outputs_of(context.cluster.names.stack)
    return _Place(
        name=f"hp-compute-{context.parameter}",
        zone=context.parameter,
        vpc_id=outputs["VpcId"],
        nat_gateway_id=outputs["NatGatewayId"],
        endpoint_id=outputs["S3EndpointId"],
    )


def _check_zone(context: StageContext, place: _Place) -> None:
    """Look at a zone that the edge could not check, before anything is made there."""
    names = [zone.name for zone in zones.describe(Patience.STAGE)]
    if place.zone not in names:
        raise InvalidRequest(
            f"{place.zone} is not the name of a zone of {context.cluster.region}.",
            cause=Cause(layer=Layer.CALLER, service="ec2", api_call="DescribeAvailabilityZones"),
            remedy=f"Name one of {', '.join(names)} as availability_zone in a new request.",
        )


def _find(place: _Place) -> Subnet | None:
    subnets = network.subnets_of_vpc(place.vpc_id)
    return next((s for s in subnets if s.tags.get("Name") == place.name and s.zone == place.zone), None)


def _create(place: _Place, tags: dict[str, str]) -> str:
    in_use = [subnet.cidr for subnet in network.subnets_of_vpc(place.vpc_id)]
    ranges = network.ranges_of_vpc(place.vpc_id)
    while cidr := free_compute_range(ranges, in_use):
        created = network.create_subnet(place.vpc_id, place.zone, cidr, tags)
        if created:
            return created
        # The range was taken in between: by another caller, or by this very call whose answer was lost.
        adopted = _find(place)
        if adopted:
            return adopted.subnet_id
        in_use.append(cidr)
    raise _full(place)


def _full(place: _Place) -> QuotaExceeded:
    return QuotaExceeded(
        f"The VPC {place.vpc_id} has no free /20 range left for {place.name}.",
        cause=Cause(layer=Layer.AWS, service="ec2", resource=place.vpc_id),
        remedy="Delete an unused compute subnet, or add a secondary range to the VPC, then retry.",
    )


def _table_name(place: _Place) -> str:
    return f"{place.name}-rt"


def _repair_route(place: _Place, subnet_id: str, tags: dict[str, str]) -> None:
    table = network.route_tables_of_vpc(place.vpc_id).get(_table_name(place))
    if table is None:
        created = network.create_route_table(place.vpc_id, tags | {"Name": _table_name(place)})
        table = RouteTable(created, (), None)
    if table.default_route != place.nat_gateway_id:
        network.route_through_nat(table.route_table_id, place.nat_gateway_id, replace=table.default_route is not None)
    if subnet_id not in table.subnet_ids:
        network.associate(table.route_table_id, subnet_id)
    if table.route_table_id not in network.endpoint_route_tables(place.endpoint_id):
        network.serve_by_endpoint(place.endpoint_id, table.route_table_id)


def _missing(place: _Place, subnet: Subnet, table: RouteTable | None) -> str | None:
    if table is None or subnet.subnet_id not in table.subnet_ids:
        return f"route table {_table_name(place)}"
    if table.default_route != place.nat_gateway_id:
        return f"route through the NAT gateway {place.nat_gateway_id}"
    if table.route_table_id not in network.endpoint_route_tables(place.endpoint_id):
        return f"association with the S3 endpoint {place.endpoint_id}"
    return None


STAGES: Behaviours = {"compute_subnet": ComputeSubnet()}
