"""Lists, pages, selectors and watches."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, name_of, objects, text, value_at
from tests.conformance.contract.api import samples as valid
from tests.conformance.contract.api.driver import MERGE, Space

MINE = {"labelSelector": "mine=yes"}


def _create(space: Space, *names: str, **labels: str) -> None:
    for name in names:
        document = {"metadata": {"name": name, "labels": {"mine": "yes", **labels}}}
        space.cluster.ask("POST", space.path("configmaps"), document)


def _names(listed: JsonObject) -> list[str]:
    return [name_of(item) for item in objects(listed, "items")]


def _version(space: Space) -> str:
    return text(space.cluster.ask("GET", space.path("configmaps")), "metadata", "resourceVersion")


def test_a_list_is_ordered_and_has_a_version(space: Space) -> None:
    _create(space, "b", "a", "c")
    listed = space.cluster.ask("GET", space.path("configmaps"), **MINE)
    assert (listed["kind"], _names(listed)) == ("ConfigMapList", ["a", "b", "c"])
    assert text(listed, "metadata", "resourceVersion")


def test_selectors_choose_by_equality_sets_and_presence(space: Space) -> None:
    _create(space, "a", tier="1")
    _create(space, "b", tier="2")
    _create(space, "c")
    expected = {"tier=1": ["a"], "tier!=1": ["b", "c"], "tier in (1,2)": ["a", "b"], "!tier": ["c"], "tier": ["a", "b"]}
    for selector, names in expected.items():
        assert _names(space.cluster.ask("GET", space.path("configmaps"), labelSelector=f"mine=yes,{selector}")) == names


def test_a_selector_that_cannot_be_read_is_a_bad_request(space: Space) -> None:
    assert space.cluster.refused("GET", space.path("configmaps"), labelSelector="a b c")["code"] == 400


def test_a_field_selector_chooses_by_name(space: Space) -> None:
    _create(space, "a", "b")
    assert _names(space.cluster.ask("GET", space.path("configmaps"), fieldSelector="metadata.name=b")) == ["b"]


def test_a_field_that_is_no_selector_is_a_bad_request(space: Space) -> None:
    status = space.cluster.refused("GET", space.path("configmaps"), fieldSelector="data.x=1")
    assert (status["code"], text(status, "message")) == (400, "field label not supported: data.x")


def test_pages_hold_everything_once(space: Space) -> None:
    for name in "abcde":
        space.cluster.ask("POST", space.path("secrets"), valid.secret(name))
    token = ""
    pages: list[list[str]] = []
    left: list[object] = []
    while not pages or token:
        page = space.cluster.ask("GET", space.path("secrets"), limit="2", **({"continue": token} if token else {}))
        token = text(page, "metadata", "continue")
        pages.append(_names(page))
        left.append(value_at(page, "metadata", "remainingItemCount"))
    assert pages == [["a", "b"], ["c", "d"], ["e"]]
    assert left == [3, 1, None]


def test_a_token_of_another_kind_is_a_bad_request(space: Space) -> None:
    assert space.cluster.refused("GET", space.path("configmaps"), limit="1", **{"continue": "?"})["code"] == 400


def test_a_watch_replays_from_a_version(space: Space) -> None:
    version = _version(space)
    _create(space, "a", "b")
    events = space.cluster.events(space.path("configmaps"), 2, resourceVersion=version, **MINE)
    assert [(kind, name_of(document)) for kind, document in events] == [("ADDED", "a"), ("ADDED", "b")]


def test_a_watch_tells_each_kind_of_change(space: Space) -> None:
    version = _version(space)
    _create(space, "a")
    space.cluster.ask("PATCH", space.path("configmaps", "a"), {"data": {"x": "1"}}, MERGE)
    space.cluster.ask("DELETE", space.path("configmaps", "a"))
    events = space.cluster.events(space.path("configmaps"), 3, resourceVersion=version, **MINE)
    assert [kind for kind, _ in events] == ["ADDED", "MODIFIED", "DELETED"]


def test_leaving_a_selection_is_a_deletion_and_coming_back_an_addition(space: Space) -> None:
    _create(space, "a")
    version = _version(space)
    for value in ("no", "yes"):
        space.cluster.ask("PATCH", space.path("configmaps", "a"), {"metadata": {"labels": {"mine": value}}}, MERGE)
    events = space.cluster.events(space.path("configmaps"), 2, resourceVersion=version, **MINE)
    assert [kind for kind, _ in events] == ["DELETED", "ADDED"]


def test_a_watch_of_one_name_sees_that_object_only(space: Space) -> None:
    version = _version(space)
    _create(space, "a", "b")
    ((kind, document),) = space.cluster.events(
        space.path("configmaps"), 1, resourceVersion=version, fieldSelector="metadata.name=b"
    )
    assert (kind, name_of(document)) == ("ADDED", "b")


def test_initial_events_end_with_a_bookmark(space: Space) -> None:
    _create(space, "a")
    asked = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
    events = space.cluster.events(space.path("configmaps"), 2, **asked, **MINE)
    assert [kind for kind, _ in events] == ["ADDED", "BOOKMARK"]
    assert value_at(events[1][1], "metadata", "annotations", "k8s.io/initial-events-end") == "true"


def test_initial_events_need_bookmarks(space: Space) -> None:
    response = space.cluster.raw("GET", space.path("configmaps"), watch="true", sendInitialEvents="true")
    assert response.status == 422
    response.close()


def test_a_watch_from_forgotten_times_is_expired(space: Space) -> None:
    response = space.cluster.raw("GET", space.path("configmaps"), watch="true", resourceVersion="1", timeoutSeconds="1")
    assert response.status in (200, 410)
    response.close()
