"""ReplicaSets and Deployments: pods, rollouts and what their status says."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import integer, name_of, objects, string_map, text, value_at
from tests.conformance.contract.controllers.driver import (
    Cluster,
    condition,
    labels,
    phase,
    pod_spec,
    template,
    workload,
)

REVISION = "deployment.kubernetes.io/revision"


@pytest.fixture
def web(cluster: Cluster) -> Cluster:
    """A Deployment of four pods that has rolled out."""
    cluster.node()
    cluster.create("deployments", "web", workload(replicas=4))
    cluster.after(10)
    return cluster


def _change(cluster: Cluster, image: str = "app:2", **spec: object) -> None:
    change = {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}, **spec}
    cluster.patch("deployments", "web", {"spec": change})


def _images(cluster: Cluster) -> list[str]:
    return sorted(text(objects(pod, "spec", "containers")[0], "image") for pod in cluster.pods())


def test_a_replica_set_creates_pods_that_it_controls(cluster: Cluster) -> None:
    cluster.create("replicasets", "web", workload(replicas=2))
    owner = cluster.get("replicasets", "web")
    for pod in cluster.pods():
        (reference,) = objects(pod, "metadata", "ownerReferences")
        assert name_of(pod).startswith("web-") and len(name_of(pod)) == len("web-") + 5
        assert text(pod, "metadata", "generateName") == "web-"
        assert (reference["kind"], reference["controller"], reference["blockOwnerDeletion"]) == (
            "ReplicaSet",
            True,
            True,
        )
        assert reference["uid"] == value_at(owner, "metadata", "uid")
    assert len(cluster.pods()) == 2


def test_a_replica_set_replaces_a_deleted_pod(cluster: Cluster) -> None:
    cluster.create("replicasets", "web", workload(replicas=1))
    (gone,) = cluster.pods()
    cluster.delete("pods", name_of(gone))
    (pod,) = cluster.pods()
    assert name_of(pod) != name_of(gone)
    assert integer(cluster.get("replicasets", "web"), "status", "replicas") == 1


def test_a_replica_set_adopts_matching_orphans_and_lets_relabelled_pods_go(cluster: Cluster) -> None:
    cluster.create("pods", "orphan", pod_spec(), metadata={"labels": {"app": "web"}})
    cluster.create("replicasets", "web", workload(replicas=1))
    assert [name_of(pod) for pod in cluster.pods()] == ["orphan"]
    cluster.patch("pods", "orphan", {"metadata": {"labels": {"app": "other"}}})
    cluster.get("replicasets", "web")
    assert objects(cluster.get("pods", "orphan"), "metadata", "ownerReferences") == []
    assert len(cluster.pods()) == 2


def test_scaling_down_ends_pending_pods_first(cluster: Cluster) -> None:
    cluster.node(cpu=2)
    cluster.create("replicasets", "web", workload(template=template(requests={"cpu": "1"}), replicas=3))
    cluster.after(10)
    cluster.patch("replicasets", "web", {"spec": {"replicas": 1}})
    cluster.after(40)
    assert [phase(pod) for pod in cluster.pods()] == ["Running"]


def test_a_missing_service_account_keeps_pods_from_being_created_until_it_exists(cluster: Cluster) -> None:
    cluster.create("replicasets", "web", workload(template=template(serviceAccountName="runner"), replicas=1))
    assert cluster.pods() == []
    assert 'serviceaccount "runner" not found' in cluster.messages("web", "FailedCreate")[0]
    assert condition(cluster.get("replicasets", "web"), "ReplicaFailure")["status"] == "True"
    cluster.create("serviceaccounts", "runner")
    assert len(cluster.pods()) == 1


def test_a_deployment_owns_a_replica_set_named_after_its_template_hash(cluster: Cluster) -> None:
    cluster.create("deployments", "web", workload(replicas=1))
    (replica_set,) = cluster.list_all("replicasets")
    template_hash = labels(replica_set)["pod-template-hash"]
    assert name_of(replica_set) == f"web-{template_hash}"
    assert value_at(replica_set, "spec", "selector", "matchLabels") == {
        "app": "web",
        "pod-template-hash": template_hash,
    }
    assert [labels(pod)["pod-template-hash"] for pod in cluster.pods()] == [template_hash]
    assert cluster.messages("web", "ScalingReplicaSet") == [f"Scaled up replica set web-{template_hash} from 0 to 1"]


def test_a_complete_rollout_is_available_and_has_progressed(web: Cluster) -> None:
    deployment = web.get("deployments", "web")
    counts = {key: value_at(deployment, "status", key) for key in ("replicas", "updatedReplicas", "availableReplicas")}
    assert counts == {"replicas": 4, "updatedReplicas": 4, "availableReplicas": 4}
    assert value_at(deployment, "status", "observedGeneration") == value_at(deployment, "metadata", "generation")
    assert condition(deployment, "Available")["reason"] == "MinimumReplicasAvailable"
    assert condition(deployment, "Progressing")["reason"] == "NewReplicaSetAvailable"
    assert string_map(deployment, "metadata", "annotations")[REVISION] == "1"


def test_a_rolling_update_keeps_enough_pods_available_and_not_too_many(web: Cluster) -> None:
    _change(web, strategy={"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})
    for _ in range(60):
        web.after(1)
        deployment = web.get("deployments", "web")
        assert integer(deployment, "status", "availableReplicas") >= 4
        assert integer(deployment, "status", "replicas") <= 5
    web.after(60)
    assert _images(web) == ["app:2"] * 4


def test_a_change_of_the_template_is_a_new_revision_and_keeps_the_old_replica_set(web: Cluster) -> None:
    _change(web)
    web.after(60)
    sizes = {string_map(rs, "metadata", "annotations")[REVISION]: value_at(rs, "spec", "replicas")
             for rs in web.list_all("replicasets")}  # fmt: skip
    assert sizes == {"1": 0, "2": 4}


def test_going_back_to_an_old_template_reuses_its_replica_set_as_the_latest_revision(web: Cluster) -> None:
    _change(web)
    web.after(60)
    _change(web, "app:1")
    web.after(60)
    sizes = {string_map(rs, "metadata", "annotations")[REVISION]: value_at(rs, "spec", "replicas")
             for rs in web.list_all("replicasets")}  # fmt: skip
    assert sizes == {"2": 0, "3": 4}
    assert string_map(web.get("deployments", "web"), "metadata", "annotations")[REVISION] == "3"


def test_recreate_ends_every_old_pod_before_it_starts_new_ones(web: Cluster) -> None:
    _change(web, strategy={"type": "Recreate", "rollingUpdate": None})
    for _ in range(20):
        web.after(1)
        assert len(set(_images(web))) <= 1
    web.after(60)
    assert _images(web) == ["app:2"] * 4


def test_a_broken_template_stops_the_rollout_and_runs_into_the_progress_deadline(web: Cluster) -> None:
    _change(web, "NOT an image", progressDeadlineSeconds=60)
    web.after(120)
    deployment = web.get("deployments", "web")
    assert integer(deployment, "status", "availableReplicas") >= 3
    assert condition(deployment, "Progressing")["reason"] == "ProgressDeadlineExceeded"
    assert condition(deployment, "Progressing")["status"] == "False"


def test_a_paused_deployment_scales_but_does_not_roll_out(web: Cluster) -> None:
    _change(web, paused=True, replicas=5)
    web.after(60)
    assert _images(web) == ["app:1"] * 5


def test_old_replica_sets_beyond_the_history_limit_are_deleted(web: Cluster) -> None:
    for number in range(2, 6):
        _change(web, f"app:{number}", revisionHistoryLimit=1)
        web.after(60)
    assert len(web.list_all("replicasets")) == 2


def test_pods_count_as_available_only_after_min_ready_seconds(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("deployments", "web", workload(replicas=1, minReadySeconds=30))
    cluster.after(10)
    status = cluster.get("deployments", "web")["status"]
    assert (integer(status, "readyReplicas"), integer(status, "availableReplicas")) == (1, 0)
    cluster.after(30)
    assert integer(cluster.get("deployments", "web"), "status", "availableReplicas") == 1
