"""What functions are told of a deployment, and what is called by its region."""

from __future__ import annotations

from dataclasses import replace

import pytest

from functions.core.roles import is_of_a_deployment, is_of_clusters
from infra.privilege.roles import documents
from infra.release import (
    BOUNDARY,
    FILES,
    GATEWAY,
    OWN_BOUNDARY,
    Place,
    Release,
    boundary_arn,
    environment,
    function_role,
)
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


# Sources: IAM user guide, "IAM and AWS STS quotas"; of the longest names of regions, one of each partition.
ROLE_NAME_LIMIT, POLICY_NAME_LIMIT = 64, 128
LONGEST = ["ap-southeast-4", "us-gov-west-1", "cn-northwest-1", "eusc-de-east-1"]


@pytest.mark.parametrize("region", LONGEST)
def test_every_name_fits_into_what_iam_takes_wherever_it_is_deployed(region: str) -> None:
    there = replace(PLACE, region=region)
    roles = [*documents(TOPOLOGY, there), function_role(FILES), function_role(GATEWAY)]
    policies = [*(f"{role}-looks" for role in roles), BOUNDARY, OWN_BOUNDARY]
    assert max(len(there.global_name(role)) for role in roles) <= ROLE_NAME_LIMIT
    assert max(len(there.global_name(policy)) for policy in policies) <= POLICY_NAME_LIMIT


def test_what_an_account_has_once_is_named_by_region_and_stands_under_a_path_of_its_own() -> None:
    there = replace(PLACE, region="eu-west-1")
    for name in documents(TOPOLOGY, PLACE):
        assert PLACE.role_arn(name).rpartition("/")[2] != there.role_arn(name).rpartition("/")[2]
        assert PLACE.role_arn(name).rpartition("/")[0] != there.role_arn(name).rpartition("/")[0]
    assert (
        boundary_arn(PLACE) == "arn:aws:iam::123456789012:policy/instantstart/us-west-2/instantstart-boundary-us-west-2"
    )
    assert boundary_arn(PLACE) != boundary_arn(there)


@pytest.mark.parametrize(
    ("path", "of_clusters"),
    [
        ("us-west-2/instantstart-foundation-us-west-2", False),
        ("us-west-2/clusters/instantstart-a-us-west-2-execution", True),
        ("instantstart-a-execution", False),
        ("us-west-20/clusters/instantstart-a-us-west-20-execution", False),
        ("eu-west-1/instantstart-foundation-eu-west-1", False),
        ("eu-west-1/clusters/instantstart-a-eu-west-1-execution", False),
    ],
)
def test_a_role_is_known_for_ours_by_its_path(path: str, of_clusters: bool) -> None:
    arn = f"arn:aws:iam::123456789012:role/instantstart/{path}"
    assert (is_of_a_deployment(arn), is_of_clusters(arn, PLACE.region)) == (True, of_clusters)
    assert not is_of_a_deployment(arn.replace("/instantstart/", "/team/instantstart/", 1))
