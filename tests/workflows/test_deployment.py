"""The state machines, the topology and the functions fit together, also across one release."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from functions.clusters import rules
from functions.clusters.models import ConfigureDependencies, CreateCluster, HyperPod, S3Mount
from functions.core.ledger.models import Operation
from functions.core.phases import BY_KIND
from functions.core.pipeline import Step
from functions.core.turn import Turn, Verdict
from infra import release
from infra.shapes import STATE_MACHINES
from infra.topology import MACHINES, TOPOLOGY
from tests.host.driver import cluster_request, hyperpod_request
from tests.house.asl_lint import substitutions

FIXTURES = Path(__file__).parent / "fixtures"
FILES = sorted(STATE_MACHINES.glob("*.asl.json"))
REQUESTS: list[rules.Request] = [
    CreateCluster.model_validate(cluster_request("t1")),
    CreateCluster.model_validate({"tag": "t1"}),
    ConfigureDependencies(),
    HyperPod.model_validate(hyperpod_request()),
    S3Mount(),
]


def frozen(name: str) -> list[dict[str, object]]:
    events: list[dict[str, object]] = json.loads((FIXTURES / name).read_text(encoding="utf-8"))
    return events


def test_every_placeholder_has_a_value_and_every_value_a_place() -> None:
    used = {name for path in FILES for name in substitutions(path)}
    prefix = "arn:aws-us-gov:states:us-gov-west-1:123456789012:stateMachine:p"
    values = release.substitutions({"STATE_MACHINE_PREFIX": prefix, "OPERATIONS_TABLE": "t"})
    assert used == values.keys()
    assert values["Partition"] == "aws-us-gov"


def test_no_machine_names_a_partition_of_its_own() -> None:
    assert not [path.name for path in FILES if "arn:aws" in path.read_text(encoding="utf-8")]


def test_every_pipeline_has_its_file_and_every_file_its_machine() -> None:
    assert {path.name.removesuffix(".asl.json") for path in FILES} == {machine.name for machine in MACHINES}
    assert {machine.name for machine in MACHINES} == {"stage", *BY_KIND}
    assert set(rules.SCOPES) <= set(BY_KIND)


@pytest.mark.parametrize("request_", REQUESTS, ids=rules.kind_of)
def test_every_planned_stage_is_declared_has_a_behaviour_and_a_place_in_its_pipeline(request_: rules.Request) -> None:
    kind = rules.kind_of(request_)
    machine = (STATE_MACHINES / f"{kind}.asl.json").read_text(encoding="utf-8")
    functions = {function.name: function for function in TOPOLOGY.functions}
    stages = {stage.kind: stage for stage in TOPOLOGY.stages}
    for phase, name in rules.plan(kind, request_):
        stage = stages[name.partition(":")[0]]
        entry = import_module(functions[stage.function].handler.rpartition(".")[0])
        assert stage.kind in entry.BEHAVIOURS
        assert f"$phases.{phase}" in machine


def test_every_behaviour_is_a_declared_stage_of_that_function() -> None:
    for function in TOPOLOGY.functions:
        entry = import_module(function.handler.rpartition(".")[0])
        declared = {stage.kind for stage in TOPOLOGY.stages if stage.function == function.name}
        assert set(getattr(entry, "BEHAVIOURS", ())) == declared


@pytest.mark.parametrize("event", frozen("turns.json"), ids=str)
def test_a_turn_that_a_machine_of_the_last_release_asks_for_is_understood(event: dict[str, object]) -> None:
    assert Turn.model_validate(event).model_dump(mode="json").items() >= event.items()


@pytest.mark.parametrize("event", frozen("steps.json"), ids=lambda event: event["action"])
def test_a_step_that_a_machine_of_the_last_release_asks_for_is_understood(event: dict[str, object]) -> None:
    assert Step.model_validate(event).model_dump(mode="json").items() >= event.items()


@pytest.mark.parametrize("answer", frozen("verdicts.json"), ids=lambda answer: answer["verdict"])
def test_an_answer_to_a_machine_of_the_last_release_keeps_its_fields(answer: dict[str, object]) -> None:
    assert Verdict.model_validate(answer).model_dump(mode="json").keys() >= answer.keys()


@pytest.mark.parametrize("record", frozen("operations.json"), ids=lambda record: record["status"])
def test_an_operation_that_the_last_release_wrote_is_readable(record: dict[str, object]) -> None:
    assert Operation.model_validate(record).operation_id == record["operation_id"]
