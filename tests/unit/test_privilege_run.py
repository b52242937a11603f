"""`make privilege` itself: what it takes away, what it notes, and what it makes of that."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from infra.local.authorization import uses
from infra.local.authorization.guard import Guard
from infra.local.authorization.live import Live, NoWorld
from infra.local.authorization.uses import Use
from infra.local.messages import HttpRequest
from infra.release import Place
from infra.topology import TOPOLOGY
from tests.privilege import mutation, notes, reasons
from tests.privilege.plugin import USES, Plugin, lacking
from tests.privilege.reasons import Reason

HELM, CLUSTER_STAGES = "instantstart-function-helm", "instantstart-function-stages_cluster"
USE = Use(HELM, "ReadArtifacts", "s3:GetObject")


def test_a_statement_is_taken_from_its_role_alone() -> None:
    place = Place("123456789012", "us-west-2")
    guard, read = Guard(TOPOLOGY, Live(place, NoWorld())), HttpRequest("GET", f"/{place.bucket('artifacts')}/x")

    def denied() -> list[bool]:
        return [guard.denial(place.global_name(role), "s3", read) is not None for role in (HELM, CLUSTER_STAGES)]

    with lacking(HELM, "ReadArtifacts"):
        assert denied() == [True, False]
    with lacking(HELM, "ReadEks"):
        assert denied() == [False, False]
    assert denied() == [False, False]


def test_a_test_is_run_without_each_statement_and_fails_without_what_it_needs() -> None:
    needed, other = "instantstart-function-api/ReadSigningKeys", f"{HELM}/ReadArtifacts"
    test = "tests/unit/test_authorization_requests.py::test_a_secret_is_read_by_its_arn_and_a_name_alone_is_not_judged"
    assert mutation.killed_by({test: [other, needed, other]}) == {needed}
    with pytest.raises(mutation.Unusable, match="no tests ran"):
        mutation.killed_by({"tests/unit/test_authorization_requests.py::test_nothing": [needed]})


def test_what_a_test_needs_is_noted_under_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USES, str(tmp_path / "notes"))
    plugin = Plugin()
    uses.note(USE)
    plugin.pytest_runtest_teardown()
    plugin.pytest_sessionfinish()
    uses.note(Use(HELM, "ReadArtifacts", "s3:ListBucket"))
    [(use, tests)] = notes.read(tmp_path / "notes").items()
    assert (use, len(tests)) == (USE, 1)
    assert tests[0].endswith("::test_what_a_test_needs_is_noted_under_its_name")
    assert notes.by_statement({use: tests}) == {f"{HELM}/ReadArtifacts": tests}


def test_all_that_is_granted_is_listed_an_action_at_a_time() -> None:
    assert USE in notes.granted()
    assert Use("instantstart-foundation", "PassToEks", "iam:PassRole") in notes.granted()


def test_what_is_not_needed_must_be_explained_and_what_explains_must_be_needed() -> None:
    fits, other = Reason("instantstart-function-*", "Read*", "s3:*", "why"), Reason("*", "Write", "s3:*", "why")
    assert reasons.unexplained([USE], [fits, other]) == []
    assert reasons.unexplained([USE], [other]) == [USE]
    assert reasons.idle([USE], [fits, other]) == [other]
    assert reasons.explained([USE, Use(HELM, "Other", "s3:GetObject")], [fits, other]) == {"why": 1}


def test_mutations_go_on_where_an_earlier_run_stopped_and_survivors_are_tried_again(tmp_path: Path) -> None:
    tried: list[tuple[str, str]] = []

    def attempt(plan: Mapping[str, Sequence[str]]) -> set[str]:
        tried.extend((name, test) for test, names in plan.items() for name in names)
        return {"a/1"} & {*plan.get("tests/host/t2", ())}

    needed = {
        "a/1": ["tests/host/t1", "tests/host/t2", "tests/host/t3"],
        "b/2": ["tests/host/t5", "tests/component/t4"],
    }
    first = mutation.run(needed, ["a/1", "b/2"], tmp_path, attempt)
    assert [(each.statement, each.killed) for each in first] == [("a/1", True), ("b/2", False)]
    of_b = [("b/2", "tests/component/t4"), ("b/2", "tests/host/t5")]
    assert sorted(tried) == [("a/1", "tests/host/t1"), ("a/1", "tests/host/t2"), *of_b]
    tried.clear()
    assert mutation.run(needed, ["a/1", "b/2"], tmp_path, attempt) == first
    assert tried == of_b
    assert len(json.loads((tmp_path / mutation.KEPT).read_bytes())) == 2


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    statements = [f"role/{number}" for number in range(20)]
    assert mutation.chosen(statements, None, 1) == sorted(statements)
    assert mutation.chosen(statements, 3, 1) == mutation.chosen(statements, 3, 1)
    assert len(mutation.chosen(statements, 3, 1)) == 3
    assert mutation.chosen(statements, 99, 1) == sorted(statements)
