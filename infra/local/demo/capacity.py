"""A second cluster, of Spot and reserved capacity: refused where its plan is not, created where it is, healed."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from infra.local.demo import looking
from infra.local.demo.telling import Json, create, failure, refused, say, span, summary
from infra.local.doors import Doors
from infra.local.host import LocalHost

TAG: Final = "hypd-0304c"
_PLANNED: Final = "ml.p5.48xlarge"
_PLAN_ZONE: Final = "us-west-2b"
_LOOK_EVERY_SECONDS: Final = 15
_HEALS_WITHIN: Final = timedelta(hours=1)


def play(host: LocalHost, opened: Doors) -> Json:
    """Ask for the cluster in the wrong zone, then in the right one, and let a node break; give the last operation."""
    conditions = host.world.hyperpod.conditions
    plan = conditions.make_training_plan("demo-plan", _PLANNED, 2, _PLAN_ZONE)
    say(f"\n\nA second cluster: Spot, and the training plan demo-plan, which reserves {_PLANNED} in {_PLAN_ZONE}.\n")
    problem = refused(opened.api, _request(plan, {"availability_zone": "us-west-2c"}))
    [error] = problem["errors"]
    say(f"{problem['status']} {problem['title']}: {error['field']} {error['message']}")
    say(f"  allowed: {', '.join(error['allowed'])}\n  {problem['remedy']}\n\nWithout a zone the plan's is used:\n")
    operation = create(opened.api, _request(plan, {}))
    if operation["status"] != "SUCCEEDED":
        say(f"\n{failure(operation)}")
        return operation
    say(summary(operation["result"]))
    _heal(host)
    return operation


def _request(plan: str, placed: Json) -> Json:
    planned = {"name": "reserved", "instance_type": _PLANNED, "instance_count": 1, "training_plan_arn": plan}
    spot = {"name": "spot", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "capacity_type": "spot"}
    hyperpod = {"availability_zone": "us-west-2c", "instance_groups": [spot, planned | placed], "system_group": {}}
    return {"tag": TAG, "hyperpod": hyperpod}


def _heal(host: LocalHost) -> None:
    """Break the reserved node and tell how HyperPod replaces it, as node recovery is automatic."""
    broken = _reserved(host)
    host.world.hyperpod.conditions.break_node(broken["InstanceId"], recovery="Replace")
    say(f"\nThe GPU of {broken['InstanceId']} breaks. Node recovery is automatic, so nobody has to do anything:")
    began, told = host.clock.now(), ""
    while host.clock.now() - began < _HEALS_WITHIN:
        host.clock.sleep(_LOOK_EVERY_SECONDS)
        now = looking.health(host.access.kubeconfig.path, "reserved")
        if now != told:
            say(f"  {span(host.clock.now() - began):>5}  {now}")
            told = now
        if broken["InstanceId"] not in now and now.endswith("Schedulable"):
            return
    raise AssertionError(f"{broken['InstanceId']} was not healed")


def _reserved(host: LocalHost) -> Json:
    listed = host.client("sagemaker").list_cluster_nodes(
        ClusterName=f"hp-cluster-{TAG}", InstanceGroupNameContains="reserved"
    )
    return {**listed["ClusterNodeSummaries"][0]}
