"""What passes between states stays small; `component/test_capacity_sizes.py` shows it for a large cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from infra.topology import MACHINES
from tests.host.driver import Driver, hyperpod_request

STATE_BYTES = 32 * 1024


def exchanged(driver: Driver) -> Iterator[str]:
    """Every input and output of every state and task of every execution."""
    pages = driver.host.client("stepfunctions").get_paginator("get_execution_history")
    for execution in (each for machine in MACHINES for each in driver.executions(machine.name)):
        for page in pages.paginate(executionArn=execution["executionArn"]):
            for event in page["events"]:
                for details in event.values():
                    if isinstance(details, dict):
                        yield from (details[name] for name in ("input", "output") if name in details)


@pytest.mark.case(72)
def test_states_pass_identifiers_and_verdicts_and_no_lists(driver_of_prepared: Driver) -> None:
    assert driver_of_prepared.run("/api/clusters/base/hyperpod", hyperpod_request(count=3))["status"] == "SUCCEEDED"
    passed = list(exchanged(driver_of_prepared))
    assert len(passed) > 100
    assert max(map(len, passed)) < STATE_BYTES
    instances = driver_of_prepared.host.client("sagemaker").list_cluster_nodes(ClusterName="hp-cluster-base")
    [first, *_] = [node["InstanceId"] for node in instances["ClusterNodeSummaries"]]
    assert not [text for text in passed if first in text]
