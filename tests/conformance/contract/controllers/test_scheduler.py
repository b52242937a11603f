"""The scheduler: where pods go, and in which words it says why they wait."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, name_of, text
from tests.conformance.contract.controllers.driver import Cluster, condition, phase, pod_spec, template, workload

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def _pod(cluster: Cluster, name: str = "p", labels: dict[str, str] | None = None, **spec: object) -> JsonObject:
    cluster.create("pods", name, pod_spec(**spec), metadata={"labels": labels or {}})
    return cluster.get("pods", name)


def _node_of(pod: JsonObject) -> str:
    return text(pod, "spec", "nodeName")


def _why(pod: JsonObject) -> str:
    """The scheduler's message up to what it says about preemption."""
    return text(condition(pod, "PodScheduled"), "message").partition(" preemption:")[0]


def _node_terms(operator: str, *values: str, key: str = "team") -> JsonObject:
    expression = {"key": key, "operator": operator, **({"values": list(values)} if values else {})}
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}


def _pod_term(kind: str, topology: str = "kubernetes.io/hostname", app: str = "web") -> JsonObject:
    return {kind: {_REQUIRED: [{"topologyKey": topology, "labelSelector": {"matchLabels": {"app": app}}}]}}


def test_without_nodes_a_pod_waits_and_the_event_says_so(cluster: Cluster) -> None:
    if cluster.list_all("nodes"):
        pytest.skip("the cluster has nodes")
    pod = _pod(cluster)
    assert condition(pod, "PodScheduled")["reason"] == "Unschedulable"
    assert cluster.messages("p", "FailedScheduling") == ["no nodes available to schedule pods"]


def test_a_pod_that_fits_is_bound_with_a_condition_and_an_event(cluster: Cluster) -> None:
    node = cluster.node()
    pod = _pod(cluster)
    assert (_node_of(pod), condition(pod, "PodScheduled")["status"]) == (node, "True")
    assert cluster.messages("p", "Scheduled") == [f"Successfully assigned contract/p to {node}"]


def test_a_missing_device_plugin_shows_as_an_insufficient_resource(cluster: Cluster) -> None:
    for name in "abc":
        cluster.node(name, accelerator_count=1)
    pod = _pod(cluster, requests={"nvidia.com/gpu": "1"})
    (message,) = cluster.messages("p", "FailedScheduling")
    assert message == (
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: "
        "3 Preemption is not helpful for scheduling."
    )
    assert text(condition(pod, "PodScheduled"), "message") == message


def test_different_reasons_of_different_nodes_are_counted_together(cluster: Cluster) -> None:
    cluster.node("a")
    for name in "bc":
        cluster.node(name, taints=(("dedicated", "vision", "NoSchedule"),))
    pod = _pod(cluster, requests={"nvidia.com/gpu": "1"})
    assert _why(pod) == (
        "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint {dedicated: vision}."
    )


def test_a_node_under_deep_health_check_takes_no_pods(cluster: Cluster) -> None:
    taint = ("sagemaker.amazonaws.com/node-health-status", "Unschedulable", "NoSchedule")
    cluster.node(taints=(taint,))
    assert _why(_pod(cluster)) == (
        "0/1 nodes are available: "
        "1 node(s) had untolerated taint {sagemaker.amazonaws.com/node-health-status: Unschedulable}."
    )


def test_requests_of_pods_on_a_node_are_taken_from_what_it_offers(cluster: Cluster) -> None:
    cluster.node(cpu=4)
    assert _node_of(_pod(cluster, "first", requests={"cpu": "3"}))
    second = _pod(cluster, "second", requests={"cpu": "3"})
    assert _why(second) == "0/1 nodes are available: 1 Insufficient cpu."
    assert "1 No preemption victims found for incoming pod" in text(condition(second, "PodScheduled"), "message")


def test_one_node_can_lack_several_resources(cluster: Cluster) -> None:
    cluster.node(cpu=2, memory_mib=4096)
    pod = _pod(cluster, requests={"cpu": "9", "memory": "99Gi"})
    assert _why(pod) == "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory."


def test_a_node_takes_no_more_than_its_max_pods(cluster: Cluster) -> None:
    cluster.node(max_pods=2)
    pods = [_pod(cluster, name) for name in ("one", "two", "three")]
    assert _why(pods[2]) == "0/1 nodes are available: 1 Too many pods."


def test_a_daemon_pod_that_does_not_fit_its_node_names_the_plugin_for_the_others(cluster: Cluster) -> None:
    cluster.node("a", max_pods=1)
    _pod(cluster, "full")
    for name in "bc":
        cluster.node(name)
    cluster.create("daemonsets", "agent", workload({"app": "agent"}))
    cluster.after(10)
    (waiting,) = [pod for pod in cluster.pods(labelSelector="app=agent") if not _node_of(pod)]
    assert _why(waiting) == (
        "0/3 nodes are available: 1 Too many pods, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    )


def test_a_pod_is_scheduled_when_room_appears(cluster: Cluster) -> None:
    cluster.node(cpu=2)
    _pod(cluster, "big", requests={"cpu": "1500m"})
    assert not _node_of(_pod(cluster, "next", requests={"cpu": "1500m"}))
    cluster.delete("pods", "big", grace=0)
    cluster.after(31)
    assert _node_of(cluster.get("pods", "next"))


def test_a_finished_pod_gives_its_resources_back(cluster: Cluster) -> None:
    cluster.node(cpu=2)
    _pod(cluster, "short", requests={"cpu": "1500m"}, restartPolicy="Never")
    assert not _node_of(_pod(cluster, "next", requests={"cpu": "1500m"}))
    cluster.after(20)
    assert (phase(cluster.get("pods", "short")), bool(_node_of(cluster.get("pods", "next")))) == ("Succeeded", True)


def test_a_cordoned_node_is_unschedulable(cluster: Cluster) -> None:
    name = cluster.node()
    cluster.patch("nodes", name, {"spec": {"unschedulable": True}})
    assert _why(_pod(cluster)) == "0/1 nodes are available: 1 node(s) were unschedulable."
    cluster.patch("nodes", name, {"spec": {"unschedulable": None}})
    cluster.simulator.sync()
    assert _node_of(cluster.get("pods", "p")) == name


@pytest.mark.parametrize(
    ("operator", "values", "chosen"),
    [("In", ("red",), "a"), ("NotIn", ("red",), "b"), ("Exists", (), "a"), ("DoesNotExist", (), "b")],
)
def test_required_node_affinity_chooses_by_label(
    cluster: Cluster, operator: str, values: tuple[str, ...], chosen: str
) -> None:  # fmt: skip
    cluster.node("a", labels={"team": "red"})
    cluster.node("b")
    assert _node_of(_pod(cluster, affinity=_node_terms(operator, *values))) == f"hyperpod-i-{chosen}"


@pytest.mark.parametrize(("operator", "chosen"), [("Gt", "b"), ("Lt", "a")])
def test_node_affinity_compares_numbers(cluster: Cluster, operator: str, chosen: str) -> None:
    cluster.node("a", labels={"size": "2"})
    cluster.node("b", labels={"size": "16"})
    assert _node_of(_pod(cluster, affinity=_node_terms(operator, "8", key="size"))) == f"hyperpod-i-{chosen}"


def test_a_node_selector_that_fits_nowhere_is_named(cluster: Cluster) -> None:
    cluster.node()
    pod = _pod(cluster, nodeSelector={"team": "blue"})
    assert _why(pod) == "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."


def test_preferred_node_affinity_wins_over_an_emptier_node(cluster: Cluster) -> None:
    cluster.node("a", labels={"team": "red"}, cpu=2)
    cluster.node("b", cpu=64)
    preference = {"matchExpressions": [{"key": "team", "operator": "In", "values": ["red"]}]}
    affinity = {"nodeAffinity": {_PREFERRED: [{"weight": 100, "preference": preference}]}}
    assert _node_of(_pod(cluster, affinity=affinity)) == "hyperpod-i-a"


def test_pods_without_wishes_spread_over_the_nodes(cluster: Cluster) -> None:
    cluster.node("a")
    cluster.node("b")
    assert {_node_of(_pod(cluster, name)) for name in ("one", "two")} == {"hyperpod-i-a", "hyperpod-i-b"}


def test_anti_affinity_keeps_replicas_on_different_nodes(cluster: Cluster) -> None:
    cluster.node("a")
    cluster.node("b")
    spread = _pod_term("podAntiAffinity")
    cluster.create("deployments", "web", workload(template=template(affinity=spread), replicas=3))
    placed = sorted(_node_of(pod) for pod in cluster.pods())
    assert placed == ["", "hyperpod-i-a", "hyperpod-i-b"]
    (waiting,) = [pod for pod in cluster.pods() if not _node_of(pod)]
    assert _why(waiting) == "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."


def test_a_pod_that_repels_others_keeps_them_away(cluster: Cluster) -> None:
    cluster.node()
    _pod(cluster, "alone", affinity=_pod_term("podAntiAffinity"))
    pod = _pod(cluster, labels={"app": "web"})
    assert _why(pod) == "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."


def test_pod_affinity_goes_where_its_partner_is(cluster: Cluster) -> None:
    cluster.node("a", zone="us-west-2a")
    cluster.node("b", zone="us-west-2b")
    lonely = _pod(cluster, "lonely", affinity=_pod_term("podAffinity", app="partner"))
    assert _why(lonely) == "0/2 nodes are available: 2 node(s) didn't match pod affinity rules."
    partner = _pod(cluster, "partner", {"app": "partner"}, nodeSelector={"topology.kubernetes.io/zone": "us-west-2b"})
    follower = _pod(cluster, "follower", affinity=_pod_term("podAffinity", "topology.kubernetes.io/zone", "partner"))
    assert _node_of(follower) == _node_of(partner) == "hyperpod-i-b"


def test_hard_topology_spread_keeps_zones_even(cluster: Cluster) -> None:
    cluster.node("a", zone="us-west-2a")
    cluster.node("b", zone="us-west-2b", cpu=2)
    constraint = {
        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }  # fmt: skip
    made = template(topologySpreadConstraints=[constraint], requests={"cpu": "1500m"})
    cluster.create("deployments", "web", workload(template=made, replicas=4))
    pods = cluster.pods()
    assert sorted(_node_of(pod) for pod in pods) == ["", "hyperpod-i-a", "hyperpod-i-a", "hyperpod-i-b"]
    (waiting,) = [pod for pod in pods if not _node_of(pod)]
    assert "1 node(s) didn't match pod topology spread constraints" in _why(waiting)


def test_a_tolerated_taint_does_not_matter_and_a_prefer_no_schedule_taint_only_repels(cluster: Cluster) -> None:
    cluster.node("a", taints=(("gpu", "yes", "NoSchedule"),))
    cluster.node("b", taints=(("soft", "yes", "PreferNoSchedule"),))
    tolerant = _pod(cluster, "tolerant", tolerations=[{"key": "gpu", "operator": "Exists"}])
    assert (_node_of(tolerant), _node_of(_pod(cluster))) == ("hyperpod-i-a", "hyperpod-i-b")


def test_the_more_important_pod_comes_first(cluster: Cluster) -> None:
    _pod(cluster, "low", requests={"cpu": "1500m"})
    _pod(cluster, "high", requests={"cpu": "1500m"}, priority=1000)
    cluster.node(cpu=2)
    assert bool(_node_of(cluster.get("pods", "high"))) and not _node_of(cluster.get("pods", "low"))


def test_a_pod_with_a_preset_node_is_not_scheduled_but_runs(cluster: Cluster) -> None:
    name = cluster.node(taints=(("gpu", "yes", "NoSchedule"),))
    _pod(cluster, nodeName=name)
    cluster.after(5)
    assert (phase(cluster.get("pods", "p")), cluster.messages("p", "Scheduled")) == ("Running", [])


def test_a_host_port_is_given_out_once_per_node(cluster: Cluster) -> None:
    cluster.node()
    ports = {"ports": [{"containerPort": 80, "hostPort": 80}]}
    assert _node_of(_pod(cluster, "first", container=ports))
    second = _pod(cluster, "second", container=ports)
    assert _why(second) == ("0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.")


def test_an_unbound_or_missing_claim_keeps_a_pod_pending(cluster: Cluster) -> None:
    cluster.node()
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    pod = _pod(cluster, volumes=volumes)
    assert _why(pod) == '0/1 nodes are available: persistentvolumeclaim "data" not found.'
    claim = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}
    cluster.create("persistentvolumeclaims", "data", claim)
    assert _why(cluster.get("pods", "p")) == (
        "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    )


def test_a_pod_with_a_scheduling_gate_is_not_looked_at(cluster: Cluster) -> None:
    cluster.node()
    pod = _pod(cluster, schedulingGates=[{"name": "queue"}])
    assert (_node_of(pod), cluster.reasons("p")) == ("", [])
    assert name_of(pod) == "p"
