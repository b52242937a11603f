"""The contract of every adaptation of moto's interpreter: time, callbacks, children, names, errors and data."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from infra.local.faults import Fault, Kind
from infra.local.functions import Outcome
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from tests.host.interpreter import END, Interpreter, Json, await_token, caught, invoke, token_of, took
from tests.host.states import back_to


@pytest.fixture
def sfn(session_host: LocalHost, empty_state: HostSnapshot) -> Interpreter:
    return Interpreter(back_to(session_host, empty_state).host)


@pytest.fixture
def answering(sfn: Interpreter, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[object], Outcome]], None]:
    """Let a test answer for every function."""

    def answer(give: Callable[[object], Outcome]) -> None:
        monkeypatch.setattr(sfn.host.world.functions, "invoker", lambda _, payload: give(payload))

    return answer


# -- time


def test_an_hour_of_waiting_takes_an_hour_of_the_clock_and_no_time(sfn: Interpreter) -> None:
    real = time.monotonic()
    found, seconds = took(sfn, lambda: sfn.run({"W": {"Type": "Wait", "Seconds": 3600, "Next": "E"}, "E": END}))
    assert (found["status"], round(seconds)) == ("SUCCEEDED", 3600)
    assert time.monotonic() - real < 5


def test_retries_wait_on_the_clock_and_count_per_execution(
    sfn: Interpreter, answering: Callable[[Callable[[object], Outcome]], None]
) -> None:
    calls: list[object] = []

    def fail(payload: object) -> Outcome:
        calls.append(payload)
        return Outcome('{"errorType": "Broken", "errorMessage": "no"}', "Unhandled")

    answering(fail)
    retry = [{"ErrorEquals": ["Broken"], "IntervalSeconds": 10, "MaxAttempts": 2, "BackoffRate": 2}]
    machine = sfn.machine({"T": invoke(Retry=retry)})
    for _ in range(2):
        found, seconds = took(sfn, lambda: sfn.end(sfn.start(machine)))
        assert (found["status"], found["error"], round(seconds)) == ("FAILED", "Broken", 30)
    assert len(calls) == 6


def test_a_task_that_takes_too_long_times_out(
    sfn: Interpreter, answering: Callable[[Callable[[object], Outcome]], None]
) -> None:
    def dawdle(_: object) -> Outcome:
        sfn.host.clock.sleep(500)
        return Outcome("{}")

    answering(dawdle)
    states = {"T": invoke(TimeoutSeconds=60, Catch=caught("States.Timeout")), "Caught": END}
    found, seconds = took(sfn, lambda: sfn.run(states))
    assert (found["status"], round(seconds)) == ("SUCCEEDED", 60)


def test_a_whole_machine_times_out(sfn: Interpreter) -> None:
    states = {"W": {"Type": "Wait", "Seconds": 1000, "Next": "E"}, "E": END}
    found, seconds = took(sfn, lambda: sfn.run(states, TimeoutSeconds=100))
    assert (found["status"], round(seconds)) == ("TIMED_OUT", 100)


# -- callbacks


def test_a_token_ends_a_wait_early(sfn: Interpreter) -> None:
    def work() -> Json:
        execution = sfn.start(sfn.machine({"T": await_token(TimeoutSeconds=600)}))
        sfn.client.send_task_success(taskToken=token_of(sfn), output='{"a": [1]}')
        return sfn.end(execution)

    found, seconds = took(sfn, work)
    assert json.loads(found["output"]) == {"a": [1]}
    assert seconds < 5


def test_a_failure_sent_to_a_token_keeps_its_name(sfn: Interpreter) -> None:
    execution = sfn.start(sfn.machine({"T": await_token(TimeoutSeconds=600)}))
    sfn.client.send_task_failure(taskToken=token_of(sfn), error="Mine", cause="why")
    found = sfn.end(execution)
    assert (found["error"], found["cause"]) == ("Mine", "why")


@pytest.mark.parametrize(
    ("rest", "name", "after"), [({}, "States.Timeout", 90), ({"HeartbeatSeconds": 20}, "States.HeartbeatTimeout", 20)]
)
def test_a_silent_token_times_out_under_its_own_name(sfn: Interpreter, rest: Json, name: str, after: int) -> None:
    states = {"T": await_token(TimeoutSeconds=90, Catch=caught(name), **rest), "Caught": END}
    found, seconds = took(sfn, lambda: sfn.run(states))
    assert (found["status"], round(seconds)) == ("SUCCEEDED", after)
    assert json.loads(found["output"])["Error"] == name


def test_heartbeats_keep_a_wait_alive(sfn: Interpreter) -> None:
    with sfn.host.clock.busy():
        execution = sfn.start(sfn.machine({"T": await_token(TimeoutSeconds=900, HeartbeatSeconds=20)}))
        token = token_of(sfn)
        for _ in range(5):
            sfn.host.clock.sleep(15)
            sfn.client.send_task_heartbeat(taskToken=token)
        sfn.client.send_task_success(taskToken=token, output="{}")
        assert sfn.end(execution)["status"] == "SUCCEEDED"


# -- children and stopping


def parent_of(child: str) -> Json:
    arguments = {"StateMachineArn": child, "Name": "the-child", "Input": {"text": 'a "b"\n'}}
    resource = "arn:aws:states:::states:startExecution.sync:2"
    return {"T": {"Type": "Task", "Resource": resource, "Arguments": arguments, "End": True}}


def test_a_parent_gets_its_childs_output_as_a_document(sfn: Interpreter) -> None:
    child = sfn.machine({"W": {"Type": "Wait", "Seconds": 50, "Next": "P"}, "P": {"Type": "Pass", "End": True}})
    found, seconds = took(sfn, lambda: sfn.run(parent_of(child)))
    assert json.loads(found["output"])["Output"] == {"text": 'a "b"\n'}
    assert round(seconds) == 50


def test_a_failed_child_fails_its_parent(sfn: Interpreter) -> None:
    child = sfn.machine({"F": {"Type": "Fail", "Error": "Own", "Cause": "c"}})
    found = sfn.run(parent_of(child))
    assert (found["status"], found["error"]) == ("FAILED", "States.TaskFailed")
    assert '"Own"' in found["cause"]


def test_a_stop_ends_parent_child_and_their_waits_at_once(sfn: Interpreter) -> None:
    with sfn.host.clock.busy():
        child = sfn.machine({"T": await_token(TimeoutSeconds=5000)})
        execution = sfn.start(sfn.machine(parent_of(child)))
        token_of(sfn)
        started = sfn.host.clock.time()
        sfn.client.stop_execution(executionArn=execution, error="Enough", cause="because")
        found = {**sfn.client.describe_execution(executionArn=execution)}
        assert (found["status"], found["error"], found["cause"]) == ("ABORTED", "Enough", "because")
        children = sfn.client.list_executions(stateMachineArn=child)["executions"]
        assert [each["status"] for each in children] == ["ABORTED"]
        assert sfn.host.clock.time() - started < 1


def test_an_execution_can_be_stopped_as_soon_as_it_has_started(sfn: Interpreter) -> None:
    machine = sfn.machine({"W": {"Type": "Wait", "Seconds": 5000, "Next": "E"}, "E": END})
    with sfn.host.clock.busy():
        for _ in range(10):
            execution = sfn.start(machine)
            sfn.client.stop_execution(executionArn=execution)
            assert sfn.client.describe_execution(executionArn=execution)["status"] == "ABORTED"


def test_a_stop_of_an_ended_execution_changes_nothing(sfn: Interpreter) -> None:
    found = sfn.run({"E": END})
    sfn.client.stop_execution(executionArn=found["executionArn"], error="Late")
    assert sfn.client.describe_execution(executionArn=found["executionArn"])["status"] == "SUCCEEDED"


# -- names


def test_one_name_and_input_is_one_execution_while_it_runs(sfn: Interpreter) -> None:
    machine = sfn.machine({"W": {"Type": "Wait", "Seconds": 60, "Next": "E"}, "E": END})
    with sfn.host.clock.busy():
        first = sfn.start(machine, {"a": 1}, name="one")
        assert sfn.start(machine, {"a": 1}, name="one") == first
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            sfn.start(machine, {"a": 2}, name="one")
        sfn.end(first)
        with pytest.raises(ClientError, match="ExecutionAlreadyExists"):
            sfn.start(machine, {"a": 1}, name="one")
        unnamed = [sfn.start(machine) for _ in range(2)]
        assert {sfn.end(each)["status"] for each in unnamed} == {"SUCCEEDED"}
        assert len(set(unnamed)) == 2


def test_the_history_of_an_ended_execution_stays_readable(sfn: Interpreter) -> None:
    found = sfn.run({"P": {"Type": "Pass", "Assign": {"x": 1}, "Next": "E"}, "E": END})
    events = sfn.client.get_execution_history(executionArn=found["executionArn"])["events"]
    assert [events[0]["type"], events[-1]["type"]] == ["ExecutionStarted", "ExecutionSucceeded"]


# -- errors


@pytest.mark.parametrize("name", ["ZeroDivisionError", "Sandbox.Timedout"])
def test_the_error_type_of_a_function_can_be_caught_by_name(
    sfn: Interpreter, answering: Callable[[Callable[[object], Outcome]], None], name: str
) -> None:
    answering(lambda _: Outcome(json.dumps({"errorType": name, "errorMessage": "m"}), "Unhandled"))
    states = {"T": invoke(Catch=caught(name)), "Caught": END}
    assert json.loads(sfn.run(states)["output"])["Error"] == name


def get_item(**rest: object) -> Json:
    arguments = {"TableName": "instantstart-operations", "Key": {"operation_id": {"S": "x"}, "record": {"S": "y"}}}
    return {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:dynamodb:getItem", "Arguments": arguments, **rest}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(Kind.THROTTLE, "DynamoDb.ThrottlingException"), (Kind.HANG, "DynamoDb.SdkClientException")],
)
def test_errors_of_the_sdk_have_the_names_of_step_functions(sfn: Interpreter, kind: Kind, name: str) -> None:
    states = {"T": get_item(Catch=caught(name), End=True), "Caught": END}
    with sfn.host.faults.planned(Fault("dynamodb", "GetItem", kind, times=99)):
        assert json.loads(sfn.run(states)["output"])["Error"] == name


def test_timestamps_and_names_of_sdk_answers_are_as_on_aws(sfn: Interpreter) -> None:
    task = {"Type": "Task", "Resource": "arn:aws:states:::aws-sdk:iam:getRole", "End": True}
    role = "instantstart-machine-stage-us-west-2"
    answer = sfn.output({"T": {**task, "Arguments": {"RoleName": role}, "Output": "{% $states.result.Role %}"}})
    assert isinstance(answer, dict)
    assert answer["RoleName"] == role
    assert answer["CreateDate"].endswith("Z")


# -- data


def test_variables_keep_quotes_newlines_null_and_single_elements(sfn: Interpreter) -> None:
    nasty: Json = {"text": 'a "quoted"\nline with ünïcode 🚀', "none": None, "list": [1], "object": {"in": [{"x": []}]}}
    states = {
        "A": {
            "Type": "Pass",
            "Assign": {"kept": "{% $states.input %}", "list": "{% $states.input.list %}"},
            "Next": "B",
        },
        "B": {"Type": "Pass", "Output": {"kept": "{% $kept %}", "list": "{% $list %}"}, "End": True},
    }
    assert sfn.output(states, nasty) == {"kept": nasty, "list": [1]}


def test_an_undefined_result_is_an_evaluation_error(sfn: Interpreter) -> None:
    found = sfn.run({"P": {"Type": "Pass", "Output": "{% $states.input.absent %}", "End": True}})
    assert (found["status"], found["error"]) == ("FAILED", "States.QueryEvaluationError")


def test_a_choice_takes_the_first_rule_that_holds_else_its_default(sfn: Interpreter) -> None:
    states = {
        "C": {
            "Type": "Choice",
            "Choices": [{"Condition": "{% $states.input.n > 5 %}", "Next": "Big"}],
            "Default": "Small",
        },
        "Big": {"Type": "Pass", "Output": "big", "End": True},
        "Small": {"Type": "Pass", "Output": "small", "End": True},
    }
    assert (sfn.output(states, {"n": 6}), sfn.output(states, {"n": 5})) == ("big", "small")


@pytest.mark.parametrize(("concurrency", "seconds"), [(1, 30), (3, 10)])
def test_a_map_goes_through_its_items_in_its_width(sfn: Interpreter, concurrency: int, seconds: int) -> None:
    wait = {"Type": "Wait", "Seconds": 10, "Next": "P"}
    inner = {
        "StartAt": "W",
        "States": {"W": wait, "P": {"Type": "Pass", "Output": "{% $states.input & '!' %}", "End": True}},
    }
    items = "{% $states.input.names %}"
    states = {"M": {"Type": "Map", "Items": items, "MaxConcurrency": concurrency, "ItemProcessor": inner, "End": True}}
    found, lasted = took(sfn, lambda: sfn.run(states, {"names": ["a", "b", "c"]}))
    assert (json.loads(found["output"]), round(lasted)) == (["a!", "b!", "c!"], seconds)


def test_twenty_executions_of_one_program_do_not_mix_their_data(sfn: Interpreter) -> None:
    states = {
        "A": {"Type": "Pass", "Assign": {"mine": "{% $states.input.n %}"}, "Next": "W"},
        "W": {"Type": "Wait", "Seconds": 5, "Next": "B"},
        "B": {"Type": "Pass", "Output": "{% $mine %}", "End": True},
    }
    machine = sfn.machine(states)
    with sfn.host.clock.busy():
        started = [sfn.start(machine, {"n": number}) for number in range(20)]
        assert [json.loads(sfn.end(each)["output"]) for each in started] == list(range(20))
