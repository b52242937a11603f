"""Every state machine passes the lint, and the lint sees each fault it is there for."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house.asl_lint import ROOT, lint, lint_file, main, substitutions

FILES = sorted((ROOT / "statemachines").glob("*.asl.json"))
Machine = dict[str, Any]


def task(**changes: object) -> Machine:
    whole = {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "TimeoutSeconds": 60,
        "Retry": [{"ErrorEquals": ["States.ALL"], "JitterStrategy": "FULL", "MaxDelaySeconds": 20}],
        "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Stop"}],
        "Next": "Choose",
    }
    return whole | changes


def machine() -> Machine:
    inner = {"StartAt": "Work", "States": {"Work": task(Next="Stop"), "Stop": {"Type": "Fail"}}}
    return {
        "Comment": "Works, then chooses how to end.",
        "QueryLanguage": "JSONata",
        "StartAt": "Work",
        "States": {
            "Work": task(),
            "Choose": {"Type": "Choice", "Choices": [{"Condition": "{% true %}", "Next": "Each"}], "Default": "Both"},
            "Each": {"Type": "Map", "ItemProcessor": copy.deepcopy(inner), "End": True},
            "Both": {"Type": "Parallel", "Branches": [copy.deepcopy(inner)], "Next": "Done"},
            "Done": {"Type": "Succeed"},
            "Stop": {"Type": "Fail"},
        },
    }


def complaints(document: Machine) -> list[str]:
    return [str(problem) for problem in lint(document)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_state_machine_file_is_sound(path: Path) -> None:
    assert [str(problem) for problem in lint_file(path)] == []


def test_a_sound_machine_raises_no_complaint() -> None:
    assert complaints(machine()) == []


def set_at(*keys: str | int, value: object) -> Callable[[Machine], None]:
    def change(document: Machine) -> None:
        node: Any = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return change


def drop(*keys: str | int) -> Callable[[Machine], None]:
    def change(document: Machine) -> None:
        node: Any = document
        for key in keys[:-1]:
            node = node[key]
        del node[keys[-1]]

    return change


STATES_ALL = ["States.ALL"]
TIMEOUT_AFTER_ALL = [
    {"ErrorEquals": STATES_ALL, "Next": "Stop"},
    {"ErrorEquals": ["States.Timeout"], "Next": "Stop"},
]
BROKEN: list[tuple[Callable[[Machine], None], str]] = [
    (drop("QueryLanguage"), "machine: must set QueryLanguage to JSONata"),
    (drop("Comment"), "machine: needs a Comment that says what it does"),
    (set_at("StartAt", value="Nowhere"), "machine: StartAt names no state: Nowhere"),
    (set_at("States", "Both", "Next", value="Nowhere"), "Both: leads to Nowhere, which is no state here"),
    (set_at("States", "Choose", "Default", value="Nowhere"), "Choose: leads to Nowhere, which is no state here"),
    (set_at("States", "Work", "Catch", 0, "Next", value="Nowhere"), "Work: leads to Nowhere, which is no state here"),
    (set_at("States", "Island", value={"Type": "Succeed"}), "Island: is out of reach"),
    (drop("States", "Choose", "Default"), "Choose: needs a Default"),
    (drop("States", "Both", "Next"), "Both: needs exactly one of Next and End"),
    (set_at("States", "Each", "Next", value="Done"), "Each: needs exactly one of Next and End"),
    (set_at("States", "Done", "Type", value="Finish"), "Done: has no known Type: Finish"),
    (set_at("States", "Work", "QueryLanguage", value="JSONPath"), "Work: must not leave JSONata"),
    (set_at("States", "Work", "ResultPath", value="$"), "Work: uses ResultPath, which belongs to JSONPath"),
    (
        drop("States", "Work", "TimeoutSeconds"),
        "Work: needs TimeoutSeconds: a number of seconds or a JSONata expression",
    ),
    (drop("States", "Work", "Retry"), "Work: needs a Retry"),
    (drop("States", "Work", "Retry", 0, "JitterStrategy"), "Work: Retry[0] needs JitterStrategy FULL"),
    (drop("States", "Work", "Retry", 0, "MaxDelaySeconds"), "Work: Retry[0] needs MaxDelaySeconds"),
    (drop("States", "Work", "Catch"), "Work: needs a Catch of States.ALL"),
    (set_at("States", "Work", "Catch", value=TIMEOUT_AFTER_ALL), "Work: Catch[0]: States.ALL stands alone and last"),
    (
        drop("States", "Each", "ItemProcessor", "States", "Work", "Retry"),
        "Each/ItemProcessor/Work: needs a Retry",
    ),
    (
        drop("States", "Both", "Branches", 0, "States", "Work", "Retry"),
        "Both/Branches[0]/Work: needs a Retry",
    ),
    (set_at("States", "Each", "ItemProcessor", value={}), "Each/ItemProcessor: StartAt names no state: None"),
]


@pytest.mark.parametrize(("breakage", "complaint"), BROKEN, ids=[complaint for _, complaint in BROKEN])
def test_each_fault_is_named_with_its_place(breakage: Callable[[Machine], None], complaint: str) -> None:
    document = machine()
    breakage(document)
    assert complaint in complaints(document)


def test_a_machine_that_never_ends_is_refused() -> None:
    loop = {"Comment": "Turns.", "QueryLanguage": "JSONata", "StartAt": "Turn"}
    document = loop | {"States": {"Turn": {"Type": "Pass", "Next": "Turn"}}}
    assert complaints(document) == ["machine: has no terminal state"]


def test_a_timeout_may_be_computed_but_not_be_a_word() -> None:
    document = machine()
    document["States"]["Work"]["TimeoutSeconds"] = "{% $seconds %}"
    assert complaints(document) == []
    document["States"]["Work"]["TimeoutSeconds"] = "soon"
    assert len(complaints(document)) == 1


def test_substitutions_lists_each_placeholder_once(tmp_path: Path) -> None:
    path = tmp_path / "a.asl.json"
    path.write_text('{"A": "${StageFunction}", "B": "${Table}", "C": "${Table}", "D": "{% $x %}"}', encoding="utf-8")
    assert substitutions(path) == {"StageFunction", "Table"}


def test_the_command_prints_the_fault_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken, sound = tmp_path / "broken.asl.json", tmp_path / "sound.asl.json"
    broken.write_text("{", encoding="utf-8")
    sound.write_text(json.dumps(machine()), encoding="utf-8")
    assert (main([str(sound)]), main([str(broken)])) == (0, 1)
    assert capsys.readouterr().out.startswith("broken.asl.json: machine: is no JSON")
