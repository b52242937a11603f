"""The parts of the ledger that decide without a table."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import botocore.session
import pytest

from functions.core import runtime
from functions.core.errors import DeploymentFault, InvalidPageToken, StageFailed
from functions.core.ledger.begin import numbered
from functions.core.ledger.executions import execution_arn
from functions.core.ledger.idempotency import request_hash
from functions.core.ledger.identifiers import CROCKFORD, new_identifier
from functions.core.ledger.items import attribute, item_of, model_of, plain, timestamp
from functions.core.ledger.leases import Holder, ancestors, holder, outermost
from functions.core.ledger.models import (
    Actor,
    Channel,
    NewOperation,
    Operation,
    PlannedStage,
    Reason,
    Stage,
    StageStatus,
)
from functions.core.ledger.paging import seal, unseal
from functions.core.ledger.queries import phase_status
from functions.core.ledger.tables import OPERATIONS, TABLES
from functions.core.ledger.writes import put, update

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENVIRONMENT = {
    "AWS_REGION": "us-west-2",
    "SIGNING_KEY_ARNS": " arn:newest , arn:former ",
    "OPERATIONS_TABLE": "ops",
    "STATE_MACHINE_PREFIX": "arn:aws:states:us-west-2:123456789012:stateMachine:instantstart-",
}
ACTOR = Actor(id="ann", channel=Channel.REST, client="cli")
P, R, S, F, C, K = (StageStatus(name) for name in ["PENDING", "RUNNING", "SUCCEEDED", "FAILED", "CANCELLED", "SKIPPED"])


class Clock:
    time = datetime(2026, 5, 10, 12, 0, 0, 999999, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def secret(params: dict[str, str], **_: object) -> object:
    """Answer in Secrets Manager's place: a secret holds what its ARN ends with."""
    name = json.loads(params["body"])["SecretId"].removeprefix("arn:")
    return SimpleNamespace(status_code=200), {"SecretString": "" if name == "empty" else f"key {name}"}


@pytest.fixture
def clock() -> Iterator[Clock]:
    made, session = Clock(), botocore.session.Session()
    session.set_credentials("test", "test")
    session.register("before-call.secrets-manager.GetSecretValue", cast("Callable[..., None]", secret))
    with runtime.bound(runtime.Runtime(dict(ENVIRONMENT), session, made)):
        yield made


def test_identifiers_are_ulids_that_sort_by_their_time(clock: Clock) -> None:
    made = []
    for _ in range(20):
        made += [new_identifier(), new_identifier()]
        clock.sleep(0.001)
    assert made == sorted(made)
    assert len(set(made)) == 40
    assert all(len(each) == 26 and set(each) <= set(CROCKFORD) for each in made)


def test_the_time_of_an_identifier_can_be_read_back(clock: Clock) -> None:
    value = 0
    for character in new_identifier():
        value = value * 32 + CROCKFORD.index(character)
    assert datetime.fromtimestamp((value >> 80) / 1000, UTC) == clock.time.replace(microsecond=999000)


def test_instants_are_written_in_utc_with_milliseconds() -> None:
    east = timezone(timedelta(hours=2))
    assert timestamp(datetime(2026, 1, 1, 1, 0, 0, 5999, tzinfo=east)) == "2025-12-31T23:00:00.005Z"


@pytest.mark.parametrize(
    "value", [None, True, False, 0, -7, 10**30, 1.5, -2.5e-7, "", "é", [], {}, [None, {"a": [1, {"b": None}]}]]
)
def test_json_values_survive_the_table(value: object) -> None:
    assert plain(attribute(value)) == value
    assert type(plain(attribute(value))) is type(value)


def test_sets_of_text_become_sorted_lists_and_other_things_are_refused() -> None:
    assert plain(attribute({"b", "a"})) == ["a", "b"]
    with pytest.raises(TypeError, match="bytes"):
        attribute(b"raw")


def test_a_model_survives_the_table_without_what_is_none_and_without_foreign_attributes() -> None:
    stage = Stage(
        number=10,
        phase="a",
        name="b",
        function="f",
        title="t",
        expected_seconds=3,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        reason=Reason.BLOCKED,
        result={"kept": None},
        error=StageFailed("no").body(),
    )
    item = item_of(stage.model_dump(exclude_none=True))
    assert "finished_at" not in item
    assert model_of(Stage, item | {"await_token": {"S": "secret"}}) == stage


def test_the_scope_tree_names_ancestors_nearest_first() -> None:
    assert ancestors("cluster") == ()
    assert ancestors("storage") == ("cluster",)
    assert ancestors("feature:ray") == ("cluster",)
    assert ancestors("workload:a:b") == ("cluster",)
    assert ancestors("group:a") == ("hyperpod", "cluster")


@pytest.mark.parametrize("scope", ["", "none", "group", "group:", "storage:x", "cluster:x", "hyperpod:"])
def test_a_scope_outside_of_the_tree_is_a_mistake_of_the_code(scope: str) -> None:
    with pytest.raises(ValueError, match="lease scope"):
        ancestors(scope)


def test_covered_scopes_are_not_taken_beside_their_ancestor() -> None:
    assert outermost(["group:b", "group:a", "group:a"]) == ["group:a", "group:b"]
    assert outermost(["group:a", "hyperpod", "storage"]) == ["hyperpod", "storage"]
    assert outermost(["group:a", "hyperpod", "cluster", "storage"]) == ["cluster"]


def test_the_holder_is_the_owner_or_whoever_is_below() -> None:
    assert holder("storage", {"owner": {"S": "op"}}) == Holder("op", "storage")
    assert holder("cluster", {"children": {"SS": ["workload:a=b=op"]}}) == Holder("op", "workload:a=b")


@pytest.mark.parametrize(
    ("stages", "ended", "status"),
    [
        ([P, P], False, P),
        ([K, P], False, P),
        ([S, P], False, R),
        ([S, P], True, P),
        ([R, P], False, R),
        ([S, S], False, S),
        ([K, S], True, S),
        ([K, K], False, K),
        ([S, F, R], False, F),
        ([C, F], True, F),
        ([S, C, P], True, C),
    ],
)
def test_a_phase_is_as_its_stages_are(stages: list[StageStatus], ended: bool, status: StageStatus) -> None:
    assert phase_status(stages, ended) is status


def new(**changes: object) -> NewOperation:
    fields = {"kind": "k", "cluster_tag": "t", "request": {"a": 1, "b": [1, 2]}, "idempotency_key": "1"} | changes
    return NewOperation.model_validate({"actor": ACTOR, "stages": [], "scopes": [], "route": "r", **fields})


def test_requests_are_the_same_when_body_kind_and_tag_are() -> None:
    assert request_hash(new()) == request_hash(new(request={"b": [1, 2], "a": 1}, idempotency_key="2"))
    others = [new(kind="x"), new(cluster_tag="x"), new(request={"a": 1, "b": [2, 1]}), new(request={"a": "1"})]
    assert len({request_hash(each) for each in [new(), *others]}) == 5


def test_stages_keep_the_order_of_the_plan_in_their_keys() -> None:
    planned = [PlannedStage(phase="p", name="n", function="f", title="t", expected_seconds=1)] * 90
    records = [stage.record for stage in numbered(planned)]
    assert records == sorted(records)
    assert (records[0], records[-1]) == ("stage#010#p#n", "stage#900#p#n")


def test_a_page_token_says_where_to_go_on_and_is_bound(clock: Clock) -> None:
    token = seal("2026-05", {"kind": "a"}, "ann")
    assert unseal(token, {"kind": "a"}, "ann") == "2026-05"
    assert set(token) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
    for query, caller in (({"kind": "b"}, "ann"), ({"kind": None}, "ann"), ({"kind": "a"}, "bob")):
        with pytest.raises(InvalidPageToken):
            unseal(token, query, caller)


@pytest.mark.parametrize(
    ("told", "why"),
    [("", "no environment variable"), (" , ", "names no secret"), ("arn:empty", "arn:empty, which holds no text")],
)
def test_a_deployment_without_a_key_is_broken_not_open(clock: Clock, told: str, why: str) -> None:
    environment = runtime.environment()
    assert isinstance(environment, dict)
    environment["SIGNING_KEY_ARNS"] = told
    attempts: list[Callable[[], str]] = [lambda: unseal(".", {}, "ann"), lambda: seal("2026-05", {}, "ann")]
    for attempt in attempts:
        with pytest.raises(DeploymentFault, match=f"SIGNING_KEY_ARNS.*{why}|{why} SIGNING_KEY_ARNS") as broken:
            attempt()
        assert str(broken.value.remedy).startswith("Deploy the control plane")


def test_a_key_that_is_held_is_not_shown_with_what_holds_it(clock: Clock) -> None:
    seal("2026-05", {}, "ann")
    assert "arn:newest" in repr(runtime.current())
    assert "key newest" not in repr(runtime.current())


def test_a_write_names_only_what_its_expressions_use(clock: Clock) -> None:
    write = update(
        OPERATIONS, {"operation_id": "1"}, assign={"a": 1, "b": None}, add={"n": 1}, where="#a = :old", old=0, idle=9
    )
    assert write["Update"]["UpdateExpression"] == "SET #a = :new_a REMOVE #b ADD #n :new_n"
    assert write["Update"]["ExpressionAttributeNames"] == {"#a": "a", "#b": "b", "#n": "n"}
    assert set(write["Update"]["ExpressionAttributeValues"]) == {":new_a", ":new_n", ":old"}
    assert write["Update"]["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
    assert "ConditionExpression" not in put(OPERATIONS, {})["Put"]


def test_an_execution_is_found_by_kind_and_operation(clock: Clock) -> None:
    now = clock.now()
    operation = Operation(
        operation_id="01",
        kind="create_cluster",
        cluster_tag="t",
        account_id="123456789012",
        region="us-west-2",
        actor=ACTOR,
        request={},
        scopes=[],
        created_at=now,
        updated_at=now,
    )
    expected = "arn:aws:states:us-west-2:123456789012:execution:instantstart-create_cluster:01"
    assert execution_arn(operation) == expected


def test_durable_tables_can_be_restored_and_the_cache_is_not_kept() -> None:
    durable = {table.name: table.point_in_time_recovery for table in TABLES}
    lasting = {"clusters": True, "operations": True, "preferences": True}
    passing = dict.fromkeys(("idempotency", "cluster_events", "connections", "tickets", "notices"), False)
    assert durable == lasting | passing
    assert {table.name for table in TABLES if table.ttl_attribute} == {"operations", *passing}
    assert {table.billing for table in TABLES} == {"PAY_PER_REQUEST"}
