"""A cluster's whole life: previewed, confirmed, created, disturbed by hand, repaired and deleted without a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from infra.local import inventory
from infra.local.demo.telling import Json, failure, previewed, read, run, say

if TYPE_CHECKING:
    from infra.local.doors import Doors
    from infra.local.host import LocalHost

TAG: Final = "hypd-0304d"
_CLUSTER: Final = f"/api/clusters/{TAG}"
_REQUEST: Final[Json] = {
    "tag": TAG,
    "hyperpod": {
        "availability_zone": "us-west-2b",
        "instance_groups": [{"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1}],
    },
}


def play(host: LocalHost, opened: Doors) -> Json:
    """Go through the cluster's life; give the last operation, FAILED when the account is not as it was before."""
    api, before = opened.api, inventory.taken(host)
    say("\n\nThe whole life of a cluster. First what it would make, and what that costs an hour:\n")
    operation = _confirmed(api, "POST", "/api/clusters", _REQUEST)
    if operation["status"] == "SUCCEEDED":
        _disturb(host)
        operation = _mended(api)
    if operation["status"] == "SUCCEEDED":
        say("\nIt is deleted. First what goes and what stays:\n")
        preview = previewed(api, "DELETE", _CLUSTER)
        operation = run(api, f"{_CLUSTER}?confirm={preview['digest']}", method="DELETE")
        if operation["status"] == "SUCCEEDED":
            return _compared(host, before, preview, operation)
    say(f"\n{failure(operation)}")
    return operation


def _confirmed(api: str, method: str, path: str, body: Json | None = None) -> Json:
    """Preview a request, then send it as it was previewed."""
    preview = previewed(api, method, path, body)
    return run(api, f"{path}?confirm={preview['digest']}", body, method=method)


def _disturb(host: LocalHost) -> None:
    """Take away by hand what somebody may take away: the nodes' way out, and names of hosts in the VPC."""
    ec2: Any = host.client("ec2")
    mine = [{"Name": "tag:instantstart:cluster", "Values": [TAG]}]
    for table in ec2.describe_route_tables(Filters=mine)["RouteTables"]:
        if any(route.get("NatGatewayId") for route in table["Routes"]):
            ec2.delete_route(RouteTableId=table["RouteTableId"], DestinationCidrBlock="0.0.0.0/0")
    [vpc] = ec2.describe_vpcs(Filters=mine)["Vpcs"]
    ec2.modify_vpc_attribute(VpcId=vpc["VpcId"], EnableDnsHostnames={"Value": False})
    say("\nSomebody deletes the nodes' routes to the NAT gateway and turns off the VPC's host names. What drifted:\n")


def _mended(api: str) -> Json:
    operation = run(api, f"{_CLUSTER}/drift", {})
    if operation["status"] != "SUCCEEDED":
        return operation
    for drift in read(api, f"{_CLUSTER}/drift")["drifts"]:
        what = f"{drift['kind']} {drift['resource']}"
        say(f"  {what}: {drift['property'] or ''} is {drift['actual']}, not {drift['expected']}")
    say("\nIt is repaired. First what that changes:\n")
    return _confirmed(api, "POST", f"{_CLUSTER}/repair", {})


def _compared(host: LocalHost, before: inventory.Inventory, preview: Json, operation: Json) -> Json:
    """Compare the whole account with the one before the creation: only what the preview kept may differ."""
    # The end of a log group's name is HyperPod's own, and different each time.
    names = [change["name"] for change in preview["changes"] if change["action"] == "keep"]
    kept = [name.rpartition("/")[0] or name for name in names]
    left = inventory.differences(inventory.taken(host), before)
    unexplained = [each for each in left if not any(name in each for name in kept)]
    if unexplained:
        say("\n".join(["\nLeft behind:", *unexplained]))
        return {**operation, "status": "FAILED"}
    say("\nThe whole account is as it was before the creation, but for what the preview said it keeps:")
    say("\n".join(f"  {each}" for each in left) or "  nothing")
    return operation
