"""An upgrade meets running operations: they keep the machines they began with, and today's code serves them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import pytest

from functions.clusters.models import Condition
from functions.core import catalogue
from functions.core.cluster import ClusterSpec
from functions.core.ledger.items import model_of, text_of
from functions.core.ledger.models import AuditEntry, Operation, Stage
from functions.core.ledger.tables import TABLES
from functions.core.observations import ClusterEvent, ObservedCondition
from functions.core.phases import PHASES
from functions.core.pipeline import Step
from functions.core.turn import Turn
from functions.entry.domains import DECLARATIONS
from infra.local.host import LocalHost
from infra.topology import PREFIX, TOPOLOGY
from tests.host.driver import Driver, cluster_request, stage_of, statuses
from tests.workflows.releases.freezing import FINISHED, MIDWAY
from tests.workflows.releases.frozen import Frozen, Item, in_place, last

if TYPE_CHECKING:
    from pydantic import BaseModel

# What tables and their lists need beside the models' own fields, and the one record that no model reads.
INTERNAL = {"record", "expires_at", "audit_month", "created_at_id", "month", "unfinished", "tag_record", "listed"}
LEASE = re.compile(r"lease#.+")
# Beginning and end of an operation, and of each stage of it.
STEPS = {"begin_operation", "begin_stage", "finish_stage", "cancel_stage", "close_operation"}


@pytest.fixture(scope="module")
def frozen() -> Frozen:
    return last()


@pytest.fixture
def machines_of_before(session_host: LocalHost, frozen: Frozen) -> Iterator[None]:
    """Whatever is begun runs by the definitions of the release before."""
    with in_place(session_host, frozen):
        yield


def model_for(item: Item) -> type[BaseModel]:
    """Say as what today's code reads an item."""
    record = text_of(item, "record")
    if record.startswith("condition#"):
        return ObservedCondition if "order" in item else Condition
    by_record: dict[str, type[BaseModel]] = {
        "operation": Operation,
        "spec": ClusterSpec,
        "stage": Stage,
        "audit": AuditEntry,
        "": ClusterEvent,
    }
    return by_record[record.partition("#")[0]]


def items_of(frozen: Frozen) -> list[Item]:
    every = [items for name in (FINISHED, MIDWAY) for items in frozen.records(name).values()]
    return [item for items in every for item in items if not LEASE.fullmatch(text_of(item, "record"))]


def load(host: LocalHost, records: dict[str, list[Item]]) -> None:
    for table, items in records.items():
        for item in items:
            host.client("dynamodb").put_item(TableName=f"{PREFIX}{table}", Item=item)


@pytest.mark.usefixtures("machines_of_before")
def test_old_machines_make_and_delete_a_foundation_with_todays_code(driver: Driver) -> None:
    created = driver.create({"tag": "t1"})
    assert created["status"] == "SUCCEEDED", created["error"]
    assert driver.states("create_foundation", created["operation_id"])[-1] == "Closed"
    deleted = driver.delete("/api/clusters/t1")
    assert deleted["status"] == "SUCCEEDED", deleted["error"]
    assert not driver.made("t1")


def half_made(driver: Driver, records: dict[str, list[Item]]) -> dict[str, list[Item]]:
    """Let a stack be half made as that of the records was, and give the records with its id, which AWS makes up."""
    operation_id = driver.post("/api/clusters", cluster_request(MIDWAY))["operation_id"]
    operation = driver.until_said(operation_id, "foundation", "CREATE_IN_PROGRESS")
    driver.stop_everything()
    driver.finish(operation_id)
    table, tag = f"{PREFIX}clusters", {":tag": {"S": MIDWAY}}
    client = driver.host.client("dynamodb")
    made = client.query(TableName=table, KeyConditionExpression="cluster_tag = :tag", ExpressionAttributeValues=tag)[
        "Items"
    ]
    for item in made:
        client.delete_item(TableName=table, Key={name: item[name] for name in ("cluster_tag", "record")})
    [stack] = stage_of(operation, "foundation")["resources"]
    text = json.dumps(records)
    [old] = set(re.findall(rf"{stack.rpartition('/')[0]}/[0-9a-f-]+", text))
    return cast("dict[str, list[Item]]", json.loads(text.replace(old, stack)))


@pytest.mark.usefixtures("machines_of_before")
def test_an_operation_that_the_release_before_left_half_way_comes_to_its_end(driver: Driver, frozen: Frozen) -> None:
    records = half_made(driver, frozen.records(MIDWAY))
    load(driver.host, records)
    operation_id = text_of(records["operations"][0], "operation_id")
    before = driver.operation(operation_id)
    assert (before["status"], statuses(before)["foundation"]) == ("RUNNING", "RUNNING")
    # The sweeper finds that nothing runs for it.
    operation = driver.finish(operation_id)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [stage["name"] for stage in operation["stages"]] == [stage["name"] for stage in before["stages"]]
    assert driver.get(f"/api/clusters/{MIDWAY}")["active_operation_ids"] == []
    assert driver.made(MIDWAY)["stack"] == 1


def test_what_the_release_before_left_is_answered_as_it_was(driver: Driver, frozen: Frozen) -> None:
    records = frozen.records(FINISHED)
    load(driver.host, records)
    cluster = driver.get(f"/api/clusters/{FINISHED}")
    assert {each["status"] for each in cluster["conditions"]} == {"True"}
    operation = driver.operation(text_of(records["operations"][0], "operation_id"))
    assert operation["status"] == "SUCCEEDED"
    assert operation["result"]["hyperpod_cluster"]["name"] == f"hp-cluster-{FINISHED}"
    assert driver.get(f"/api/clusters/{FINISHED}/events")["events"]


def test_every_record_of_the_release_before_is_read_and_nothing_of_it_passed_over(frozen: Frozen) -> None:
    keys = {key.name for table in TABLES for key in (table.partition, table.sort) if key}
    indexed = {index.partition.name for table in TABLES for index in table.indexes}
    items = items_of(frozen)
    assert {model_for(item) for item in items} >= {Operation, Stage, AuditEntry, ClusterSpec, Condition, ClusterEvent}
    for item in items:
        model = model_for(item)
        model_of(model, {**item, "type": {"S": "any"}} if model is Condition else item)
        # A field that got another name would be read as if it had been left out.
        assert item.keys() - model.model_fields.keys() - keys - indexed - INTERNAL == set(), text_of(item, "record")


def test_every_payload_of_the_machines_before_is_understood(frozen: Frozen) -> None:
    functions = {function.name for function in TOPOLOGY.functions}
    seen = set[str]()
    for payload in frozen.payloads():
        assert payload.function in functions
        model = Step if payload.function == "operations" else Turn
        seen.add(model.model_validate(payload.event).action)
    assert seen >= {*STEPS, "apply", "observe"}


def test_every_stage_of_the_release_before_is_still_run_by_its_function(frozen: Frozen) -> None:
    catalogue.install(DECLARATIONS)
    for item in items_of(frozen):
        if model_for(item) is Stage:
            stage = model_of(Stage, item)
            assert catalogue.stage(stage.name).function == stage.function


def test_what_the_machines_before_name_is_still_there(frozen: Frozen) -> None:
    text = "\n".join(frozen.definitions().values())
    functions, machines = ({each.name for each in made} for made in (TOPOLOGY.functions, TOPOLOGY.machines))
    assert set(re.findall(r"\$\{FunctionPrefix\}(\w+)", text)) <= functions
    assert set(re.findall(r"\$\{StateMachinePrefix\}(\w+)", text)) <= machines
    assert set(re.findall(r"\$phases\.(\w+)", text)) <= set(PHASES)
    assert frozen.definitions().keys() <= machines
