"""HyperPod where it meets the rest of the host: clusters' nodes, EC2's subnets, quotas, logs, the bus, the clock."""

from __future__ import annotations

from typing import Any

import pytest

from infra.local.kubernetes.documents import name_of
from infra.local.kubernetes.resources import NODES
from infra.local.simulators.bus_event import BusEvent
from tests.host.driver import Driver

HEALTH = "sagemaker.amazonaws.com/node-health-status"
NAME = "hp-cluster-ready"
GPU = "ml.g6.4xlarge"


def instances(driver: Driver) -> dict[str, str]:
    listed = driver.host.client("sagemaker").list_cluster_nodes(ClusterName=NAME)["ClusterNodeSummaries"]
    return {each["InstanceId"]: str(each["InstanceStatus"]["Status"]) for each in listed}


def nodes(driver: Driver) -> dict[str, dict[str, Any]]:
    store = driver.host.world.kubernetes["eks-cluster-ready"].store
    driver.host.world.settle()
    return {name_of(node): node for node in store.select(NODES)}


def taints(node: dict[str, Any]) -> set[str]:
    return {f"{taint['key']}={taint.get('value', '')}:{taint['effect']}" for taint in node["spec"].get("taints") or []}


def ready(node: dict[str, Any]) -> str:
    return next(str(each["status"]) for each in node["status"]["conditions"] if each["type"] == "Ready")


def test_a_fault_shows_on_the_node_and_is_healed_at_its_own_moments(
    driver_of_ready: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, told = driver_of_ready, list[tuple[BusEvent, float]]()
    clock = driver.host.clock
    monkeypatch.setattr(driver.host.world, "publish", lambda event: told.append((event, clock.time())))
    [instance] = instances(driver)
    name, began = f"hyperpod-{instance}", clock.time()
    driver.host.world.hyperpod.conditions.break_node(instance, recovery="Reboot", fault="NvidiaErrorReboot")
    driver.sleep(31)
    sick = nodes(driver)[name]
    assert sick["metadata"]["labels"][HEALTH] == "UnschedulablePendingReboot"
    assert f"{HEALTH}=Unschedulable:NoSchedule" in taints(sick)
    driver.sleep(60)
    assert ready(nodes(driver)[name]) == "Unknown"
    driver.sleep(120)
    healed = nodes(driver)[name]
    assert (healed["metadata"]["labels"][HEALTH], ready(healed)) == ("Schedulable", "True")
    assert "sagemaker.amazonaws.com/fault-types" not in healed["metadata"]["labels"]
    assert not [taint for taint in taints(healed) if taint.startswith(HEALTH)]
    moments = [(round(at - began), event.detail_type.rpartition("Cluster ")[2]) for event, at in told]
    assert moments == [(30, "Node Health Event"), (90, "Event"), (210, "Event"), (210, "Node Health Event")]
    assert all(event.time.timestamp() == at for event, at in told)


def test_a_health_label_set_by_hand_has_the_node_replaced(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    [instance] = instances(driver)
    label = {"metadata": {"labels": {HEALTH: "UnschedulablePendingReplacement"}}}
    store = driver.host.world.kubernetes["eks-cluster-ready"].store
    store.upsert(NODES, {"metadata": {"name": f"hyperpod-{instance}", **label["metadata"]}})
    driver.host.world.settle()
    driver.sleep(900)
    assert instance not in instances(driver)
    assert list(instances(driver).values()) == ["Running"]
    assert list(nodes(driver)) == [f"hyperpod-{each}" for each in instances(driver)]


def test_a_subnet_counts_the_addresses_of_its_nodes(driver_of_ready: Driver) -> None:
    client = driver_of_ready.host.client("ec2")
    [instance] = instances(driver_of_ready)
    found = client.describe_network_interfaces(Filters=[{"Name": "description", "Values": [f"*{instance}*"]}])
    [interface] = found["NetworkInterfaces"]
    assert len(interface["PrivateIpAddresses"]) == 30
    [subnet] = client.describe_subnets(SubnetIds=[interface["SubnetId"]])["Subnets"]
    size = 2 ** (32 - int(subnet["CidrBlock"].partition("/")[2]))
    assert subnet["AvailableIpAddressCount"] == size - 5 - 30


def test_service_quotas_shows_what_creation_is_judged_by(driver_of_ready: Driver) -> None:
    host = driver_of_ready.host
    client: Any = host.client_of_role("service-quotas", host.deployed.function_roles["api"])
    name = f"{GPU} for cluster usage"
    listed = [quota for page in client.get_paginator("list_service_quotas").paginate(ServiceCode="sagemaker")
              for quota in page["Quotas"]]  # fmt: skip
    found = {quota["QuotaName"]: quota for quota in listed}
    assert len(listed) == len(found) == 2 * 209 + 4
    assert found["ml.p5.48xlarge for cluster usage"]["QuotaCode"] == "L-8762A75F"
    host.world.hyperpod.conditions.set_quota(name, 1)
    code = found[name]["QuotaCode"]
    assert client.get_service_quota(ServiceCode="sagemaker", QuotaCode=code)["Quota"]["Value"] == 1
    with pytest.raises(client.exceptions.NoSuchResourceException):
        client.get_service_quota(ServiceCode="sagemaker", QuotaCode="L-00000000")


def test_what_a_lifecycle_script_wrote_can_be_read(driver_of_ready: Driver) -> None:
    host = driver_of_ready.host
    [instance] = instances(driver_of_ready)
    cluster = host.client("sagemaker").describe_cluster(ClusterName=NAME)
    group = cluster["InstanceGroups"][0]["InstanceGroupName"]
    client: Any = host.client_of_role("logs", host.deployed.function_roles["stages_cluster"])
    place = f"/aws/sagemaker/Clusters/{NAME}/{cluster['ClusterArn'].rpartition('/')[2]}"
    stream = f"LifecycleConfig/{group}/{instance}"
    events = client.get_log_events(logGroupName=place, logStreamName=stream, startFromHead=True)["events"]
    assert [event["message"] for event in events] == [
        "[SageMaker] Downloading lifecycle scripts",
        "[SageMaker] The lifecycle scripts succeeded.",
    ]
    assert events[0]["timestamp"] < host.clock.time() * 1000


def test_a_training_plan_is_made_while_the_host_works(driver_of_ready: Driver) -> None:
    host = driver_of_ready.host
    arn = host.world.hyperpod.conditions.make_training_plan("plan", "ml.p5.48xlarge", 4, "us-west-2b", hours=2)
    plan = host.client("sagemaker").describe_training_plan(TrainingPlanName="plan")
    [capacity] = plan["ReservedCapacitySummaries"]
    assert (plan["TrainingPlanArn"], plan["Status"], capacity["AvailabilityZone"]) == (arn, "Active", "us-west-2b")
    kept = host.snapshot()
    driver_of_ready.sleep(2 * 3600)
    assert host.client("sagemaker").describe_training_plan(TrainingPlanName="plan")["Status"] == "Expired"
    host.restore(kept)
    assert host.client("sagemaker").list_training_plans()["TrainingPlanSummaries"][0]["TrainingPlanArn"] == arn


@pytest.mark.parametrize(
    ("service", "code", "name", "default"),
    [
        ("vpc", "L-F678F1CE", "VPCs per Region", 5),
        ("vpc", "L-DF5E4CA3", "Network interfaces per Region", 5_000),
        ("ec2", "L-0263D0A3", "EC2-VPC Elastic IPs", 5),
    ],
)
def test_service_quotas_shows_what_networks_may_have(
    driver_of_ready: Driver, service: str, code: str, name: str, default: int
) -> None:
    host = driver_of_ready.host
    client: Any = host.client_of_role("service-quotas", host.deployed.function_roles["api"])

    def quota() -> tuple[str, float]:
        found = client.get_service_quota(ServiceCode=service, QuotaCode=code)["Quota"]
        return found["QuotaName"], found["Value"]

    kept = host.snapshot()
    assert quota() == (name, default)
    host.world.quotas.set_quota(name, 3)
    assert quota() == (name, 3)
    host.restore(kept)
    assert quota() == (name, default)
