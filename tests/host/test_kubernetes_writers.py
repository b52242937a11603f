"""Two writers on one object: what is ours is taken back and said, what is not ours is left to its owner and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import kubernetes
import pytest
from kubernetes import config
from kubernetes.dynamic import DynamicClient

from functions.kubernetes_api import ownership
from infra.local.faults import Fault, Kind
from infra.local.host import LocalHost
from infra.local.kubernetes.documents import JsonObject, objects, text, value_at
from infra.local.kubernetes.resources import CLUSTER_ROLES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, Resource
from tests.host.driver import Driver, Json, stage_of

if TYPE_CHECKING:
    from pydantic import JsonValue

VOLUME = "pv.default.s3-claim"
LABEL = "instantstart/operation"


# The package leaves it without types.
connected: Callable[..., Any] = DynamicClient


@pytest.fixture
def person(session_host: LocalHost) -> Iterator[kubernetes.client.ApiClient]:
    """The client of a person with the kubeconfig of the newest cluster."""
    connect: Callable[..., Any] = config.new_client_from_config
    with connect(str(session_host.access.kubeconfig.path)) as connection:
        yield connection


def edit(person: kubernetes.client.ApiClient, manager: str, kind: str, name: str, change: Json) -> None:
    """Change an object as kubectl edit does, by a patch under the manager's name."""
    resource = connected(person).resources.get(kind=kind)
    resource.patch(name=name, body=change, content_type="application/merge-patch+json", field_manager=manager)


def apply(person: kubernetes.client.ApiClient, manager: str, document: Json) -> None:
    """Apply an object by server-side apply, by force."""
    namespace = document["metadata"].get("namespace")
    resource = connected(person).resources.get(kind=document["kind"], api_version=document["apiVersion"])
    resource.server_side_apply(body=document, namespace=namespace, field_manager=manager, force_conflicts=True)


def there(driver: Driver, resource: Resource, name: str, namespace: str = "", tag: str = "ready") -> JsonObject:
    return driver.host.world.kubernetes[f"eks-cluster-{tag}"].store.get(resource, name, namespace)


def owns(document: JsonObject, manager: str, *path: str) -> bool:
    """Whether a manager owns a field."""
    entries = [entry for entry in objects(document, "metadata", "managedFields") if entry["manager"] == manager]
    return any(value_at(entry, "fieldsV1", *(f"f:{part}" for part in path)) is not None for entry in entries)


def claim(name: str, **labels: str) -> Json:
    """A claim as somebody else may have made it."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": "theirs",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def refused(driver: Driver, path: str, body: Json) -> Json:
    """The problem of an operation that met somebody else's object."""
    operation = driver.run(path, body)
    error: Json = operation["error"]
    assert (operation["status"], error["status"], error["code"]) == ("FAILED", 409, "conflict")
    assert error["cause"]["code"] == "FieldManagerConflict"
    assert error["remedy"]
    return error


def test_a_field_of_our_object_that_a_person_edited_is_taken_back_and_the_person_can_read_it(
    driver_of_ready: Driver, person: kubernetes.client.ApiClient
) -> None:
    driver, field = driver_of_ready, ("spec", "capacity", "storage")
    edit(person, "kubectl-edit", "PersistentVolume", VOLUME, {"spec": {"capacity": {"storage": "7Gi"}}})
    assert owns(there(driver, PERSISTENT_VOLUMES, VOLUME), "kubectl-edit", *field)
    operation = driver.run("/api/clusters/ready/storage", {})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    said = stage_of(operation, "mount:s3-claim")["message"]
    # The last message of the stage: several turns lie between it and the change.
    assert said.startswith("s3-claim is bound to")
    assert f"took back .spec.capacity.storage of persistentvolumes/{VOLUME} from kubectl-edit" in said
    volume = there(driver, PERSISTENT_VOLUMES, VOLUME)
    assert text(volume, *field) == "1200Gi"
    assert (owns(volume, "kubectl-edit", *field), owns(volume, "instantstart", *field)) == (False, True)
    again = driver.run("/api/clusters/ready/storage", {})
    assert "took back" not in stage_of(again, "mount:s3-claim")["message"]


def test_each_writer_and_each_object_is_named(driver_of_ready: Driver, person: kubernetes.client.ApiClient) -> None:
    edit(person, "kubectl-edit", "PersistentVolume", VOLUME, {"spec": {"capacity": {"storage": "7Gi"}}})
    labelled = {"name": VOLUME, "labels": {LABEL: "x"}}
    apply(person, "gitops", {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": labelled})
    of_claim = {"name": "s3-claim", "namespace": "default", "labels": {LABEL: "x"}}
    apply(person, "gitops", {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": of_claim})
    operation = driver_of_ready.run("/api/clusters/ready/storage", {})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    said = stage_of(operation, "mount:s3-claim")["message"]
    assert f"took back .spec.capacity.storage of persistentvolumes/{VOLUME} from kubectl-edit" in said
    assert f"took back .metadata.labels.{LABEL} of persistentvolumes/{VOLUME} from gitops" in said
    assert f"took back .metadata.labels.{LABEL} of persistentvolumeclaims/s3-claim from gitops" in said


def test_rights_that_a_person_gave_the_operator_are_taken_back(
    driver_of_prepared: Driver, person: kubernetes.client.ApiClient
) -> None:
    everything = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
    edit(person, "kubectl-edit", "ClusterRole", "instantstart:operator", {"rules": everything})
    operation = driver_of_prepared.run("/api/clusters/base/dependencies")
    assert operation["status"] == "SUCCEEDED", operation["error"]
    said = stage_of(operation, "cluster_role:operator")["message"]
    assert "took back .rules of clusterroles/instantstart:operator from kubectl-edit" in said
    assert everything != there(driver_of_prepared, CLUSTER_ROLES, "instantstart:operator", tag="base")["rules"]


@pytest.mark.parametrize(
    "labels",
    [
        pytest.param({}, id="of nobody"),
        pytest.param({"app.kubernetes.io/managed-by": "Helm", "instantstart/cluster": "ready"}, id="of helm"),
        pytest.param(
            {"app.kubernetes.io/managed-by": "instantstart", "instantstart/cluster": "other"}, id="of another cluster"
        ),
    ],
)
def test_an_object_of_somebody_else_is_left_as_it_is_and_named_with_field_and_manager(
    driver_of_ready: Driver, person: kubernetes.client.ApiClient, labels: dict[str, str]
) -> None:
    apply(person, "someone", claim("data", **labels))
    before = there(driver_of_ready, PERSISTENT_VOLUME_CLAIMS, "data", "default")
    error = refused(driver_of_ready, "/api/clusters/ready/storage", {"name": "data"})
    assert error["cause"]["resource"] == "persistentvolumeclaims/data"
    assert "someone owns" in error["detail"]
    assert ".spec.volumeName" in error["detail"]
    assert there(driver_of_ready, PERSISTENT_VOLUME_CLAIMS, "data", "default") == before


def test_an_object_that_lost_our_label_is_no_longer_ours(
    driver_of_ready: Driver, person: kubernetes.client.ApiClient
) -> None:
    label = "instantstart/cluster"
    edit(person, "somebody", "PersistentVolume", VOLUME, {"metadata": {"labels": {label: "theirs"}}})
    error = refused(driver_of_ready, "/api/clusters/ready/storage", {})
    assert error["cause"]["resource"] == f"persistentvolumes/{VOLUME}"
    assert "somebody" in error["detail"]
    assert value_at(there(driver_of_ready, PERSISTENT_VOLUMES, VOLUME), "metadata", "labels", label) == "theirs"


@pytest.mark.parametrize("times", [(2,), (2, 4, 6)], ids=["once", "in every round"])
def test_an_object_that_changes_between_look_and_change_is_judged_anew(
    driver_of_ready: Driver, person: kubernetes.client.ApiClient, times: tuple[int, ...]
) -> None:
    edit(person, "kubectl-edit", "PersistentVolume", VOLUME, {"spec": {"capacity": {"storage": "7Gi"}}})
    changed = [
        Fault("kubernetes", "PATCH persistentvolumes", Kind.REFUSE, first, refusal=("Conflict", "it was modified"))
        for first in times
    ]
    operation = driver_of_ready.failing("/api/clusters/ready/storage", {}, *changed)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert "took back" in stage_of(operation, "mount:s3-claim")["message"]


def test_an_object_that_passes_to_somebody_else_between_look_and_change_is_not_overwritten(
    driver_of_ready: Driver, person: kubernetes.client.ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, label = ownership.is_ours, "instantstart/cluster"

    def judged(found: Mapping[str, JsonValue], manifest: Mapping[str, JsonValue]) -> bool:
        ours = judge(found, manifest)
        if ours:
            edit(person, "somebody", "PersistentVolume", VOLUME, {"metadata": {"labels": {label: "theirs"}}})
        return ours

    edit(person, "kubectl-edit", "PersistentVolume", VOLUME, {"spec": {"capacity": {"storage": "7Gi"}}})
    monkeypatch.setattr(ownership, "is_ours", judged)
    error = refused(driver_of_ready, "/api/clusters/ready/storage", {})
    assert "somebody owns" in error["detail"]
    volume = there(driver_of_ready, PERSISTENT_VOLUMES, VOLUME)
    assert text(volume, "spec", "capacity", "storage") == "7Gi"
    assert value_at(volume, "metadata", "labels", label) == "theirs"
