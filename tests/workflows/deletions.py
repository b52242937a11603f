"""What the tests of deletions share: the account before anything was made, and things that others make in a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from infra.local.inventory import Inventory, differences, taken
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import DEPLOYMENTS, SERVICES
from tests.host.driver import Driver, Json

if TYPE_CHECKING:
    from infra.local.kubernetes.store import Store


def left_over(driver: Driver, before: Inventory) -> list[str]:
    """Say in what the account differs from an earlier moment."""
    return differences(taken(driver.host), before)


def changes(previewed: Json, action: str) -> list[tuple[str, str]]:
    """What a preview deletes or keeps: the kinds and names, in order."""
    listed = previewed["preview"]["changes"]
    return [(change["resource"], change["name"]) for change in listed if change["action"] == action]


def store_of(driver: Driver, tag: str) -> Store:
    return driver.host.world.kubernetes[f"eks-cluster-{tag}"].store


def expose(driver: Driver, tag: str, name: str = "vllm-ext") -> None:
    """Let somebody else's Service have a load balancer."""
    store, labels = store_of(driver, tag), {"app": "controller"}
    pod: JsonObject = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "controller:1"}]}}
    spec: JsonObject = {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod}
    balancer = {"name": "aws-load-balancer-controller", "namespace": "kube-system"}
    store.upsert(DEPLOYMENTS, {"metadata": balancer, "spec": spec})
    service = {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"app": "vllm"}}
    store.upsert(SERVICES, {"metadata": {"name": name, "namespace": "default"}, "spec": service})
    driver.host.world.settle()
    driver.sleep(60)


def balancers(driver: Driver) -> list[str]:
    found: list[Any] = _elbv2(driver).describe_load_balancers()["LoadBalancers"]
    return sorted(each["LoadBalancerName"] for each in found)


def make_balancer(driver: Driver, tag: str, name: str) -> str:
    """Make somebody's load balancer in a cluster's network; gives its ARN."""
    made = _elbv2(driver).create_load_balancer(
        Name=name, Type="application", Subnets=[control_plane_subnet(driver, tag)]
    )
    return str(made["LoadBalancers"][0]["LoadBalancerArn"])


def remove_balancer(driver: Driver, arn: str) -> None:
    _elbv2(driver).delete_load_balancer(LoadBalancerArn=arn)


def control_plane_subnet(driver: Driver, tag: str) -> str:
    name = {"Name": "tag:Name", "Values": [f"instantstart-{tag}-control-plane-one"]}
    found: list[Any] = driver.host.client("ec2").describe_subnets(Filters=[name])["Subnets"]  # type: ignore[list-item]
    return str(found[0]["SubnetId"])


def make_interface(driver: Driver, subnet: str, description: str) -> str:
    made = driver.host.client("ec2").create_network_interface(SubnetId=subnet, Description=description)
    return made["NetworkInterface"].get("NetworkInterfaceId", "")


def make_volume(driver: Driver, tag: str, claim: str) -> str:
    """Make a disk as the EBS driver does for somebody's claim."""
    marks = {f"kubernetes.io/cluster/eks-cluster-{tag}": "owned", "kubernetes.io/created-for/pvc/name": claim}
    client = driver.host.client("ec2")
    made = client.create_volume(AvailabilityZone="us-west-2a", Size=8)["VolumeId"]
    client.create_tags(Resources=[made], Tags=[{"Key": key, "Value": value} for key, value in marks.items()])
    return made


def interfaces(driver: Driver, words: str) -> list[str]:
    """Name the interfaces whose description holds some words."""
    found = driver.host.client("ec2").describe_network_interfaces()["NetworkInterfaces"]
    return [each.get("NetworkInterfaceId", "") for each in found if words in each.get("Description", "")]


def stack_status(driver: Driver, tag: str) -> str | None:
    stacks = driver.host.client("cloudformation").describe_stacks()["Stacks"]
    return next((each["StackStatus"] for each in stacks if each["StackName"] == f"instantstart-{tag}"), None)


def condition(driver: Driver, tag: str, kind: str) -> Json:
    listed = driver.get(f"/api/clusters/{tag}")["conditions"]
    return next(each for each in listed if each["type"] == kind)


def _elbv2(driver: Driver) -> Any:  # noqa: ANN401  # no type stubs of it are installed
    client: Callable[[str], Any] = driver.host.client  # type: ignore[assignment]
    return client("elbv2")
