"""What functions are told of a deployment."""

from __future__ import annotations

from dataclasses import replace

from infra.release import GATEWAY, Place, Release, environment
from infra.shapes import Function
from infra.topology import TOPOLOGY, Topology

PLACE = Place("123456789012", "us-west-2")


def gateway_of(topology: Topology) -> str:
    return environment(topology, PLACE, Release("r1", ()))["GATEWAY_ROLE_ARN"]


def test_nobody_is_the_gateway_before_there_is_its_function() -> None:
    others = tuple(each for each in TOPOLOGY.functions if each.name != GATEWAY)
    assert gateway_of(replace(TOPOLOGY, functions=others)) == ""
    answering = Function(GATEWAY, "functions.entry.mcp.handler", "answers agents")
    assert gateway_of(replace(TOPOLOGY, functions=(*others, answering))) == (
        "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-function-mcp-us-west-2"
    )
