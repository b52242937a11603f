"""What has happened on the host before the pictures are taken: a person, a program and an agent at work."""

from __future__ import annotations

from dataclasses import dataclass

from infra.local.faults import Fault, Kind
from tests.host.agents import Agent
from tests.host.driver import Driver, cluster_request, hyperpod_request


@dataclass(frozen=True)
class Story:
    """The operations that pictures show: one that failed, and one of an agent that is under way."""

    failed: str
    running: str


def told(driver: Driver) -> Story:
    """Let it happen: `vision` stands, `speech` failed, and an agent's `research` waits for its nodes."""
    finished = driver.create(cluster_request("vision", count=2))
    assert finished["status"] == "SUCCEEDED", finished["error"]
    failed = driver.failing("/api/clusters", {"tag": "speech"}, Fault("cloudformation", "CreateStack", Kind.DENY))
    begun = Agent(driver.host).done("cluster_create", tag="research", hyperpod=hyperpod_request(count=4), storage={})
    driver.until(begun["operation_id"], "hyperpod_cluster")
    driver.sleep(90)
    return Story(failed["operation_id"], begun["operation_id"])
