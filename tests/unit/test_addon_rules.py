from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from functions.features.configuration_rules import faults
from functions.features.rules import (
    CONFLICT,
    LACKS_NODES,
    AddonFacts,
    Installed,
    Step,
    choose_version,
    configuration_after,
    headline,
    may_create_again,
    missing_action,
    next_step,
    older,
    remedy_for,
    version_after,
)

if TYPE_CHECKING:
    from pydantic import JsonValue

OURS = Installed("ACTIVE", "v1.11.4-eksbuild.2", None, {}, ours=True)
THEIRS = replace(OURS, ours=False)
WANTED = "v1.12.4-eksbuild.1"


@pytest.mark.parametrize(
    ("offered", "minimum", "chosen"),
    [
        ({"v1.10.0": False, "v1.9.0": True}, None, "v1.9.0"),
        ({"v1.10.0": False, "v1.9.0": True}, "v1.9.0", "v1.9.0"),
        ({"v1.11.0": False, "v1.10.0": False, "v1.9.0": True}, "v1.9.1", "v1.11.0"),
        ({"v1.10.0-eksbuild.9": False, "v1.10.0-eksbuild.10": False}, None, "v1.10.0-eksbuild.10"),
        ({"v1.9.0": True}, "v1.9.1", None),
        ({}, None, None),
    ],
)
def test_the_default_version_is_chosen_unless_it_is_too_old(
    offered: Mapping[str, bool], minimum: str | None, chosen: str | None
) -> None:
    assert choose_version(offered, minimum) == chosen


def test_versions_are_compared_by_their_numbers() -> None:
    assert older("v1.9.0-eksbuild.1", "v1.10.0-eksbuild.1")
    assert older("v1.18.3-eksbuild.1", "v1.18.3-eksbuild.2")
    assert not older("v1.18.3-eksbuild.1", "v1.18.3")


@pytest.mark.parametrize(
    ("found", "facts", "overwrite", "step"),
    [
        (None, AddonFacts(), False, Step.CREATE),
        (replace(OURS, status="CREATING"), AddonFacts(), False, Step.LEAVE),
        (replace(OURS, status="CREATE_FAILED"), AddonFacts(), False, Step.CLEAR),
        (OURS, AddonFacts(), False, Step.UPDATE),
        (replace(OURS, status="DELETING"), AddonFacts(), False, Step.LEAVE),
        (replace(OURS, version="v1.13.0"), AddonFacts(), False, Step.LEAVE),
        (THEIRS, AddonFacts(), False, Step.LEAVE),
        (THEIRS, AddonFacts(minimum="v1.12.0"), False, Step.UPDATE),
        (replace(OURS, version=WANTED), AddonFacts(configuration={"replicaCount": 3}), False, Step.UPDATE),
        (
            replace(OURS, version=WANTED, configuration='{"replicaCount": 3}'),
            AddonFacts(configuration={"replicaCount": 3}),
            False,
            Step.LEAVE,
        ),
        (replace(THEIRS, configuration="replicaCount: 2"), AddonFacts(configuration={"a": 1}), False, Step.LEAVE),
        (replace(THEIRS, status="UPDATE_FAILED", issues={CONFLICT: "x"}), AddonFacts(), False, Step.LEAVE),
        (replace(THEIRS, status="UPDATE_FAILED", issues={CONFLICT: "x"}), AddonFacts(), True, Step.UPDATE),
    ],
)
def test_an_addon_gets_the_one_step_that_it_calls_for(
    found: Installed | None, facts: AddonFacts, overwrite: bool, step: Step
) -> None:
    assert next_step(found, WANTED, facts, overwrite) is step


def test_an_upgrade_takes_along_what_somebody_else_installed_and_nothing_that_is_new_enough() -> None:
    assert next_step(THEIRS, WANTED, AddonFacts(), overwrite=False) is Step.LEAVE
    assert next_step(THEIRS, WANTED, AddonFacts(), overwrite=False, upgrade=True) is Step.UPDATE
    newer = replace(THEIRS, version="v1.13.0")
    assert next_step(newer, WANTED, AddonFacts(), overwrite=False, upgrade=True) is Step.LEAVE


def test_an_update_never_goes_back_to_an_older_version() -> None:
    assert version_after(OURS, WANTED) == WANTED
    assert version_after(replace(OURS, version="v1.13.0"), WANTED) == "v1.13.0"


def test_what_somebody_else_configured_stays() -> None:
    facts = AddonFacts(configuration={"b": 1, "a": 2})
    assert configuration_after(None, facts) == configuration_after(OURS, facts) == '{"a": 2, "b": 1}'
    assert configuration_after(replace(THEIRS, configuration="a: 1"), facts) == "a: 1"
    assert configuration_after(OURS, AddonFacts()) is None


def test_a_failed_creation_is_tried_again_once_and_a_conflict_never() -> None:
    assert may_create_again("CREATE_FAILED", {"InternalFailure": "x"}, creations=1)
    assert not may_create_again("CREATE_FAILED", {"InternalFailure": "x"}, creations=2)
    assert not may_create_again("CREATE_FAILED", {CONFLICT: "x"}, creations=1)
    assert not may_create_again("UPDATE_FAILED", {"InternalFailure": "x"}, creations=1)


def test_the_issue_that_explains_the_others_is_the_headline() -> None:
    assert headline({LACKS_NODES: "a", "InternalFailure": "b"}) == ("InternalFailure", "b")
    assert headline({"InternalFailure": "b", "AccessDenied": "c"}) == ("AccessDenied", "c")
    assert headline({"AccessDenied": "c", CONFLICT: "d"}) == (CONFLICT, "d")
    assert headline({}) is None


def test_the_action_that_a_role_lacks_is_read_from_what_aws_says() -> None:
    said = "AccessDenied: User: arn:aws:sts::1:assumed-role/x/y is not authorized to perform: s3:ListBucket on resource"
    assert missing_action(said) == "s3:ListBucket"
    assert missing_action("AccessDenied ... sagemaker:DescribeClusterNode") == "sagemaker:DescribeClusterNode"
    assert missing_action("The add-on is unhealthy") is None


def test_every_issue_has_a_remedy() -> None:
    assert "AWS Marketplace" in remedy_for("AddonSubscriptionNeeded")
    assert remedy_for("SomethingNew")


SCHEMA: dict[str, JsonValue] = {
    "$ref": "#/definitions/Top",
    "definitions": {
        "Top": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "pattern": "^[a-z]+$"},
                "count": {"type": ["integer", "null"]},
                "mode": {"enum": ["on", "off"]},
                "kind": {"const": "fixed"},
                "many": {"type": "array", "items": {"type": "number"}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "odd": {"oneOf": [{"type": "string"}]},
                "lost": {"$ref": "other.json#/x"},
                "free": {},
            },
        }
    },
}


def test_a_configuration_that_the_schema_allows_has_no_faults() -> None:
    value: JsonValue = {
        "name": "abc",
        "count": None,
        "mode": "on",
        "kind": "fixed",
        "many": [1, 2.5],
        "labels": {"a": "b"},
        "free": [1],
    }
    assert faults(SCHEMA, value) == []


@pytest.mark.parametrize(
    ("member", "value", "fault"),
    [
        ("count", "3", "$.count has to be of type integer or null"),
        ("count", True, "$.count has to be of type integer or null"),
        ("mode", "dim", "$.mode has to be one of ['on', 'off']"),
        ("kind", "other", "$.kind has to be fixed"),
        ("name", "ABC", "$.name has to match ^[a-z]+$"),
        ("many", [1, "2"], "$.many[1] has to be of type number"),
        ("labels", {"a": 1}, "$.labels.a has to be of type string"),
        ("unheard", 1, "$.unheard is not allowed"),
    ],
)
def test_a_configuration_fault_is_named_with_its_path(member: str, value: JsonValue, fault: str) -> None:
    assert faults(SCHEMA, {"name": "abc", member: value}) == [fault]


def test_a_missing_member_is_a_fault() -> None:
    assert faults(SCHEMA, {}) == ["$.name is required"]


def test_what_cannot_be_judged_is_a_fault_and_only_where_it_matters() -> None:
    assert faults(SCHEMA, {"name": "abc", "odd": 1}) == ["$.odd cannot be judged: its schema uses oneOf"]
    assert faults(SCHEMA, {"name": "abc", "lost": 1}) == ["$.lost: its schema cannot be read"]
