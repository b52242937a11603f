"""Writing and reading objects: identity, versions, patches, immutability, field validation."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import JSON_PATCH, MERGE, STRATEGIC, Space


def test_the_server_gives_identity(space: Space) -> None:
    created = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    assert all(value_at(created, "metadata", key) for key in ("uid", "creationTimestamp", "resourceVersion"))


def test_a_name_is_free_once(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    status = space.cluster.refused("POST", space.path("configmaps"), valid.config_map("a"))
    assert (status["code"], status["reason"]) == (409, "AlreadyExists")


def test_a_generated_name_has_its_prefix(space: Space) -> None:
    created = space.cluster.ask("POST", space.path("configmaps"), {"metadata": {"generateName": "run-"}})
    assert name_of(created).startswith("run-")
    assert len(name_of(created)) == 9


def test_a_new_object_names_no_version(space: Space) -> None:
    document = {**valid.config_map("a"), "metadata": {"name": "a", "resourceVersion": "1"}}
    assert space.cluster.refused("POST", space.path("configmaps"), document)["code"] == 400


def test_a_stale_replacement_conflicts(space: Space) -> None:
    first = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    path = space.path("configmaps", "a")
    space.cluster.ask("PUT", path, {**first, "data": {"x": "1"}})
    status = space.cluster.refused("PUT", path, {**first, "data": {"x": "2"}})
    assert (status["code"], status["reason"]) == (409, "Conflict")


def test_a_replacement_without_a_version_wins(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    replaced = space.cluster.ask("PUT", space.path("configmaps", "a"), valid.config_map("a", x="1"))
    assert replaced["data"] == {"x": "1"}


def test_a_replacement_with_another_uid_conflicts(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    other = {**valid.config_map("a"), "metadata": {"name": "a", "uid": "00000000-0000-0000-0000-000000000000"}}
    assert space.cluster.refused("PUT", space.path("configmaps", "a"), other)["code"] == 409


def test_a_name_in_the_body_matches_the_url(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"))
    assert space.cluster.refused("PUT", space.path("configmaps", "a"), valid.config_map("b"))["code"] == 400


def test_a_missing_object_is_not_found(space: Space) -> None:
    status = space.cluster.refused("GET", space.path("pods", "ghost"))
    assert (status["code"], text(status, "message")) == (404, 'pods "ghost" not found')


def test_nothing_is_created_in_a_missing_namespace(space: Space) -> None:
    status = space.cluster.refused("POST", "/api/v1/namespaces/ghost-ns/configmaps", valid.config_map("a"))
    assert (status["code"], text(status, "message")) == (404, 'namespaces "ghost-ns" not found')


def test_null_in_a_merge_patch_removes(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", x="1", y="2"))
    patched = space.cluster.ask("PATCH", space.path("configmaps", "a"), {"data": {"x": None}}, MERGE)
    assert patched["data"] == {"y": "2"}


def test_a_failed_test_stops_a_json_patch(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", x="1"))
    patch = [{"op": "test", "path": "/data/x", "value": "2"}, {"op": "remove", "path": "/data/x"}]
    assert space.cluster.refused("PATCH", space.path("configmaps", "a"), patch, JSON_PATCH)["code"] == 422


def test_a_strategic_patch_merges_containers(space: Space) -> None:
    space.cluster.ask("POST", space.path("deployments", group="apps/v1"), valid.deployment("d"))
    patch = {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "registry.example/app:2"}]}}}}
    path = space.path("deployments", "d", group="apps/v1")
    (container,) = objects(space.cluster.ask("PATCH", path, patch, STRATEGIC), "spec", "template", "spec", "containers")
    assert (container["image"], container["name"]) == ("registry.example/app:2", "main")


def test_a_dry_run_stores_nothing(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a"), dryRun="All")
    assert space.cluster.refused("GET", space.path("configmaps", "a"))["code"] == 404


def test_an_unchanged_write_keeps_the_version(space: Space) -> None:
    created = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", x="1"))
    patched = space.cluster.ask("PATCH", space.path("configmaps", "a"), {"data": {"x": "1"}}, MERGE)
    assert value_at(patched, "metadata", "resourceVersion") == value_at(created, "metadata", "resourceVersion")


def test_strict_validation_refuses_an_unknown_field(space: Space) -> None:
    path = space.path("deployments", group="apps/v1")
    status = space.cluster.refused("POST", path, valid.deployment("d", replica=1), fieldValidation="Strict")
    assert (status["code"], status["reason"]) == (400, "BadRequest")
    assert 'strict decoding error: unknown field "spec.replica"' in text(status, "message")


def test_strict_validation_refuses_a_duplicate_field(space: Space) -> None:
    body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"b"}}'
    status = space.cluster.refused("POST", space.path("configmaps"), body, fieldValidation="Strict")
    assert 'duplicate field "metadata.name"' in text(status, "message")


def test_an_unknown_field_is_warned_of(space: Space) -> None:
    path = space.path("deployments", group="apps/v1")
    answer = space.cluster.call("POST", path, valid.deployment("d", replica=1), fieldValidation="Warn")
    assert answer.status == 201
    assert answer.headers["warning"] == '299 - "unknown field \\"spec.replica\\""'


def test_ignored_unknown_fields_are_dropped_in_silence(space: Space) -> None:
    path = space.path("deployments", group="apps/v1")
    answer = space.cluster.call("POST", path, valid.deployment("d", replica=1), fieldValidation="Ignore")
    assert "warning" not in answer.headers
    assert "replica" not in mapping(answer.document, "spec")


def test_containers_get_their_defaults(space: Space) -> None:
    created = space.cluster.ask(
        "POST", space.path("pods"), valid.pod("p", valid.container(ports=[{"containerPort": 1}]))
    )
    (container,) = objects(created, "spec", "containers")
    assert (container["imagePullPolicy"], container["terminationMessagePolicy"]) == ("IfNotPresent", "File")
    assert objects(container, "ports") == [{"containerPort": 1, "protocol": "TCP"}]
    assert (value_at(created, "spec", "restartPolicy"), value_at(created, "spec", "dnsPolicy")) == (
        "Always",
        "ClusterFirst",
    )


def test_limits_become_requests(space: Space) -> None:
    created = space.cluster.ask(
        "POST", space.path("pods"), valid.pod("p", valid.container(resources={"limits": {"cpu": "1"}}))
    )
    (container,) = objects(created, "spec", "containers")
    assert value_at(container, "resources", "requests", "cpu") == "1"


Change = tuple[str, str, JsonObject, JsonObject, str]
IMMUTABLE: dict[str, Change] = {
    "a deployment's selector": (
        "deployments", "apps/v1", valid.deployment("d"),
        {"spec": {"selector": {"matchLabels": {"app": "x"}}, "template": {"metadata": {"labels": {"app": "x"}}}}},
        "field is immutable"),
    "a job's template": (
        "jobs", "batch/v1", valid.job("d"),
        {"spec": {"template": {"spec": {"activeDeadlineSeconds": 9}}}}, "field is immutable"),
    "a pod's command": (
        "pods", "v1", valid.pod("d"), {"spec": {"hostname": "other"}}, "pod updates may not change fields other than"),
    "a claim's access modes": (
        "persistentvolumeclaims", "v1", valid.claim("d"), {"spec": {"accessModes": ["ReadWriteOnce"]}},
        "spec is immutable after creation"),
    "a service's address": (
        "services", "v1", valid.service("d"), {"spec": {"clusterIP": "10.255.255.250"}}, "may not change once set"),
    "a secret's type": ("secrets", "v1", valid.secret("d"), {"type": "other/type"}, "field is immutable"),
    "an immutable config map": (
        "configmaps", "v1", {**valid.config_map("d", x="1"), "immutable": True}, {"data": {"x": "2"}},
        "field is immutable when `immutable` is set"),
    "a binding's role": (
        "rolebindings", "rbac.authorization.k8s.io/v1", {**valid.binding(), "metadata": {"name": "d"}},
        {"roleRef": {"name": "other"}}, "cannot change roleRef"),
}  # fmt: skip


@pytest.mark.parametrize("what", IMMUTABLE)
def test_what_never_changes(space: Space, what: str) -> None:
    plural, group, document, patch, message = IMMUTABLE[what]
    group = "" if group == "v1" else group
    space.cluster.ask("POST", space.path(plural, group=group), document)
    status = space.cluster.refused("PATCH", space.path(plural, "d", group=group), patch, MERGE)
    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert message in text(status, "message")
