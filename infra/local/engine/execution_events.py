"""What Step Functions puts on the bus when an execution ends.

Source: Step Functions developer guide, "Automating Step Functions event delivery with EventBridge". The event of a
start is left out: nothing here has a rule for it.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from infra.local.simulators.bus_event import BusEvent

if TYPE_CHECKING:
    from infra.local.engine.stepfunctions import Execution

_DETAIL_TYPE = "Step Functions Execution Status Change"


def status_event(execution: Execution) -> BusEvent:
    """Make the event of an execution that has ended."""
    machine, _, name = execution.exec_arn.rpartition(":")
    ended = execution.stop_date or execution.start_date
    succeeded = execution.status == "SUCCEEDED"
    return BusEvent(
        source="aws.states",
        detail_type=_DETAIL_TYPE,
        detail={
            "executionArn": execution.exec_arn,
            "stateMachineArn": machine.replace(":execution:", ":stateMachine:", 1),
            "name": name,
            "status": str(getattr(execution.status, "value", execution.status)),
            "startDate": _milliseconds(execution.start_date),
            "stopDate": _milliseconds(ended),
            "input": json.dumps(execution.input_data),
            "output": json.dumps(execution.output) if succeeded else None,
            "inputDetails": {"included": True},
            "outputDetails": {"included": True} if succeeded else None,
            "error": execution.error,
            "cause": execution.cause,
        },
        resources=(execution.exec_arn,),
        time=ended,
    )


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
