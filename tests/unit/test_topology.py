"""The topology holds together: what is declared exists, and what exists is declared."""

from __future__ import annotations

from importlib import import_module
from typing import cast

import botocore.session
import pytest

from functions.core.declaration import Route, Stage
from functions.core.ledger.tables import TABLES
from functions.entry import helm, stages_cluster, stages_identity, stages_network, stages_workloads
from infra.shapes import STATE_MACHINES, Function, StateMachine
from infra.topology import TOPOLOGY

BEHAVIOURS = {
    "helm": helm.BEHAVIOURS,
    "stages_cluster": stages_cluster.BEHAVIOURS,
    "stages_identity": stages_identity.BEHAVIOURS,
    "stages_network": stages_network.BEHAVIOURS,
    "stages_workloads": stages_workloads.BEHAVIOURS,
}
# Permissions that are no operation of the service: granted, never called.
PERMISSIONS_ONLY = {
    "dynamodb:ConditionCheckItem",
    "execute-api:Invoke",
    "execute-api:ManageConnections",
    "iam:PassRole",
    "s3:GetBucketPublicAccessBlock",
    "s3:GetEncryptionConfiguration",
    "s3:DeleteObjectVersion",
    "s3:ListBucket",
    "s3:ListBucketMultipartUploads",
    "s3:ListBucketVersions",
    "s3:GetObject",
    "s3:PutObject",
    "lambda:InvokeFunction",
}
MODELS = {
    "dynamodb": ["dynamodb", "dynamodbstreams"],
    "servicequotas": ["service-quotas"],
    "states": ["stepfunctions"],
}


@pytest.mark.parametrize("stage", TOPOLOGY.stages, ids=lambda stage: stage.kind)
def test_every_declared_stage_has_a_behaviour_in_its_function(stage: Stage) -> None:
    assert stage.kind in BEHAVIOURS[stage.function]


def test_every_behaviour_is_declared() -> None:
    declared = {(stage.function, stage.kind) for stage in TOPOLOGY.stages}
    assert declared == {(function, kind) for function, kinds in BEHAVIOURS.items() for kind in kinds}


def test_functions_that_run_stages_act_in_sessions_of_their_operations_and_no_others_do() -> None:
    acting = {function.name for function in TOPOLOGY.functions if function.acts_for_operations}
    assert acting == {stage.function for stage in TOPOLOGY.stages}
    assert all("sts:AssumeRole" in TOPOLOGY.actions_of(name) for name in acting)


def test_the_function_that_looks_into_clusters_is_the_only_one_of_those_that_answer_people_to_know_the_way_in() -> None:
    answering = {route.function for route in TOPOLOGY.routes}
    assert {name for name in answering if "sts:AssumeRole" in TOPOLOGY.actions_of(name)} == {"kubernetes"}
    # It reads AWS, writes the ledger and begins operations; what those change is their stages' to do.
    changing = ("Put", "Create", "Delete", "Update", "Modify", "Tag", "Untag", "Pass", "Add", "Associate")
    written = {each for each in TOPOLOGY.actions_of("kubernetes") if each.partition(":")[2].startswith(changing)}
    assert {each.partition(":")[0] for each in written} == {"dynamodb"}


def test_whoever_reads_the_whole_ledger_may_and_nobody_else() -> None:
    scanning = {each.name for each in TOPOLOGY.functions if "dynamodb:Scan" in TOPOLOGY.actions_of(each.name)}
    # The catalog reads the keys of all clusters, the push function who watches what.
    assert scanning == {"catalog", "push"}


@pytest.mark.parametrize("function", TOPOLOGY.functions, ids=lambda function: function.name)
def test_every_function_has_its_handler(function: Function) -> None:
    module, _, name = function.handler.rpartition(".")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("route", TOPOLOGY.routes, ids=lambda route: route.operation_id)
def test_every_route_belongs_to_a_function_and_names_a_scope(route: Route) -> None:
    assert route.function in {function.name for function in TOPOLOGY.functions}
    assert route.path == "/mcp" if route.function == "mcp" else route.path.startswith("/api/")
    assert route.scope


def test_whatever_calls_functions_calls_functions_that_exist() -> None:
    called = {
        *(schedule.function for schedule in TOPOLOGY.schedules),
        *(stream.function for stream in TOPOLOGY.streams),
        *(rule.function for rule in TOPOLOGY.event_rules),
        *(route.function for route in TOPOLOGY.socket_routes),
    }
    assert called <= {function.name for function in TOPOLOGY.functions}


def test_every_table_with_a_stream_is_read_and_no_other() -> None:
    assert {stream.table for stream in TOPOLOGY.streams} == {table.name for table in TABLES if table.stream}


def test_stages_are_woken_by_sources_that_a_rule_lets_through() -> None:
    sources = {str(source) for rule in TOPOLOGY.event_rules for source in cast("list[str]", rule.pattern["source"])}
    woken = {stage.kind: set(stage.woken_by) for stage in TOPOLOGY.stages if stage.woken_by}
    assert set().union(*woken.values()) <= sources
    assert {"foundation", "hyperpod_cluster", "hyperpod_nodes"} <= woken.keys()


def test_every_state_machine_file_is_in_the_topology() -> None:
    files = {path.name.removesuffix(".asl.json") for path in STATE_MACHINES.glob("*.asl.json")}
    assert files == {machine.name for machine in TOPOLOGY.machines}


@pytest.mark.parametrize("owner", [*TOPOLOGY.functions, *TOPOLOGY.machines], ids=lambda owner: owner.name)
def test_every_action_is_one_of_its_service(owner: Function | StateMachine) -> None:
    session = botocore.session.get_session()
    actions = owner.actions if isinstance(owner, StateMachine) else TOPOLOGY.actions_of(owner.name)
    for action in set(actions) - PERMISSIONS_ONLY:
        service, _, operation = action.partition(":")
        models = [session.get_service_model(name) for name in MODELS.get(service, [service])]
        assert any(operation in model.operation_names for model in models), action
        assert not operation.startswith("Transact"), f"{action} is authorised as its parts"
