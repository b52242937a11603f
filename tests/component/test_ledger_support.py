"""What the ledger's component tests share: an account on moto, a clock that tests move, and counted calls."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import botocore.session
import pytest
from botocore.loaders import create_loader
from moto import mock_aws

from functions.core import ledger, runtime
from functions.core.ledger import Ending, begin
from functions.core.ledger.models import (
    Actor,
    Channel,
    JsonObject,
    NewOperation,
    Operation,
    OperationStatus,
    PlannedStage,
)
from functions.core.ledger.tables import CLUSTERS, OPERATIONS, TABLES
from functions.core.signing import SECRETS, sign
from infra.local.deployment import make_signing_key
from infra.local.engine import dynamodb
from tests.component.test_privilege_support import judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from botocore.model import OperationModel

    from functions.core.errors import Problem, ProblemBody
    from functions.core.ledger.items import Item
    from infra.local.clients import SecretsClient

ACCOUNT: Final = "123456789012"
PREFIX: Final = f"arn:aws:states:us-west-2:{ACCOUNT}:stateMachine:instantstart-"
ENVIRONMENT: Final = {
    "AWS_REGION": "us-west-2",
    "ACCOUNT_ID": ACCOUNT,
    "STATE_MACHINE_PREFIX": PREFIX,
    **{table.variable: f"instantstart-{table.name}" for table in TABLES},
}
# Parsing the services' models is most of what a new session costs.
LOADER: Final = create_loader()
KINDS: Final = ("create_cluster", "create_hyperpod", "delete_cluster", "delete_hyperpod", "update_cluster")
ANN: Final = Actor(id="ann", channel=Channel.CONSOLE, client="browser")
BOB: Final = Actor(id="bob", channel=Channel.AGENT, client="mcp")
STAGES: Final = ("foundation/network", "foundation/roles", "dependencies/addon:pod-identity", "hyperpod/create")

Result = TypeVar("Result")


@dataclass
class FakeClock:
    """Time that only a test, or a pause of the code under test, moves."""

    time: datetime = datetime(2026, 5, 10, 12, 0, 0, 123456, tzinfo=UTC)
    slept: list[float] = field(default_factory=list)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time += timedelta(seconds=seconds)

    def advance(self, **length: float) -> None:
        self.time += timedelta(**length)


@dataclass
class Account:
    """The runtime under test with its clock and the calls it made."""

    runtime: runtime.Runtime
    clock: FakeClock
    calls: list[str] = field(default_factory=list)
    keys: dict[int, str] = field(default_factory=dict)

    def rotate(self, generation: int) -> None:
        """Deploy a generation of the signing keys: its own is the newest, and the one before stays good."""
        client = self.runtime.session.create_client("secretsmanager", region_name=ENVIRONMENT["AWS_REGION"])
        arn = make_signing_key(cast("SecretsClient", client), generation, f"key of generation {generation}")
        self.keys[generation] = arn
        self.tell(arn, *(self.keys[each] for each in (generation - 1,) if each in self.keys))

    def tell(self, *secrets: str) -> None:
        """Name the secrets of the signing keys in the functions' settings, the newest first."""
        assert isinstance(self.runtime.environment, dict)
        self.runtime.environment[SECRETS] = ",".join(secrets)

    @contextmanager
    def counted(self) -> Iterator[list[str]]:
        """Collect the names of the calls made in a block."""
        first, made = len(self.calls), list[str]()
        yield made
        made += self.calls[first:]


@pytest.fixture
def account() -> Iterator[Account]:
    dynamodb.install()
    clock = FakeClock()
    with mock_aws():
        session = botocore.session.Session()
        session.register_component("data_loader", LOADER)
        session.set_credentials("test", "test")
        made = Account(runtime.Runtime(dict(ENVIRONMENT), session, clock), clock)
        session.register("before-call", recorder(made))
        with runtime.bound(made.runtime):
            dynamodb.create_tables(runtime.client("dynamodb"), TABLES, ENVIRONMENT)
            create_machines()
            made.rotate(1)
            # A function asks for its key once in its life, which is another test's.
            sign("")
            made.calls.clear()
            yield made


def recorder(account: Account) -> Callable[..., None]:
    def record(*, model: OperationModel, params: dict[str, Any], **_: object) -> object:
        account.calls.append(model.name)
        return judged(model, params)

    # What it gives, if anything, is the answer; the stubs know only of handlers that give nothing.
    return cast("Callable[..., None]", record)


def create_machines() -> None:
    definition = '{"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}'
    role = f"arn:aws:iam::{ACCOUNT}:role/pipelines"
    for kind in KINDS:
        name = f"instantstart-{kind}"
        runtime.client("stepfunctions").create_state_machine(name=name, definition=definition, roleArn=role)


def executions() -> list[str]:
    """The names of all executions."""
    client = runtime.client("stepfunctions")
    machines = [f"{PREFIX}{kind}" for kind in KINDS]
    return [each["name"] for arn in machines for each in client.list_executions(stateMachineArn=arn)["executions"]]


def new_operation(
    tag: str = "t1",
    *,
    key: str | None = None,
    scopes: Sequence[str] = ("foundation", "dependencies", "hyperpod"),
    kind: str = "create_cluster",
    request: JsonObject | None = None,
    stages: Sequence[str] = STAGES,
    actor: Actor = ANN,
    new_cluster: JsonObject | None = None,
) -> NewOperation:
    planned = [
        PlannedStage(phase=phase, name=name, function="stages", title=f"Make {name}", expected_seconds=60)
        for phase, _, name in (stage.partition("/") for stage in stages)
    ]
    return NewOperation(
        kind=kind,
        cluster_tag=tag,
        actor=actor,
        request=request if request is not None else {"tag": tag, "patch": {"field": None}, "count": 2, "rate": 0.5},
        stages=planned,
        scopes=list(scopes),
        route="POST /api/clusters",
        idempotency_key=key,
        new_cluster=new_cluster,
    )


def begun(tag: str = "t1", **options: Sequence[str]) -> Operation:
    return begin(new_operation(tag, **options)).operation  # type: ignore[arg-type]


def finish_operation(
    operation_id: str,
    status: OperationStatus,
    *,
    result: JsonObject | None = None,
    error: ProblemBody | None = None,
    conditions: Mapping[str, JsonObject] | None = None,
) -> Operation:
    """End an operation as a test wants it, whatever its stages say."""
    return ledger.finish_operation(ledger.get(operation_id), Ending(status, result, error, None, conditions or {}))


def store_await_token(operation_id: str, stage: str, token: str) -> None:
    """Keep a task token as the `stage` machine does."""
    runtime.client("dynamodb").update_item(
        TableName=ENVIRONMENT[OPERATIONS.variable],
        Key={"operation_id": {"S": operation_id}, "record": {"S": stage}},
        UpdateExpression="SET await_token = :token",
        ExpressionAttributeValues={":token": {"S": token}},
    )


def cluster_records(tag: str = "t1") -> dict[str, Item]:
    """Everything the clusters table holds of one cluster, by record."""
    answer = runtime.client("dynamodb").query(
        TableName=ENVIRONMENT[CLUSTERS.variable],
        KeyConditionExpression="cluster_tag = :tag",
        ExpressionAttributeValues={":tag": {"S": tag}},
    )
    return {item["record"]["S"]: item for item in answer["Items"]}


def owners(tag: str = "t1") -> dict[str, str]:
    """Who owns which scope."""
    records = cluster_records(tag).items()
    return {name.removeprefix("lease#"): item["owner"]["S"] for name, item in records if "owner" in item}


def together(calls: Sequence[Callable[[], Result]]) -> list[Result | Problem]:
    """Make calls at the same moment, each in a thread of its own; give results and problems in order."""
    from functions.core.errors import Problem as AnyProblem

    gate = Barrier(len(calls))

    def one(call: Callable[[], Result]) -> Result | Problem:
        gate.wait()
        try:
            return call()
        except AnyProblem as problem:
            return problem

    with ThreadPoolExecutor(len(calls)) as pool:
        waiting = [pool.submit(contextvars.copy_context().run, one, call) for call in calls]
        return [each.result() for each in waiting]
