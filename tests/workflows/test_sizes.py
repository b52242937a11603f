"""What passes between states, and what the ledger keeps, stays small however large the cluster is."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from infra.topology import MACHINES
from tests.host.driver import Driver

NODES = 100
STATE_BYTES = 32 * 1024
RECORD_BYTES = 400 * 1024


def exchanged(driver: Driver) -> Iterator[str]:
    """Every input and output of every state and task of every execution."""
    pages = driver.host.client("stepfunctions").get_paginator("get_execution_history")
    for execution in (each for machine in MACHINES for each in driver.executions(machine.name)):
        for page in pages.paginate(executionArn=execution["executionArn"]):
            for event in page["events"]:
                for details in event.values():
                    if isinstance(details, dict):
                        yield from (details[name] for name in ("input", "output") if name in details)


def records(driver: Driver) -> Iterator[str]:
    """Every record of the ledger, as large as DynamoDB counts it at the least."""
    tables = driver.host.client("dynamodb").get_paginator("scan")
    for name in ("instantstart-operations", "instantstart-clusters"):
        for page in tables.paginate(TableName=name):
            yield from (json.dumps(item) for item in page["Items"])


@pytest.mark.case(72)
def test_two_thousand_nodes_pass_no_list_through_the_state_machines(driver_of_prepared: Driver) -> None:
    driver, kind = driver_of_prepared, "ml.c6g.medium"
    driver.host.world.hyperpod.conditions.set_quota(f"{kind} for cluster usage", NODES)
    group = {"name": "many", "instance_type": kind, "instance_count": NODES}
    request = {"availability_zone": "us-west-2c", "subnet_prefix": 18, "instance_groups": [group]}
    operation = driver.run("/api/clusters/base/hyperpod", request)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert [(each["count"], each["ready"]) for each in operation["result"]["nodes"]] == [(NODES, NODES)]
    assert max(map(len, exchanged(driver))) < STATE_BYTES
    assert max(map(len, records(driver))) < RECORD_BYTES
