"""Server-side apply: ownership of fields."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import APPLY, MERGE, Space


def _apply(space: Space, manager: str, document: JsonObject, **query: str) -> JsonObject:
    return space.cluster.ask("PATCH", _path(space, document), document, APPLY, fieldManager=manager, **query)


def _conflict(space: Space, manager: str, document: JsonObject, **query: str) -> JsonObject:
    return space.cluster.refused("PATCH", _path(space, document), document, APPLY, fieldManager=manager, **query)


def _path(space: Space, document: JsonObject) -> str:
    plural, group = {"ConfigMap": ("configmaps", ""), "Deployment": ("deployments", "apps/v1")}[text(document, "kind")]
    return space.path(plural, text(document, "metadata", "name"), group=group)


def _fields(document: JsonObject, manager: str) -> JsonObject:
    entries = objects(document, "metadata", "managedFields")
    return next((mapping(entry, "fieldsV1") for entry in entries if entry["manager"] == manager), {})


def test_applying_what_is_not_there_creates_it(space: Space) -> None:
    document = valid.config_map("a", x="1")
    created = space.cluster.call("PATCH", _path(space, document), document, APPLY, fieldManager="one")
    again = space.cluster.call("PATCH", _path(space, document), document, APPLY, fieldManager="one")
    assert (created.status, again.status) == (201, 200)


def test_applying_the_same_again_writes_nothing(space: Space) -> None:
    first = _apply(space, "one", valid.config_map("a", x="1"))
    again = _apply(space, "one", valid.config_map("a", x="1"))
    assert again["metadata"] == first["metadata"]


def test_an_apply_needs_a_field_manager(space: Space) -> None:
    document = valid.config_map("a")
    status = space.cluster.refused("PATCH", _path(space, document), document, APPLY)
    assert "is required for apply patch" in text(status, "message")


def test_an_applied_field_belongs_to_its_manager(space: Space) -> None:
    applied = _apply(space, "one", valid.config_map("a", x="1"))
    (entry,) = objects(applied, "metadata", "managedFields")
    assert (entry["operation"], entry["fieldsType"]) == ("Apply", "FieldsV1")
    assert entry["fieldsV1"] == {"f:data": {"f:x": {}}}


def test_changing_what_another_applied_is_a_conflict_that_names_it(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1"))
    status = _conflict(space, "two", valid.config_map("a", x="2"))
    assert (status["code"], status["reason"]) == (409, "Conflict")
    assert text(status, "message") == 'Apply failed with 1 conflict: conflict with "one": .data.x'
    (cause,) = objects(status, "details", "causes")
    assert cause == {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.x"}


def test_several_conflicts_are_listed(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1", y="1"))
    status = _conflict(space, "two", valid.config_map("a", x="2", y="2"))
    assert text(status, "message") == 'Apply failed with 2 conflicts: conflicts with "one":\n- .data.x\n- .data.y'


def test_force_takes_a_field_over(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1", y="1"))
    forced = _apply(space, "two", valid.config_map("a", x="2"), force="true")
    assert forced["data"] == {"x": "2", "y": "1"}
    assert _fields(forced, "one") == {"f:data": {"f:y": {}}}
    assert _fields(forced, "two") == {"f:data": {"f:x": {}}}


def test_two_managers_may_share_a_value(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1"))
    shared = _apply(space, "two", valid.config_map("a", x="1"))
    assert _fields(shared, "one") == _fields(shared, "two") == {"f:data": {"f:x": {}}}


def test_a_field_no_longer_applied_is_removed(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1", y="1"))
    assert _apply(space, "one", valid.config_map("a", x="1"))["data"] == {"x": "1"}


def test_giving_up_the_last_owned_field_keeps_what_nobody_owns(space: Space) -> None:
    document = {"metadata": {"name": "a", "labels": {"plain": "1"}}, "data": {"x": "1"}}
    space.cluster.ask("POST", space.path("configmaps"), {"apiVersion": "v1", "kind": "ConfigMap", **document})
    head = {"apiVersion": "v1", "kind": "ConfigMap"}
    _apply(space, "one", {**head, "metadata": {"name": "a", "annotations": {"note": "1"}}})
    left = _apply(space, "one", {**head, "metadata": {"name": "a"}})
    assert (text(left, "metadata", "name"), value_at(left, "metadata", "labels")) == ("a", {"plain": "1"})
    assert value_at(left, "metadata", "annotations") in (None, {})
    assert value_at(left, "data", "x") == "1"


def test_a_shared_field_stays_until_its_last_owner_drops_it(space: Space) -> None:
    _apply(space, "one", valid.config_map("a", x="1", y="1"))
    _apply(space, "two", valid.config_map("a", y="1"))
    assert _apply(space, "one", valid.config_map("a", x="1"))["data"] == {"x": "1", "y": "1"}
    assert _apply(space, "two", valid.config_map("a", z="1"))["data"] == {"x": "1", "z": "1"}


def test_a_field_nobody_applied_survives_an_apply(space: Space) -> None:
    space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", by_hand="1"))
    assert _apply(space, "one", valid.config_map("a", x="1"))["data"] == {"by_hand": "1", "x": "1"}


def test_an_update_takes_ownership_of_what_it_changes(space: Space) -> None:
    document = valid.config_map("a", x="1")
    _apply(space, "one", document)
    patched = space.cluster.ask("PATCH", _path(space, document), {"data": {"x": "2"}}, MERGE, fieldManager="hand")
    assert _fields(patched, "hand") == {"f:data": {"f:x": {}}}
    assert _fields(patched, "one") == {}
    status = _conflict(space, "one", document)
    assert 'conflict with "hand" using v1' in text(status, "message")


def test_an_update_is_recorded_as_such(space: Space) -> None:
    created = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", x="1"), fieldManager="hand")
    (entry,) = objects(created, "metadata", "managedFields")
    assert (entry["manager"], entry["operation"], entry["apiVersion"]) == ("hand", "Update", "v1")


def test_without_a_manager_the_user_agent_is_recorded(space: Space) -> None:
    created = space.cluster.ask("POST", space.path("configmaps"), valid.config_map("a", x="1"))
    assert [entry["manager"] for entry in objects(created, "metadata", "managedFields")] == ["contract"]


def test_managed_fields_are_cleared_by_one_empty_entry(space: Space) -> None:
    document = valid.config_map("a", x="1")
    _apply(space, "one", document)
    cleared = space.cluster.ask("PATCH", _path(space, document), {"metadata": {"managedFields": [{}]}}, MERGE)
    assert "managedFields" not in mapping(cleared, "metadata")


def test_managed_fields_are_not_cleared_by_an_empty_list(space: Space) -> None:
    document = valid.config_map("a", x="1")
    _apply(space, "one", document)
    kept = space.cluster.ask("PATCH", _path(space, document), {"metadata": {"managedFields": []}}, MERGE)
    assert _fields(kept, "one")


def test_managed_fields_may_not_be_applied(space: Space) -> None:
    document = valid.config_map("a", x="1")
    applied = _apply(space, "one", document)
    status = _conflict(space, "one", {**applied, "apiVersion": "v1", "kind": "ConfigMap"})
    assert (status["code"], text(status, "message")) == (400, "metadata.managedFields must be nil")


def test_an_applied_resource_version_is_a_precondition(space: Space) -> None:
    document = valid.config_map("a", x="1")
    applied = _apply(space, "one", document)
    _apply(space, "two", valid.config_map("a", y="1"))
    stale = {"name": "a", "resourceVersion": value_at(applied, "metadata", "resourceVersion")}
    assert _conflict(space, "one", {**document, "metadata": stale})["code"] == 409


def test_containers_merge_by_name(space: Space) -> None:
    _apply(space, "one", valid.deployment("d"))
    other = valid.deployment("d", {"containers": [valid.container(name="side")]})
    merged = _apply(space, "two", other)
    names = [c["name"] for c in objects(merged, "spec", "template", "spec", "containers")]
    assert sorted(str(name) for name in names) == ["main", "side"]
    key = 'k:{"name":"side"}'
    assert value_at(_fields(merged, "two"), "f:spec", "f:template", "f:spec", "f:containers", key, "f:image") == {}


def test_ports_are_known_by_number_and_protocol(space: Space) -> None:
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    applied = _apply(space, "one", valid.deployment("d", {"containers": [valid.container(ports=ports)]}))
    containers = value_at(_fields(applied, "one"), "f:spec", "f:template", "f:spec", "f:containers")
    named = mapping(containers, 'k:{"name":"main"}', "f:ports")
    assert set(named) == {'k:{"containerPort":53,"protocol":"TCP"}', 'k:{"containerPort":53,"protocol":"UDP"}'}


def test_an_item_no_longer_applied_leaves_its_list(space: Space) -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    _apply(space, "one", valid.deployment("d", {"containers": [valid.container(env=env)]}))
    left = _apply(space, "one", valid.deployment("d", {"containers": [valid.container(env=env[:1])]}))
    (container,) = objects(left, "spec", "template", "spec", "containers")
    assert container["env"] == env[:1]


def test_an_atomic_list_is_owned_as_a_whole(space: Space) -> None:
    template = {"containers": [valid.container()], "tolerations": [{"key": "a", "operator": "Exists"}]}
    applied = _apply(space, "one", valid.deployment("d", template))
    assert value_at(_fields(applied, "one"), "f:spec", "f:template", "f:spec", "f:tolerations") == {}
    other = {**template, "tolerations": [{"key": "b", "operator": "Exists"}]}
    assert "tolerations" in text(_conflict(space, "two", valid.deployment("d", other)), "message")


def test_finalizers_are_a_set(space: Space) -> None:
    def held(*names: str) -> JsonObject:
        return {**valid.config_map("a"), "metadata": {"name": "a", "finalizers": list(names)}}

    _apply(space, "one", held("contract.example/a"))
    both = _apply(space, "two", held("contract.example/b"))
    assert value_at(both, "metadata", "finalizers") == ["contract.example/a", "contract.example/b"]
    none = {"metadata": {"finalizers": None}}
    space.cluster.ask("PATCH", _path(space, held()), none, MERGE)


def test_an_unknown_field_cannot_be_applied(space: Space) -> None:
    document = valid.deployment("d", {"containers": [valid.container(imagee="x")]})
    status = _conflict(space, "one", document)
    named = '.spec.template.spec.containers[name="main"].imagee: field not declared in schema'
    assert text(status, "message").endswith(named)


def test_a_status_is_owned_through_its_subresource(space: Space) -> None:
    document = valid.deployment("d")
    _apply(space, "one", document)
    status = {"conditions": [{"type": "Extra", "status": "True"}]}
    identity = {key: document[key] for key in ("apiVersion", "kind", "metadata")}
    path = _path(space, document) + "/status"
    applied = space.cluster.ask("PATCH", path, {**identity, "status": status}, APPLY, fieldManager="two", force="true")
    entries = [e for e in objects(applied, "metadata", "managedFields") if e["manager"] == "two"]
    assert [entry["subresource"] for entry in entries] == ["status"]


def test_a_dry_run_apply_changes_nothing(space: Space) -> None:
    document = valid.config_map("a", x="1")
    _apply(space, "one", document, dryRun="All")
    assert space.cluster.refused("GET", _path(space, document))["code"] == 404
