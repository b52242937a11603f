"""The simulated API server, request by request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, text, value_at
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.resources import CONFIG_MAPS, NAMESPACES, PODS
from infra.local.messages import HttpRequest, HttpResponse

CONFIG_MAP_LIST = "/api/v1/namespaces/default/configmaps"
PODS_PATH = "/api/v1/namespaces/default/pods"
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/web"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE, STRATEGIC, JSON_PATCH, APPLY = (
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
)


@dataclass
class Clock:
    moment: datetime = datetime(2030, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment


@dataclass
class Caller:
    """Sends requests with a good token."""

    clock: Clock = field(default_factory=Clock)
    settled: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.api = KubernetesApi("1.34", self.clock.now, _identify, lambda: self.settled.append("settled"))

    def send(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None, **query: str
    ) -> HttpResponse:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"authorization": "Bearer good", **(headers or {})}
        return self.api.handle(HttpRequest(method, path, urlencode(query), sent, raw))

    def ask(self, method: str, path: str, body: object = None, content_type: str = "", **query: str) -> JsonObject:
        """The answer's document, which must not be a failure."""
        headers = {"content-type": content_type} if content_type else {}
        response = self.send(method, path, body, headers, **query)
        assert response.status < 300, response.body
        return mapping(json.loads(response.body))

    def refused(self, method: str, path: str, body: object = None, content_type: str = "", **query: str) -> JsonObject:
        """The Status of an answer that must be a failure."""
        headers = {"content-type": content_type} if content_type else {}
        response = self.send(method, path, body, headers, **query)
        status = mapping(json.loads(response.body))
        assert (status["kind"], status["status"], status["code"]) == ("Status", "Failure", response.status)
        return status


def _identify(token: str | None) -> Identity | None:
    return Identity("tester", ("operators",)) if token == "good" else None


@pytest.fixture
def caller() -> Caller:
    return Caller()


def _config_map(name: str, **data: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def _deployment(*containers: str) -> JsonObject:
    listed = [{"name": name, "image": f"{name}:1"} for name in containers]
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": listed}}
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def _pod(name: str) -> JsonObject:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "main", "image": "app"}]}}


def _definition(scope: str = "Namespaced") -> JsonObject:
    versions = [{"name": "v1beta1", "served": True, "storage": False, "subresources": {"status": {}}},
                {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}}}]  # fmt: skip
    names = {"plural": "rayjobs", "kind": "RayJob", "shortNames": ["rj"]}
    spec = {"group": "ray.io", "scope": scope, "names": names, "versions": versions}
    return {"metadata": {"name": "rayjobs.ray.io"}, "spec": spec}


def _names(listed: JsonObject) -> list[str]:
    return [name_of(item) for item in objects(listed, "items")]


def _events(response: HttpResponse, count: int) -> list[tuple[str, str]]:
    assert response.chunks is not None
    lines = (json.loads(chunk) for chunk in response.chunks if chunk)
    found = [next(lines) for _ in range(count)]
    return [(event["type"], name_of(event["object"])) for event in found]


def test_a_request_without_a_known_token_is_unauthorized(caller: Caller) -> None:
    response = caller.api.handle(HttpRequest("GET", "/api/v1/nodes"))
    assert response.status == 401
    assert json.loads(response.body)["reason"] == "Unauthorized"


def test_the_host_settles_before_each_request(caller: Caller) -> None:
    caller.ask("GET", "/version")
    caller.ask("GET", "/api/v1/nodes")
    assert caller.settled == ["settled", "settled"]


def test_a_new_object_gets_its_identity_from_the_server(caller: Caller) -> None:
    sent = _config_map("a")
    sent["metadata"] = {"name": "a", "uid": "mine", "resourceVersion": ""}
    created = mapping(caller.ask("POST", CONFIG_MAP_LIST, sent), "metadata")
    assert created["uid"] != "mine"
    assert created["creationTimestamp"] == "2030-01-01T00:00:00Z"
    assert created["namespace"] == "default"
    assert caller.ask("GET", f"{CONFIG_MAP_LIST}/a")["metadata"] == created


def test_names_are_unique_per_namespace(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    caller.ask("POST", "/api/v1/namespaces/kube-system/configmaps", _config_map("a"))
    status = caller.refused("POST", CONFIG_MAP_LIST, _config_map("a"))
    assert (status["reason"], status["message"]) == ("AlreadyExists", 'configmaps "a" already exists')


def test_missing_things_are_named_as_kubernetes_names_them(caller: Caller) -> None:
    assert caller.refused("GET", f"{PODS_PATH}/x")["message"] == 'pods "x" not found'
    assert caller.refused("GET", DEPLOYMENT)["message"] == 'deployments.apps "web" not found'
    nowhere = caller.refused("POST", "/api/v1/namespaces/nowhere/configmaps", _config_map("a"))
    assert (nowhere["code"], nowhere["message"]) == (404, 'namespaces "nowhere" not found')
    assert caller.refused("GET", "/apis/ray.io/v1/rayjobs")["message"] == (
        "the server could not find the requested resource"
    )


def test_generated_names_differ(caller: Caller) -> None:
    sent: JsonObject = {"metadata": {"generateName": "run-"}}
    first, second = (name_of(caller.ask("POST", CONFIG_MAP_LIST, sent)) for _ in range(2))
    assert first != second
    assert first.startswith("run-")


@pytest.mark.parametrize(
    ("path", "document", "field", "rule"),
    [
        (CONFIG_MAP_LIST, {"metadata": {"name": "Bad_Name"}}, "metadata.name", "a lowercase RFC 1123 subdomain must"),
        (CONFIG_MAP_LIST, {"metadata": {}}, "metadata.name", "Required value: name or generateName is required"),
        (CONFIG_MAP_LIST, {"metadata": {"name": "a", "labels": {"k": "a b"}}}, "metadata.labels", "a valid label must"),
        (CONFIG_MAP_LIST, {"metadata": {"name": "a", "labels": {"-k": "a"}}}, "metadata.labels", "name part must"),
        ("/api/v1/namespaces", {"metadata": {"name": "n" * 64}}, "metadata.name", "must be no more than 63"),
        ("/api/v1/namespaces/default/services", {"metadata": {"name": "1a"}}, "metadata.name", "a DNS-1035 label must"),
        (DEFINITIONS, {**_definition(), "metadata": {"name": "wrong"}}, "metadata.name", "must be spec.names.plural"),
    ],
)
def test_a_bad_name_or_label_is_invalid_with_its_cause(
    caller: Caller, path: str, document: JsonObject, field: str, rule: str
) -> None:
    status = caller.refused("POST", path, document)
    (cause,) = objects(status, "details", "causes")
    assert (status["code"], status["reason"], cause["field"]) == (422, "Invalid", field)
    assert rule in text(cause, "message")


def test_a_put_with_a_stale_version_conflicts(caller: Caller) -> None:
    first = caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    caller.ask("PUT", f"{CONFIG_MAP_LIST}/a", {**first, "data": {"k": "1"}})
    status = caller.refused("PUT", f"{CONFIG_MAP_LIST}/a", {**first, "data": {"k": "2"}})
    assert (status["code"], status["reason"]) == (409, "Conflict")
    assert "the object has been modified" in text(status, "message")


def test_a_generation_counts_changes_of_the_spec_only(caller: Caller) -> None:
    caller.ask("POST", DEPLOYMENT.removesuffix("/web"), _deployment("a"))
    labelled = caller.ask("PATCH", DEPLOYMENT, {"metadata": {"labels": {"a": "b"}}}, MERGE)
    scaled = caller.ask("PATCH", DEPLOYMENT, {"spec": {"replicas": 3}}, MERGE)
    reported = caller.ask("PATCH", f"{DEPLOYMENT}/status", {"status": {"readyReplicas": 1}}, MERGE)
    assert [value_at(answer, "metadata", "generation") for answer in (labelled, scaled, reported)] == [1, 2, 2]


def test_status_and_spec_are_written_through_their_own_doors(caller: Caller) -> None:
    caller.ask("POST", DEPLOYMENT.removesuffix("/web"), {**_deployment("a"), "status": {"readyReplicas": 9}})
    both = {"spec": {"replicas": 4}, "status": {"readyReplicas": 2}}
    after_spec = caller.ask("PATCH", DEPLOYMENT, both, MERGE)
    after_status = caller.ask("PATCH", f"{DEPLOYMENT}/status", {**both, "spec": {"replicas": 7}}, MERGE)
    assert "status" not in after_spec
    assert value_at(after_status, "spec", "replicas") == 4
    assert value_at(after_status, "status", "readyReplicas") == 2


def test_the_scale_of_a_deployment_is_read_and_set(caller: Caller) -> None:
    caller.ask("POST", DEPLOYMENT.removesuffix("/web"), _deployment("a"))
    scale = caller.ask("GET", f"{DEPLOYMENT}/scale")
    assert (scale["kind"], value_at(scale, "spec", "replicas")) == ("Scale", 1)
    caller.ask("PUT", f"{DEPLOYMENT}/scale", {**scale, "spec": {"replicas": 6}})
    assert value_at(caller.ask("GET", DEPLOYMENT), "spec", "replicas") == 6
    assert caller.refused("PATCH", f"{DEPLOYMENT}/scale", {"spec": {"replicas": -1}}, MERGE)["reason"] == "Invalid"


def test_a_strategic_patch_of_a_custom_resource_is_not_accepted(caller: Caller) -> None:
    caller.ask("POST", DEFINITIONS, _definition())
    jobs = "/apis/ray.io/v1/namespaces/default/rayjobs"
    caller.ask("POST", jobs, {"metadata": {"name": "a"}, "spec": {}})
    assert caller.refused("PATCH", f"{jobs}/a", {"spec": {"x": 1}}, STRATEGIC)["code"] == 415
    assert caller.ask("PATCH", f"{jobs}/a", {"spec": {"x": 1}}, MERGE)["spec"] == {"x": 1}


def test_a_json_patch_that_does_not_fit_is_invalid(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a", k="1"))
    failed_test = [{"op": "test", "path": "/data/k", "value": "2"}]
    assert caller.refused("PATCH", f"{CONFIG_MAP_LIST}/a", failed_test, JSON_PATCH)["code"] == 422
    assert caller.refused("PATCH", f"{CONFIG_MAP_LIST}/a", {"op": "add"}, JSON_PATCH)["code"] == 400


def test_server_side_apply_creates_then_merges_and_records_its_manager(caller: Caller) -> None:
    created = caller.send("PATCH", DEPLOYMENT, _deployment("a"), {"content-type": APPLY}, fieldManager="one")
    again = caller.send("PATCH", DEPLOYMENT, _deployment("a"), {"content-type": APPLY}, fieldManager="one")
    other = caller.ask("PATCH", DEPLOYMENT, _deployment("b"), APPLY, fieldManager="two")
    assert (created.status, again.status) == (201, 200)
    assert json.loads(created.body)["metadata"] == json.loads(again.body)["metadata"]
    containers = objects(other, "spec", "template", "spec", "containers")
    assert [container["name"] for container in containers] == ["a", "b"]
    assert [entry["manager"] for entry in objects(other, "metadata", "managedFields")] == ["one", "two"]


def test_server_side_apply_reads_yaml_and_needs_a_manager(caller: Caller) -> None:
    yaml = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {day: 2030-01-01}\n"
    applied = caller.ask("PATCH", f"{CONFIG_MAP_LIST}/a", yaml, APPLY, fieldManager="me")
    assert applied["data"] == {"day": "2030-01-01"}
    assert caller.refused("PATCH", f"{CONFIG_MAP_LIST}/a", yaml, APPLY)["code"] == 422


def test_bodies_that_do_not_belong_to_the_url_are_bad_requests(caller: Caller) -> None:
    for document in (
        {"kind": "Secret", "metadata": {"name": "a"}},
        {"apiVersion": "v2", "metadata": {"name": "a"}},
        {"metadata": {"name": "a", "namespace": "other"}},
        ["a list"],
    ):
        assert caller.refused("POST", CONFIG_MAP_LIST, document)["code"] == 400
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    assert caller.refused("PUT", f"{CONFIG_MAP_LIST}/a", _config_map("b"))["code"] == 400
    assert caller.refused("POST", CONFIG_MAP_LIST, b"{")["code"] == 400


def test_protobuf_is_an_unsupported_media_type(caller: Caller) -> None:
    status = caller.refused("POST", CONFIG_MAP_LIST, b"k8s\x00", "application/vnd.kubernetes.protobuf")
    assert (status["code"], status["reason"]) == (415, "UnsupportedMediaType")


def test_verbs_that_a_resource_lacks_are_not_allowed(caller: Caller) -> None:
    assert caller.refused("POST", "/api/v1/configmaps", _config_map("a"))["code"] == 405
    assert caller.refused("POST", f"{CONFIG_MAP_LIST}/a", _config_map("a"))["code"] == 405
    assert caller.refused("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")["code"] == 405


def test_lists_are_selected_by_labels_and_fields(caller: Caller) -> None:
    for name, labels in (("a", {"app": "x", "tier": "1"}), ("b", {"app": "y"}), ("c", {})):
        caller.ask("POST", PODS_PATH, {**_pod(name), "metadata": {"name": name, "labels": labels}})
    expected = {
        "app=x": ["a"], "app!=x": ["b", "c"], "app in (x, y)": ["a", "b"], "app notin (x)": ["b", "c"],
        "app": ["a", "b"], "!app": ["c"], "app=x,tier==2": [], "app in (x,y),!tier": ["b"],
    }  # fmt: skip
    found = {selector: _names(caller.ask("GET", PODS_PATH, labelSelector=selector)) for selector in expected}
    assert found == expected
    assert _names(caller.ask("GET", "/api/v1/pods", fieldSelector="metadata.name!=a,status.phase=Pending")) == [
        "b",
        "c",
    ]
    assert caller.refused("GET", PODS_PATH, labelSelector="a b")["code"] == 400


def test_a_list_is_read_in_pages(caller: Caller) -> None:
    for name in "abcde":
        caller.ask("POST", CONFIG_MAP_LIST, _config_map(name))
    pages: list[list[str]] = []
    token = ""
    while not pages or token:
        answer = caller.ask("GET", CONFIG_MAP_LIST, limit="2", **{"continue": token})
        pages.append(_names(answer))
        token = text(answer, "metadata", "continue")
    assert pages == [["a", "b"], ["c", "d"], ["e"]]
    assert caller.refused("GET", CONFIG_MAP_LIST, limit="2", **{"continue": "?"})["code"] == 400


def test_a_deleted_object_is_gone_and_a_held_one_waits_for_its_finalizers(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("plain"))
    assert caller.ask("DELETE", f"{CONFIG_MAP_LIST}/plain")["status"] == "Success"
    assert caller.refused("GET", f"{CONFIG_MAP_LIST}/plain")["code"] == 404
    held: JsonObject = {"metadata": {"name": "held", "finalizers": ["example.com/hold"]}}
    caller.ask("POST", CONFIG_MAP_LIST, held)
    assert text(caller.ask("DELETE", f"{CONFIG_MAP_LIST}/held"), "metadata", "deletionTimestamp")
    caller.ask("PATCH", f"{CONFIG_MAP_LIST}/held", {"metadata": {"finalizers": None}}, MERGE)
    assert caller.refused("GET", f"{CONFIG_MAP_LIST}/held")["code"] == 404


def test_a_delete_with_another_uid_conflicts(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    options = {"preconditions": {"uid": "another"}}
    assert caller.refused("DELETE", f"{CONFIG_MAP_LIST}/a", options)["code"] == 409


def test_a_collection_is_deleted_by_selector(caller: Caller) -> None:
    for name in ("a", "b"):
        caller.ask("POST", CONFIG_MAP_LIST, {"metadata": {"name": name, "labels": {"is": name}}})
    caller.ask("DELETE", CONFIG_MAP_LIST, labelSelector="is=a")
    assert _names(caller.ask("GET", CONFIG_MAP_LIST)) == ["b"]


def test_a_namespace_takes_its_objects_with_it(caller: Caller) -> None:
    caller.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "team"}})
    caller.ask("POST", "/api/v1/namespaces/team/configmaps", _config_map("a"))
    assert _names(caller.ask("GET", "/api/v1/namespaces/team/serviceaccounts")) == ["default"]
    caller.ask("DELETE", "/api/v1/namespaces/team")
    assert _names(caller.ask("GET", "/api/v1/configmaps")) == []
    assert caller.api.store.find(NAMESPACES, "team") is None


def test_a_dry_run_answers_but_stores_nothing(caller: Caller) -> None:
    answer = caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"), dryRun="All")
    assert text(answer, "metadata", "uid")
    assert caller.refused("GET", f"{CONFIG_MAP_LIST}/a")["code"] == 404


def test_a_definition_serves_its_versions_until_it_is_deleted(caller: Caller) -> None:
    created = caller.ask("POST", DEFINITIONS, _definition())
    assert {c["type"]: c["status"] for c in objects(created, "status", "conditions")}["Established"] == "True"
    jobs = "/apis/ray.io/{}/namespaces/default/rayjobs"
    caller.ask("POST", jobs.format("v1"), {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "a"}})
    older = caller.ask("GET", jobs.format("v1beta1") + "/a")
    assert older["apiVersion"] == "ray.io/v1beta1"
    assert caller.ask("GET", "/apis/ray.io")["preferredVersion"] == {"groupVersion": "ray.io/v1", "version": "v1"}
    caller.ask("DELETE", f"{DEFINITIONS}/rayjobs.ray.io")
    assert caller.refused("GET", jobs.format("v1"))["code"] == 404
    caller.ask("POST", DEFINITIONS, _definition())
    assert _names(caller.ask("GET", jobs.format("v1"))) == []


def test_discovery_lists_resources_with_their_subresources(caller: Caller) -> None:
    listed = objects(caller.ask("GET", "/apis/apps/v1"), "resources")
    assert {"deployments", "deployments/scale", "deployments/status"} <= {text(entry, "name") for entry in listed}
    assert caller.ask("GET", "/version")["gitVersion"] == "v1.34.0-eks-local"
    paths = mapping(caller.ask("GET", "/openapi/v3"), "paths")
    document = caller.ask("GET", text(paths, "apis/apps/v1", "serverRelativeURL"))
    assert "/apis/apps/v1/namespaces/{namespace}/deployments/{name}" in mapping(document, "paths")
    assert caller.refused("GET", "/openapi/v2")["code"] == 404


def test_a_watch_from_nothing_starts_with_what_exists(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="true", timeoutSeconds="5")
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("b"))
    caller.ask("POST", "/api/v1/namespaces/kube-system/configmaps", _config_map("elsewhere"))
    caller.ask("DELETE", f"{CONFIG_MAP_LIST}/a")
    assert _events(stream, 3) == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]


def test_a_watch_from_a_version_replays_only_what_came_after(caller: Caller) -> None:
    version = text(caller.ask("POST", CONFIG_MAP_LIST, _config_map("a")), "metadata", "resourceVersion")
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("b"))
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="1", resourceVersion=version, timeoutSeconds="5")
    assert _events(stream, 1) == [("ADDED", "b")]


def test_a_watched_object_that_leaves_the_selection_is_deleted_for_the_watcher(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, {"metadata": {"name": "a", "labels": {"in": "yes"}}})
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="true", labelSelector="in=yes", timeoutSeconds="5")
    caller.ask("PATCH", f"{CONFIG_MAP_LIST}/a", {"metadata": {"labels": {"in": "no"}}}, MERGE)
    assert _events(stream, 2) == [("ADDED", "a"), ("DELETED", "a")]


def test_a_watch_that_asks_for_initial_events_is_told_where_they_end(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a"))
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="true", sendInitialEvents="true", timeoutSeconds="5")
    assert _events(stream, 2) == [("ADDED", "a"), ("BOOKMARK", "")]


def test_open_watches_end_when_the_cluster_closes(caller: Caller) -> None:
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="true")
    caller.api.close()
    assert stream.chunks is not None
    assert list(stream.chunks) == []


def test_a_watcher_lists_again_after_the_store_was_restored(caller: Caller) -> None:
    snapshot = caller.api.store.snapshot()
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("later"))
    stream = caller.send("GET", CONFIG_MAP_LIST, watch="true", resourceVersion="1", timeoutSeconds="5")
    caller.api.store.restore(snapshot)
    assert stream.chunks is not None
    (event,) = [json.loads(chunk) for chunk in stream.chunks]
    assert (event["type"], event["object"]["code"]) == ("ERROR", 410)
    assert caller.api.store.find(CONFIG_MAPS, "later", "default") is None


def test_pod_logs_are_plain_text_and_empty_by_default(caller: Caller) -> None:
    caller.api.store.create(PODS, {**_pod("a"), "metadata": {"name": "a", "namespace": "default"}})
    assert caller.send("GET", f"{PODS_PATH}/a/log").body == b""
    caller.api.logs["default", "a"] = ["one", "two"]
    assert caller.send("GET", f"{PODS_PATH}/a/log").body == b"one\ntwo\n"
    assert caller.send("GET", f"{PODS_PATH}/a/log", tailLines="1").body == b"two\n"
    assert caller.refused("GET", f"{PODS_PATH}/b/log")["code"] == 404


def test_both_event_groups_show_the_same_events(caller: Caller) -> None:
    event = {"metadata": {"name": "e"}, "regarding": {"name": "x"}, "note": "hello", "reason": "Said"}
    caller.ask("POST", "/apis/events.k8s.io/v1/namespaces/default/events", event)
    core = caller.ask("GET", "/api/v1/namespaces/default/events/e")
    assert (core["apiVersion"], core["message"], core["involvedObject"]) == ("v1", "hello", {"name": "x"})


def test_reviews_say_who_asks_and_that_they_may(caller: Caller) -> None:
    access = caller.ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {}})
    assert access["status"] == {"allowed": True}
    who = caller.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {})
    assert mapping(who, "status", "userInfo") == {"username": "tester", "groups": ["operators"]}


def test_secrets_keep_their_plain_strings_encoded(caller: Caller) -> None:
    secret = {"metadata": {"name": "s"}, "stringData": {"token": "abc"}}
    stored = caller.ask("POST", "/api/v1/namespaces/default/secrets", secret)
    assert (stored["data"], stored["type"], "stringData" in stored) == ({"token": "YWJj"}, "Opaque", False)


def test_a_client_that_accepts_no_json_is_refused(caller: Caller) -> None:
    response = caller.send("GET", PODS_PATH, headers={"accept": "application/vnd.kubernetes.protobuf"})
    assert response.status == 406


def test_tables_show_the_age_by_the_clusters_clock(caller: Caller) -> None:
    caller.ask("POST", CONFIG_MAP_LIST, _config_map("a", x="1", y="2"))
    caller.clock.moment += timedelta(hours=3, minutes=4)
    accept = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
    table = json.loads(caller.send("GET", CONFIG_MAP_LIST, headers=accept).body)
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Data", "Age"]
    (row,) = table["rows"]
    assert row["cells"] == ["a", 2, "3h4m"]
    assert row["object"]["kind"] == "PartialObjectMetadata"
