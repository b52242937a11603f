"""The end of an execution is an operation's end where a pipeline ran it, and nobody's business where a stage did."""

from __future__ import annotations

import pytest

from functions.clusters.events.models import EXECUTION_STATUS, BusEvent
from functions.clusters.events.routes import bus
from functions.core import ledger

EXECUTION = "arn:aws:states:us-west-2:123456789012:execution:instantstart-{}:one"


def ended(machine: str) -> BusEvent:
    arn = f"arn:aws:states:us-west-2:123456789012:stateMachine:instantstart-{machine}"
    detail = {"executionArn": EXECUTION.format(machine), "stateMachineArn": arn, "name": "one", "status": "FAILED"}
    return BusEvent.model_validate(
        {
            "id": "1",
            "source": "aws.states",
            "detail-type": EXECUTION_STATUS,
            "time": "2026-01-01T00:00:00Z",
            "detail": detail,
        }
    )


@pytest.mark.parametrize(
    ("machine", "closed"), [("create_cluster", ["one"]), ("repair_cluster", ["one"]), ("stage", [])]
)
def test_the_end_of_a_pipelines_execution_closes_its_operation_and_that_of_a_stage_is_left_aside(
    machine: str, closed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def close(operation_id: str, execution_arn: str) -> None:
        assert execution_arn == EXECUTION.format(machine)
        asked.append(operation_id)

    monkeypatch.setattr(ledger, "close_ended", close)
    bus.receive(ended(machine))
    assert asked == closed
