"""What the tests of the compute subnet stage share: operations of that stage alone, and EC2 as a person sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from types_boto3_ec2.type_defs import FilterTypeDef, TagTypeDef

from functions.clusters import rules
from tests.host.driver import Driver, Json

HYPERPOD = "/api/clusters/base/hyperpod"
SUBNETS = "/api/clusters/base/subnets"
ZONE = "us-west-2c"
STAGE = f"compute_subnet:{ZONE}"
NAME = f"hp-compute-{ZONE}"
STACK = "instantstart-base"

if TYPE_CHECKING:
    from types_boto3_ec2 import EC2Client

Plan = Callable[[str, rules.Request], list[tuple[str, str]]]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let operations that create a HyperPod cluster settle its subnets and end there, as often as one likes."""
    only_subnets(monkeypatch)


def only_subnets(patch: pytest.MonkeyPatch) -> None:
    whole: Plan = rules.plan

    def planned(kind: str, request: rules.Request) -> list[tuple[str, str]]:
        stages = whole(kind, request)
        if kind != rules.CREATE_HYPERPOD:
            return stages
        return [(phase, name) for phase, name in stages if name.startswith("compute_subnet:")]

    patch.setattr(rules, "plan", planned)
    patch.setattr(rules, "already_done", lambda *_: None)


@pytest.fixture
def reserved(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Let operations hold the scope of a group only, as those that change single groups will."""
    yield lambda scope: monkeypatch.setitem(rules.SCOPES, rules.CREATE_HYPERPOD, [scope])


def asking(*groups: Json, **members: object) -> Json:
    """A HyperPod cluster of groups; each is of one small instance unless it says otherwise."""
    small = {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}
    return {"availability_zone": ZONE, "instance_groups": [small | group for group in groups or ({},)], **members}


def ec2(driver: Driver) -> EC2Client:
    return driver.host.client("ec2")


def outputs(driver: Driver) -> dict[str, str]:
    """The outputs of the foundation."""
    stack = driver.host.client("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}


def vpc(driver: Driver) -> str:
    return outputs(driver)["VpcId"]


def where(name: str, *values: str) -> list[FilterTypeDef]:
    return [{"Name": name, "Values": list(values)}]


def compute_subnets(driver: Driver, name: str = NAME) -> list[Json]:
    found = ec2(driver).describe_subnets(Filters=where("tag:Name", name))["Subnets"]
    return [dict(subnet) for subnet in found]


def the_subnet(driver: Driver, name: str = NAME) -> Json:
    [subnet] = compute_subnets(driver, name)
    return subnet


def tables(driver: Driver, name: str = NAME) -> list[Json]:
    found = ec2(driver).describe_route_tables(Filters=where("tag:Name", f"{name}-rt"))["RouteTables"]
    return [dict(table) for table in found]


def table_of(driver: Driver, subnet_id: str) -> Json:
    """The route table that a subnet is associated with."""
    [table] = ec2(driver).describe_route_tables(Filters=where("association.subnet-id", subnet_id))["RouteTables"]
    return dict(table)


def tags_of(described: Json) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in described["Tags"]}


def facts(driver: Driver, name: str = NAME) -> Json:
    """Everything that has to be right about a subnet of ours."""
    subnet = the_subnet(driver, name)
    table = table_of(driver, subnet["SubnetId"])
    default = [route for route in table["Routes"] if route.get("DestinationCidrBlock") == "0.0.0.0/0"]
    endpoints = ec2(driver).describe_vpc_endpoints(Filters=where("vpc-id", vpc(driver)))["VpcEndpoints"]
    return {
        "zone": subnet["AvailabilityZone"],
        "size": subnet["CidrBlock"].partition("/")[2],
        "tags": {key: value for key, value in tags_of(subnet).items() if key != "instantstart:operation"},
        "table": tags_of(table).get("Name"),
        "tables": len(tables(driver, name)),
        "route": [(route.get("NatGatewayId"), route["State"]) for route in default],
        "endpoints": sum(table["RouteTableId"] in each["RouteTableIds"] for each in endpoints),
    }


def right(driver: Driver, name: str = NAME, **others: object) -> Json:
    """The facts of a subnet with which nothing is wrong."""
    expected: Json = {
        "zone": ZONE,
        "size": "20",
        "tags": {
            "Name": name,
            "instantstart:managed-by": "instantstart",
            "instantstart:cluster": "base",
            "instantstart:compute-subnet": "zone",
            "kubernetes.io/role/internal-elb": "1",
        },
        "table": f"{name}-rt",
        "tables": 1,
        "route": [(outputs(driver)["NatGatewayId"], "active")],
        "endpoints": 1,
    }
    return expected | others


def make_subnet(driver: Driver, cidr_end: str = "240.0/24", zone: str = ZONE, **tags: str) -> str:
    """Make a subnet in the cluster's VPC as a person would."""
    first, second, *_ = outputs(driver)["VpcCidr"].split(".")
    made = ec2(driver).create_subnet(VpcId=vpc(driver), AvailabilityZone=zone, CidrBlock=f"{first}.{second}.{cidr_end}")
    subnet_id = str(made["Subnet"]["SubnetId"])
    if tags:
        put_tags(driver, subnet_id, **tags)
    return subnet_id


def put_tags(driver: Driver, resource: str, **tags: str) -> None:
    listed = [TagTypeDef(Key=key, Value=value) for key, value in tags.items()]
    ec2(driver).create_tags(Resources=[resource], Tags=listed)


def own_table(driver: Driver, subnet_id: str) -> str:
    """Give a subnet a route table of its own, as a person would."""
    table = str(ec2(driver).create_route_table(VpcId=vpc(driver))["RouteTable"]["RouteTableId"])
    ec2(driver).associate_route_table(RouteTableId=table, SubnetId=subnet_id)
    return table


def internet_gateway(driver: Driver) -> str:
    found = ec2(driver).describe_internet_gateways(Filters=where("attachment.vpc-id", vpc(driver)))
    return found["InternetGateways"][0]["InternetGatewayId"]
