"""`make privilege` itself: what it takes away, what it notes, and what it makes of that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from infra.local.authorization import uses
from infra.local.authorization.uses import Use
from infra.release import Place
from infra.topology import TOPOLOGY
from tests.privilege import mutation, notes, reasons
from tests.privilege.plugin import USES, Plugin, lacking
from tests.privilege.reasons import Reason

HELM = "instantstart-function-helm"
USE = Use(HELM, "ReadArtifacts", "s3:GetObject")


def test_a_statement_is_taken_from_its_role_alone() -> None:
    place = Place("123456789012", "us-west-2")
    found = lacking(HELM, "ReadArtifacts")(TOPOLOGY, place)
    holders = {role for role, document in found.items() for each in document.statements if each.sid == "ReadArtifacts"}
    assert holders == set()
    assert {each.sid for each in found[HELM].statements} >= {"TableClusters", "ReadEks", "EnterClusters"}
    with pytest.raises(KeyError, match="no statement Nothing"):
        lacking(HELM, "Nothing")(TOPOLOGY, place)


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
    tried: list[str] = []

    def attempt(statement: str, test: str) -> bool:
        tried.append(f"{statement} {test}")
        return statement == "a/1" and test == "t2"

    needed = {"a/1": ["t1", "t2", "t3"], "b/2": ["t4"]}
    first = [*mutation.run(needed, ["a/1", "b/2"], tmp_path, attempt)]
    assert [(each.statement, each.killed) for each in first] == [("a/1", True), ("b/2", False)]
    assert sorted(tried) == ["a/1 t1", "a/1 t2", "b/2 t4"]
    tried.clear()
    assert [*mutation.run(needed, ["a/1", "b/2"], tmp_path, attempt)] == first
    assert tried == ["b/2 t4"]
    assert len(json.loads((tmp_path / mutation.KEPT).read_bytes())) == 2


def test_a_sample_is_the_same_for_the_same_seed() -> None:
    statements = [f"role/{number}" for number in range(20)]
    assert mutation.chosen(statements, None, 1) == sorted(statements)
    assert mutation.chosen(statements, 3, 1) == mutation.chosen(statements, 3, 1)
    assert len(mutation.chosen(statements, 3, 1)) == 3
    assert mutation.chosen(statements, 99, 1) == sorted(statements)
