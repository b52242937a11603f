"""DaemonSets and StatefulSets: a pod per node, and pods with names that stay."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, integer, name_of, objects, text, value_at
from tests.conformance.contract.controllers.driver import Cluster, labels, phase, template, workload

_TAINT = ("dedicated", "vision", "NoSchedule")


def _status(cluster: Cluster) -> tuple[int, ...]:
    keys = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled")
    return tuple(integer(cluster.get("daemonsets", "agent"), "status", key) for key in keys)


def _nodes_of_pods(cluster: Cluster) -> list[str]:
    return sorted(text(pod, "spec", "nodeName") for pod in cluster.pods())


def _agent(cluster: Cluster, **spec: object) -> None:
    cluster.create("daemonsets", "agent", workload(template=template(**spec)))
    cluster.after(10)


def test_a_daemon_set_runs_one_pod_on_every_node_new_ones_included(cluster: Cluster) -> None:
    cluster.node("a")
    _agent(cluster)
    cluster.node("b")
    cluster.after(10)
    assert _nodes_of_pods(cluster) == ["hyperpod-i-a", "hyperpod-i-b"]
    assert _status(cluster) == (2, 2, 2, 2)


def test_a_daemon_set_keeps_to_its_node_selector(cluster: Cluster) -> None:
    cluster.node("a", labels={"gpu": "yes"})
    cluster.node("b")
    _agent(cluster, nodeSelector={"gpu": "yes"})
    assert _nodes_of_pods(cluster) == ["hyperpod-i-a"]


def test_a_daemon_set_keeps_off_tainted_nodes_unless_it_tolerates_them(cluster: Cluster) -> None:
    cluster.node("a", taints=(_TAINT,))
    _agent(cluster)
    assert _status(cluster) == (0, 0, 0, 0)
    change = {"tolerations": [{"operator": "Exists"}]}
    cluster.patch("daemonsets", "agent", {"spec": {"template": {"spec": change}}})
    cluster.after(10)
    assert _status(cluster) == (1, 1, 1, 1)


def test_daemon_pods_tolerate_what_every_daemon_pod_tolerates_and_name_their_node(cluster: Cluster) -> None:
    node = cluster.node()
    _agent(cluster)
    (pod,) = cluster.pods()
    keys = {text(toleration, "key") for toleration in objects(pod, "spec", "tolerations")}
    assert keys == {
        f"node.kubernetes.io/{key}"
        for key in ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
    }
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    (term,) = objects(pod, "spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms")
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}


def test_daemon_pods_run_on_cordoned_nodes(cluster: Cluster) -> None:
    name = cluster.node()
    cluster.patch("nodes", name, {"spec": {"unschedulable": True}})
    cluster.simulator.sync()
    _agent(cluster)
    assert _status(cluster) == (1, 1, 1, 1)


def test_a_changed_daemon_set_replaces_its_pods_one_node_after_the_other(cluster: Cluster) -> None:
    for name in "abc":
        cluster.node(name)
    _agent(cluster)
    change = {"containers": [{"name": "main", "image": "app:2"}]}
    cluster.patch("daemonsets", "agent", {"spec": {"template": {"spec": change}}})
    for _ in range(120):
        cluster.after(1)
        assert integer(cluster.get("daemonsets", "agent"), "status", "numberUnavailable") <= 1
    assert _status(cluster) == (3, 3, 3, 3)
    assert {text(objects(pod, "spec", "containers")[0], "image") for pod in cluster.pods()} == {"app:2"}


def test_on_delete_daemon_pods_are_replaced_only_when_deleted(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("daemonsets", "agent", workload(updateStrategy={"type": "OnDelete"}))
    cluster.after(10)
    change = {"containers": [{"name": "main", "image": "app:2"}]}
    cluster.patch("daemonsets", "agent", {"spec": {"template": {"spec": change}}})
    cluster.after(60)
    assert _status(cluster) == (1, 1, 1, 0)
    cluster.delete("pods", name_of(cluster.pods()[0]), grace=0)
    cluster.after(60)
    assert _status(cluster) == (1, 1, 1, 1)


def test_a_failed_daemon_pod_is_replaced(cluster: Cluster) -> None:
    cluster.node()
    _agent(cluster)
    (pod,) = cluster.pods()
    cluster.simulator.call("PATCH", f"/api/v1/namespaces/contract/pods/{name_of(pod)}/status", {},
                           {"status": {"phase": "Failed"}}, "application/merge-patch+json")  # fmt: skip
    cluster.after(10)
    (renewed,) = cluster.pods()
    assert (name_of(renewed) != name_of(pod), phase(renewed)) == (True, "Running")


def _database(cluster: Cluster, **spec: object) -> JsonObject:
    cluster.node()
    cluster.create("statefulsets", "db", workload({"app": "db"}, serviceName="db", **spec))
    cluster.after(60)
    return cluster.get("statefulsets", "db")


def test_a_stateful_set_starts_its_pods_in_order_with_names_that_stay(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("statefulsets", "db", workload({"app": "db"}, serviceName="db", replicas=3))
    assert [name_of(pod) for pod in cluster.pods()] == ["db-0"]
    cluster.after(60)
    assert [name_of(pod) for pod in cluster.pods()] == ["db-0", "db-1", "db-2"]
    pod = cluster.get("pods", "db-1")
    assert (text(pod, "spec", "hostname"), text(pod, "spec", "subdomain")) == ("db-1", "db")
    assert labels(pod)["apps.kubernetes.io/pod-index"] == "1"


def test_a_stateful_set_ends_its_pods_from_the_highest_down(cluster: Cluster) -> None:
    _database(cluster, replicas=3)
    cluster.patch("statefulsets", "db", {"spec": {"replicas": 1}})
    cluster.after(1)
    assert [name_of(pod) for pod in cluster.pods()][:2] == ["db-0", "db-1"]
    cluster.after(90)
    assert [name_of(pod) for pod in cluster.pods()] == ["db-0"]


def test_a_parallel_stateful_set_does_not_wait(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("statefulsets", "db", workload(serviceName="db", replicas=3, podManagementPolicy="Parallel"))
    assert len(cluster.pods()) == 3


def test_a_stateful_pod_has_claims_of_its_own(cluster: Cluster) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}
    _database(cluster, replicas=1, volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": spec}])
    assert [name_of(claim) for claim in cluster.list_all("persistentvolumeclaims")] == ["data-db-0"]
    (volume,) = objects(cluster.get("pods", "db-0"), "spec", "volumes")
    assert volume == {"name": "data", "persistentVolumeClaim": {"claimName": "data-db-0"}}


def test_a_changed_stateful_set_is_renewed_from_the_highest_down(cluster: Cluster) -> None:
    before = _database(cluster, replicas=2)
    change = {"containers": [{"name": "main", "image": "app:2"}]}
    cluster.patch("statefulsets", "db", {"spec": {"template": {"spec": change}}})
    cluster.after(3)
    images = [text(objects(pod, "spec", "containers")[0], "image") for pod in cluster.pods()]
    assert images == ["app:1", "app:2"]
    cluster.after(60)
    after = cluster.get("statefulsets", "db")
    assert (integer(after, "status", "updatedReplicas"), integer(after, "status", "readyReplicas")) == (2, 2)
    assert value_at(after, "status", "currentRevision") != value_at(before, "status", "currentRevision")
