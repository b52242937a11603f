"""Each function runs with what it is deployed with, and with nothing else: not this repository, not a heavier layer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from infra.assets import HELM_PROGRAM
from infra.functions import FUNCTIONS
from infra.shapes import Function, Weight
from infra.topology import TOPOLOGY
from tests.infrastructure.events import BEGIN, CALLED_TOOL, CONNECT, SIGNED_IN, STREAMED, requested, scheduled, turn
from tests.infrastructure.isolation import Assets, Told, unpacked

# What no function may import: the packages of its hosts, and those of a heavier class.
HOSTS_ONLY: Final = frozenset({"aws_cdk", "boto3", "constructs", "infra", "moto", "pytest", "tests"})
KUBERNETES_ONLY: Final = frozenset({"kubernetes", "oauthlib", "requests", "websocket", "yaml"})
# Modules that the import of a handler brings, those of the standard library included: what a cold start pays for.
# Another Python counts some of its own differently; a package or a domain too many shows.
MODULES: Final = {
    "api": 770,
    "catalog": 654,
    "diagnostics": 683,
    "kubernetes": 937,
    "mcp": 786,
    "operations": 397,
    "events": 477,
    "connections": 548,
    "push": 442,
    "notifications": 470,
    "audit": 438,
    "token_claims": 373,
    "stages_network": 518,
    "stages_cluster": 874,
    "stages_identity": 677,
    "helm": 737,
    "stages_workloads": 734,
}
HEADROOM: Final = 1.02


def answered(status: int, words: str) -> Callable[[Told], bool]:
    """Say that a function gave an HTTP answer of that status, with these words in its body."""

    def holds(told: Told) -> bool:
        return isinstance(told.answer, dict) and told.answer["statusCode"] == status and words in str(told.answer)

    return holds


def found_no_aws(told: Told) -> bool:
    """Whether a function got as far as its first call of AWS."""
    return told.error is not None and told.error.kind == "EndpointConnectionError"


def told_what_to_take_out(told: Told) -> bool:
    """Whether the function of the user pool named the scope that a reader does not hold."""
    return "'scopesToSuppress': ['instantstart/admin']" in str(told.answer)


CALLED: Final = {
    "api": (requested("api", "GET", "/api/openapi.json"), answered(200, "openapi")),
    "catalog": (requested("catalog", "GET", "/api/catalog/regions"), answered(200, "us-west-2")),
    "diagnostics": (
        requested("diagnostics", "GET", "/api/clusters/demo/diagnosis"),
        answered(503, "EndpointConnectionError"),
    ),
    "kubernetes": (
        requested("kubernetes", "GET", "/api/clusters/demo/namespaces"),
        answered(503, "EndpointConnectionError"),
    ),
    # The whole of the SDK's server, and its first request to an API that does not answer.
    "mcp": (CALLED_TOOL, answered(200, "gave the gateway no answer to GET /api/clusters")),
    "connections": (CONNECT, answered(503, "EndpointConnectionError")),
    "operations": (BEGIN, found_no_aws),
    "events": (scheduled("events"), found_no_aws),
    "push": (STREAMED, found_no_aws),
    "audit": (scheduled("audit"), found_no_aws),
    "token_claims": (SIGNED_IN, told_what_to_take_out),
    "notifications": (scheduled("notifications"), found_no_aws),
}


@pytest.fixture(scope="module")
def assets(tmp_path_factory: pytest.TempPathFactory) -> Assets:
    return unpacked(tmp_path_factory.mktemp("assets"))


@pytest.fixture(scope="module", params=FUNCTIONS, ids=lambda each: each.name)
def alone(request: pytest.FixtureRequest, assets: Assets) -> tuple[Function, Told]:
    """A function and how its invocation went."""
    function: Function = request.param
    event, _ = CALLED.get(function.name) or (turn(function.name), found_no_aws)
    return function, assets.invoke(function, event)


def test_a_function_serves_a_real_event_with_its_assets_alone(alone: tuple[Function, Told]) -> None:
    function, told = alone
    _, as_expected = CALLED.get(function.name, (None, found_no_aws))
    assert as_expected(told), told.model_dump(exclude={"modules"})


def test_a_function_imports_nothing_of_its_hosts_nor_of_a_heavier_class(alone: tuple[Function, Told]) -> None:
    function, told = alone
    forbidden = HOSTS_ONLY | (KUBERNETES_ONLY if function.weight is Weight.LEAN else frozenset())
    assert {module.partition(".")[0] for module in told.modules} & forbidden == set()


def test_the_import_of_a_function_stays_within_its_budget(alone: tuple[Function, Told]) -> None:
    function, told = alone
    assert len(told.modules) <= MODULES[function.name] * HEADROOM


def test_every_function_has_a_budget_and_is_called_as_the_topology_says() -> None:
    assert MODULES.keys() == {each.name for each in FUNCTIONS}
    staged = {stage.function for stage in TOPOLOGY.stages}
    assert CALLED.keys() | staged == {each.name for each in FUNCTIONS}


def test_a_function_that_speaks_to_kubernetes_does_not_start_with_the_lean_layer(assets: Assets) -> None:
    function = next(each for each in FUNCTIONS if each.weight is Weight.KUBERNETES)
    with pytest.raises(AssertionError, match="No module named 'kubernetes'"):
        assets.invoke(function, {}, Weight.LEAN)


def test_the_helm_layer_brings_the_program_to_where_its_function_looks(assets: Assets) -> None:
    program = assets.layers[Weight.HELM] / Path(HELM_PROGRAM).relative_to("/opt")
    assert program.read_bytes()[:4] == b"\x7fELF"
