"""Owner groups and company tags, through HTTP events."""

from __future__ import annotations

from typing import Any

import pytest

from functions.clusters.settings.rules import difference
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import OperationStatus
from functions.core.tags import company_tags, tags_after
from tests.component.test_http_support import HYPERPOD, Edge, account, edge, free_leases
from tests.component.test_ledger_support import finish_operation

__all__ = ["account", "edge"]

OPERATE = ("read", "operate")


def set_choice(edge: Edge, name: str, value: str) -> None:
    """Deploy with a choice of its own."""
    runtime_of_edge: Any = edge.account.runtime
    runtime_of_edge.environment[name] = value


def owned(edge: Edge, *groups: str) -> str:
    """A cluster of some groups, and the operation that creates it."""
    answer = edge.send("POST", "/api/clusters", {"tag": "t1", "hyperpod": HYPERPOD, "owner_groups": [*groups]})
    assert answer.status == 202, answer.body
    return str(answer.body["operation_id"])


def test_owner_groups_and_company_tags_are_kept_from_the_beginning(edge: Edge) -> None:
    said = {"owner_groups": ["ml"], "company_tags": {"cost-center": "42"}}
    edge.send("POST", "/api/clusters", {"tag": "t1", **said})
    spec = spec_of("t1")
    assert {"owner_groups": spec.owner_groups, "company_tags": spec.company_tags} == said


def test_only_members_of_an_owner_group_and_administrators_change_a_cluster(edge: Edge) -> None:
    operation_id = owned(edge, "ml", "research")
    finish_operation(operation_id, OperationStatus.FAILED)
    changes = {
        ("PATCH", "/api/clusters/t1"): {"company_tags": {"a": "b"}},
        ("POST", f"/api/operations/{operation_id}/retry"): None,
        ("POST", f"/api/operations/{operation_id}/cancel"): None,
    }
    for (method, path), body in changes.items():
        refused = edge.send(method, path, body, scopes=OPERATE, groups=["sales"])
        assert (refused.status, refused.body["code"]) == (403, "forbidden"), path
    assert edge.send("GET", "/api/clusters/t1", scopes=("read",), groups=["sales"]).status == 200
    patch = {"company_tags": {"a": "b"}}
    assert edge.send("PATCH", "/api/clusters/t1", patch, scopes=OPERATE, groups=["sales", "ml"]).status == 202
    free_leases("t1")
    assert edge.send("PATCH", "/api/clusters/t1", {"owner_groups": []}).status == 202
    free_leases("t1")
    assert edge.send("PATCH", "/api/clusters/t1", patch, scopes=OPERATE, groups=["sales"]).status == 202


def test_a_tag_of_the_deployment_comes_back_when_the_cluster_no_longer_has_its_own(edge: Edge) -> None:
    set_choice(edge, "COMPANY_TAGS", '{"cost-center": "deployed"}')
    edge.send("POST", "/api/clusters", {"tag": "t1", "company_tags": {"cost-center": "42"}})
    assert company_tags(spec_of("t1")) == {"cost-center": "42"}
    edge.send("PATCH", "/api/clusters/t1", {"company_tags": {}})
    wanted = company_tags(spec_of("t1"))
    assert difference(wanted, ["cost-center"], {"cost-center": "42"}) == ({"cost-center": "deployed"}, [])


def test_what_is_not_sent_stays(edge: Edge) -> None:
    edge.send("POST", "/api/clusters", {"tag": "t1", "owner_groups": ["ml"], "company_tags": {"a": "1", "b": "2"}})
    answer = edge.send("PATCH", "/api/clusters/t1", {"company_tags": {"a": "3"}})
    spec = spec_of("t1")
    assert (spec.owner_groups, spec.company_tags) == (["ml"], {"a": "3"})
    assert answer.body["request"]["dropped_tags"] == ["b"]


def test_a_foundation_loses_the_tags_that_its_cluster_once_had_and_none_that_others_put_on_it(edge: Edge) -> None:
    set_choice(edge, "COMPANY_TAGS", '{"cost-center": "deployed"}')
    edge.send("POST", "/api/clusters", {"tag": "t1", "company_tags": {"a": "1", "b": "2", "c": "3"}})
    for wanted in ({"b": "2", "c": "3"}, {"c": "4"}, {"c": "4", "a": "5"}):
        free_leases("t1")
        assert edge.send("PATCH", "/api/clusters/t1", {"company_tags": wanted}).status == 202
    spec = spec_of("t1")
    assert spec.dropped_tags == ["b"]
    standing = {"a": "1", "b": "2", "c": "3", "backup": "daily", "instantstart:operation": "old"}
    assert tags_after(spec, standing) == {
        "a": "5",
        "c": "4",
        "cost-center": "deployed",
        "backup": "daily",
        "instantstart:operation": "old",
    }


def test_a_preview_of_settings_names_old_and_new(edge: Edge) -> None:
    edge.send("POST", "/api/clusters", {"tag": "t1", "owner_groups": ["ml"]})
    free_leases("t1")
    answer = edge.send("PATCH", "/api/clusters/t1", {"owner_groups": ["research"]}, query="dry_run=true").body
    (change,) = answer["preview"]["changes"]
    assert (change["action"], change["resource"], change["reason"]) == (
        "change",
        "owner groups",
        "from ml to research",
    )
    assert spec_of("t1").owner_groups == ["ml"]


def test_settings_that_aws_or_sign_in_would_refuse_are_refused(edge: Edge) -> None:
    owned(edge)
    for body, field in (
        ({"company_tags": {"aws:x": "1"}}, "company_tags"),
        ({"company_tags": {"instantstart:cluster": "other"}}, "company_tags"),
        ({"company_tags": {"a": "x" * 257}}, "company_tags"),
        ({"company_tags": {f"k{number}": "v" for number in range(31)}}, "company_tags"),
        ({"company_tags": {"AWS:x": "1"}}, "company_tags"),
        ({"company_tags": {"team": ""}}, "company_tags"),
        ({"company_tags": {" ": "x"}}, "company_tags"),
        ({"company_tags": {"Team": "a", "team": "b"}}, "company_tags"),
        ({"owner_groups": ["two words"]}, "owner_groups[0]"),
        ({}, "body"),
    ):
        refused = edge.send("PATCH", "/api/clusters/t1", body)
        assert (refused.status, refused.fields) == (400, [field]), body


@pytest.mark.case(3)
def test_fields_that_cannot_change_are_no_fields_of_the_route(edge: Edge) -> None:
    owned(edge)
    refused = edge.send("PATCH", "/api/clusters/t1", {"vpc_id": "vpc-0bbb"})
    assert (refused.status, refused.fields) == (400, ["vpc_id"])
    assert refused.body["errors"][0]["allowed"] == ["owner_groups", "company_tags"]
