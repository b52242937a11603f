"""Each role may do what it declares, on what that is for, and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from infra.privilege import authorization
from infra.privilege.documents import Document, Statement
from infra.privilege.roles import LEFT_OUT, NotGrantable, documents
from infra.release import Place, boundary_arn, function_role, machine_role
from infra.shapes import Access, Function
from infra.topology import FOUNDATION_ROLE, KUBERNETES_ADMIN, KUBERNETES_OPERATOR, PREFIX, TOPOLOGY

PLACE = Place("123456789012", "us-west-2", internal_api="a1b2c3")
PASSABLE = "arn:aws:iam::123456789012:role/team/nodes"
POLICIES = documents(TOPOLOGY, PLACE, [PASSABLE])
FAR = documents(TOPOLOGY, Place("123456789012", "ap-southeast-1", "aws-us-gov"), [PASSABLE] * 3)
KNOWN = authorization.load().actions
# IAM counts all policies in a role together, without white space.
INLINE_LIMIT = 10_240
EVERY = [(role, each) for role, document in POLICIES.items() for each in document.statements]
# Step Functions has two kinds of executions, and ours are of the first.
EITHER_OR = {("states:DescribeExecution", "express")}
# What gives a role rights, or takes them; looking is none of it.
IAM_READS = ("Get", "List")
PASSING = ("iam:PassRole", "iam:CreateServiceLinkedRole")


def of_function(name: str) -> Document:
    return POLICIES[function_role(name)]


def statement(document: Document, sid: str) -> Statement:
    return next(each for each in document.statements if each.sid == sid)


def granted(document: Document) -> set[str]:
    return {action for each in document.statements for action in each.actions}


def condition(of: Statement, key: str) -> tuple[str, ...]:
    return next((each.values for each in of.conditions if each.key == key), ())


def resources_for(document: Document, prefix: str) -> set[str]:
    found = [each for each in document.statements if any(action.startswith(prefix) for action in each.actions)]
    return {resource for each in found for resource in each.resources}


def test_every_function_machine_and_other_role_has_a_policy() -> None:
    functions = {function_role(each.name) for each in TOPOLOGY.functions}
    machines = {machine_role(each.name) for each in TOPOLOGY.machines}
    assert set(POLICIES) == functions | machines | {role.name for role in TOPOLOGY.roles}


@pytest.mark.parametrize("function", TOPOLOGY.functions, ids=lambda function: function.name)
def test_a_function_may_do_what_it_declares_and_what_goes_along_with_it(function: Function) -> None:
    wanted = authorization.load().closure(TOPOLOGY.actions_of(function.name)) - LEFT_OUT.keys()
    of_lambda = {"logs:CreateLogStream", "logs:PutLogEvents", "xray:PutTelemetryRecords", "xray:PutTraceSegments"}
    assert granted(of_function(function.name)) == wanted | of_lambda


def test_what_hyperpod_calls_as_its_caller_is_granted_with_the_creation_of_a_cluster() -> None:
    assert granted(of_function("stages_cluster")) >= {
        "ec2:DescribeImages",
        "ec2:ModifyImageAttribute",
        "eks:CreateAccessEntry",
        "iam:CreateServiceLinkedRole",
        "iam:PassRole",
        "sagemaker:BatchAddClusterNodes",
    }


def test_no_action_that_has_a_type_of_resource_is_granted_on_everything() -> None:
    unlimited = [(role, name) for role, each in EVERY if "*" in each.resources for name in each.actions]
    assert [(role, name) for role, name in unlimited if KNOWN[name].resource_types] == []


def test_every_resource_is_of_a_type_that_one_of_the_actions_is_authorised_on() -> None:
    named = [(role, each, one) for role, each in EVERY for one in each.resources if one != "*"]
    stray = [
        (role, each.sid, one) for role, each, one in named if not any(KNOWN[name].is_for(one) for name in each.actions)
    ]
    assert stray == []
    assert all(each.resources for _, each in EVERY)


@pytest.mark.parametrize("role", POLICIES)
def test_every_action_is_granted_on_each_type_that_aws_requires(role: str) -> None:
    statements = POLICIES[role].statements
    lacking = [
        (name, kind.name)
        for name in granted(POLICIES[role])
        for kind in KNOWN[name].resource_types
        if kind.required and (name, kind.name) not in EITHER_OR
        if not any(
            fnmatchcase(resource, kind.pattern)
            for each in statements
            if name in each.actions
            for resource in each.resources
        )
    ]
    assert lacking == []


@pytest.mark.parametrize("role", POLICIES)
def test_every_condition_is_on_a_key_that_aws_knows_for_one_of_the_actions(role: str) -> None:
    for each in POLICIES[role].statements:
        known = {_plain(key) for name in each.actions for key in _keys_of(name)}
        assert {_plain(one.key) for one in each.conditions} <= known, each.sid


def _keys_of(name: str) -> list[str]:
    action = KNOWN[name]
    keys = [*action.condition_keys, *(key for kind in action.resource_types for key in kind.condition_keys)]
    # Tags of a resource are a key of its type; the reference lists them with the type alone.
    return [*keys, "aws:ResourceTag/${TagKey}", "iam:ResourceTag/${TagKey}"]


def _plain(key: str) -> str:
    return key.partition("/")[0].lower()


@pytest.mark.parametrize("role", POLICIES)
def test_a_policy_fits_into_its_role_wherever_it_is_deployed(role: str) -> None:
    assert len(json.dumps(FAR[role].as_json(), separators=(",", ":"))) <= INLINE_LIMIT


@pytest.mark.parametrize("role", POLICIES)
def test_sids_are_unique_in_a_policy_and_of_letters_alone(role: str) -> None:
    sids = [each.sid for each in POLICIES[role].statements]
    assert len(sids) == len(set(sids))
    assert all(sid.isalnum() for sid in sids)


def test_the_same_topology_gives_the_same_policies() -> None:
    again = documents(TOPOLOGY, PLACE, [PASSABLE])
    assert json.dumps({name: each.as_json() for name, each in again.items()}) == json.dumps(
        {name: each.as_json() for name, each in POLICIES.items()}
    )


@pytest.mark.parametrize("function", TOPOLOGY.functions, ids=lambda function: function.name)
def test_a_function_does_with_tables_what_it_names_and_reaches_no_other(function: Function) -> None:
    wanted = {_path(each): {*each.actions} for each in function.data}
    heard = {f"table/{PREFIX}{each.table}/stream/*" for each in TOPOLOGY.streams if each.function == function.name}
    found = {arn.split(":", 5)[5]: actions for arn, actions in _actions_on_tables(function.name).items()}
    assert {path: actions for path, actions in found.items() if path not in heard} == wanted
    assert heard <= found.keys()


def _path(access: Access) -> str:
    index = f"/index/{access.index.name}" if access.index else ""
    return f"table/{PREFIX}{access.table.name}{index}"


def _actions_on_tables(function: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in of_function(function).statements:
        for arn in each.resources:
            if arn != "*" and each.actions[0].startswith("dynamodb:"):
                found.setdefault(arn, set()).update(each.actions)
    return found


def _tables_of(function: str) -> set[str]:
    return {each for each in resources_for(of_function(function), "dynamodb:") if each != "*"}


def test_the_audit_reads_the_index_of_its_entries_and_no_table() -> None:
    assert _tables_of("audit") == {PLACE.arn("dynamodb", "table/instantstart-operations/index/by_audit_month")}


def test_what_tells_the_browsers_reads_operations_and_writes_connections_alone() -> None:
    document = of_function("push")
    assert statement(document, "TableOperations").actions == ("dynamodb:Query",)
    assert statement(document, "TableConnections").actions == ("dynamodb:DeleteItem", "dynamodb:Scan")
    assert statement(document, "TableConnections").resources == (
        PLACE.arn("dynamodb", "table/instantstart-connections"),
    )


def test_only_the_identity_stages_and_the_foundation_write_iam() -> None:
    writers = {
        role
        for role, each in EVERY
        for action in each.actions
        if action.startswith("iam:") and action not in PASSING and not action.split(":")[1].startswith(IAM_READS)
    }
    assert writers == {function_role("stages_identity"), FOUNDATION_ROLE.name}


def test_rights_are_given_only_to_roles_under_our_path_with_our_boundary() -> None:
    giving = {"iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy", "iam:UpdateAssumeRolePolicy"}
    found = [each for _, each in EVERY if giving & set(each.actions)]
    assert len(found) == 5
    for each in found:
        assert condition(each, "iam:PermissionsBoundary") == (boundary_arn(PLACE),)
        assert each.resources == ("arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/*",)


def test_the_identity_stages_write_no_role_that_is_no_clusters() -> None:
    document = of_function("stages_identity")
    for sid in ("WriteRoles", "AttachPolicies", "UnmakeRoles"):
        assert condition(statement(document, sid), "iam:ResourceTag/instantstart:cluster") == ("?*",)
    for sid in ("CreateRoles", "TagRoles"):
        assert condition(statement(document, sid), "aws:RequestTag/instantstart:cluster") == ("?*",)
    attached = condition(statement(document, "AttachPolicies"), "iam:PolicyARN")
    assert attached == ("arn:aws:iam::aws:policy/AmazonSageMakerHyperPod*",)


def test_a_role_of_others_is_not_adopted_by_tagging_it() -> None:
    """Whoever may tag a role that stands already may do nothing else to it while it lacks our boundary."""
    for role in (function_role("stages_identity"), FOUNDATION_ROLE.name):
        for each in POLICIES[role].statements:
            by_tag = [one for one in each.conditions if one.key == "iam:ResourceTag/instantstart:cluster"]
            tagging = set(each.actions) <= {"iam:TagRole", "iam:UntagRole"}
            if by_tag and not tagging:
                assert condition(each, "iam:PermissionsBoundary") == (boundary_arn(PLACE),), each.sid
            if tagging and each.actions:
                assert by_tag or condition(each, "aws:RequestTag/instantstart:cluster") == ("?*",), each.sid


def test_roles_are_passed_to_one_service_each() -> None:
    passing = [each for _, each in EVERY if "iam:PassRole" in each.actions]
    assert len(passing) == 4
    assert all(each.actions == ("iam:PassRole",) for each in passing)
    assert all(len(condition(each, "iam:PassedToService")) == 1 for each in passing)


def test_the_service_roles_of_hyperpod_and_eks_are_made_and_no_others() -> None:
    found = {
        condition(each, "iam:AWSServiceName"): each.resources
        for _, each in EVERY
        if "iam:CreateServiceLinkedRole" in each.actions
    }
    assert found == {
        (service,): (f"arn:aws:iam::123456789012:role/aws-service-role/{service}/*",)
        for service in ("hyperpod.sagemaker.amazonaws.com", "eks.amazonaws.com")
    }


def test_a_role_of_the_callers_is_passed_where_the_deployment_says_so_and_never_to_stacks() -> None:
    document = of_function("stages_cluster")
    assert PASSABLE in statement(document, "PassToHyperPod").resources
    assert statement(document, "PassToStacks").resources == (PLACE.role_arn(FOUNDATION_ROLE.name),)
    without = documents(TOPOLOGY, PLACE)[function_role("stages_cluster")]
    assert PASSABLE not in statement(without, "PassToHyperPod").resources


def test_stacks_are_made_with_the_foundation_role_from_a_shipped_template() -> None:
    creation = statement(of_function("stages_cluster"), "CreateStacks")
    assert condition(creation, "cloudformation:RoleArn") == (PLACE.role_arn(FOUNDATION_ROLE.name),)
    (template,) = condition(creation, "cloudformation:TemplateUrl")
    assert (
        template == "https://instantstart-artifacts-123456789012-us-west-2.s3.us-west-2.amazonaws.com/*/foundation.yaml"
    )


def test_a_function_acts_as_itself_and_enters_clusters_with_the_roles_that_it_needs() -> None:
    entered = {
        each.name: set(statement(of_function(each.name), "EnterClusters").resources)
        for each in TOPOLOGY.functions
        if any(one.sid == "EnterClusters" for one in of_function(each.name).statements)
    }
    admin, operator = PLACE.role_arn(KUBERNETES_ADMIN.name), PLACE.role_arn(KUBERNETES_OPERATOR.name)
    assert entered == {
        "kubernetes": {admin, operator},
        "helm": {admin},
        "stages_cluster": {operator},
        "stages_identity": {operator},
        "stages_workloads": {operator},
    }
    own = statement(of_function("stages_network"), "ActForOperations")
    assert own.resources == (PLACE.role_arn(function_role("stages_network")),)


def test_compute_subnets_are_changed_only_where_they_bear_our_tag() -> None:
    document = of_function("stages_network")
    assert condition(statement(document, "CreateSubnets"), "aws:RequestTag/instantstart:managed-by") == (
        "instantstart",
    )
    own = statement(document, "ChangeOwnSubnets")
    assert condition(own, "aws:ResourceTag/instantstart:managed-by") == ("instantstart",)
    assert {"ec2:DeleteSubnet", "ec2:DeleteRouteTable", "ec2:CreateRoute"} <= set(own.actions)
    others = [each for each in document.statements if each.sid != "ChangeOwnSubnets"]
    assert not any("ec2:DeleteSubnet" in each.actions for each in others)


def test_subnets_of_others_get_no_tag_but_those_of_load_balancers() -> None:
    tagging = [each for each in of_function("stages_network").statements if "ec2:CreateTags" in each.actions]
    assert {each.sid for each in tagging} == {"TagCreatedSubnets", "ChangeOwnSubnets", "TagForLoadBalancers"}
    keys = condition(statement(of_function("stages_network"), "TagForLoadBalancers"), "aws:TagKeys")
    assert keys == ("kubernetes.io/role/elb", "kubernetes.io/role/internal-elb")


def test_the_buckets_of_the_deployment_are_written_by_the_audit_alone() -> None:
    own = {PLACE.bucket("audit"), PLACE.bucket("artifacts")}
    writers = {
        role
        for role, each in EVERY
        if any(action.startswith(("s3:Put", "s3:Delete", "s3:Create")) for action in each.actions)
        for bucket in own
        if any(fnmatchcase(f"arn:aws:s3:::{bucket}/2026/11/30.jsonl", resource) for resource in each.resources)
    }
    assert writers == {function_role("audit")}


def test_a_bucket_is_looked_at_and_written_only_in_the_own_account_and_may_be_absent() -> None:
    for sid in ("ReadBuckets", "ReadScripts", "WriteScripts", "DeleteClusterBuckets"):
        (own,) = statement(of_function("stages_cluster"), sid).conditions
        assert own.operator == "StringEqualsIfExists"
        assert condition(statement(of_function("stages_cluster"), sid), "s3:ResourceAccount") == ("123456789012",)


def test_a_signing_key_is_read_by_what_hands_out_tokens_or_digests_alone_and_is_the_only_secret() -> None:
    signing = {function_role(name) for name in ("api", "catalog", "kubernetes")}
    held = {role: each for role, each in EVERY if any(name.startswith("secretsmanager:") for name in each.actions)}
    assert held.keys() == signing


def test_the_gateway_may_call_the_api_and_nothing_else_of_aws() -> None:
    document = POLICIES[function_role("mcp")]
    own = [each for each in document.statements if not {"logs:PutLogEvents", "xray:PutTraceSegments"} & {*each.actions}]
    assert [each.actions for each in own] == [("execute-api:Invoke",)]
    methods = ("DELETE", "GET", "PATCH", "POST", "PUT")
    assert own[0].resources == tuple(
        f"arn:aws:execute-api:us-west-2:123456789012:a1b2c3/$default/{each}/api/*" for each in methods
    )


def test_a_signing_key_is_named_by_its_generations() -> None:
    held = {role: each for role, each in EVERY if any(name.startswith("secretsmanager:") for name in each.actions)}
    for each in held.values():
        assert each.actions == ("secretsmanager:GetSecretValue",)
        assert each.resources == (PLACE.arn("secretsmanager", "secret:instantstart-signing-key-*-??????"),)


def test_a_pipeline_runs_the_operations_function_and_stages_and_hears_of_their_ends() -> None:
    document = POLICIES[machine_role("create_cluster")]
    assert statement(document, "RunFunctions").resources == (PLACE.arn("lambda", "function:instantstart-operations"),)
    assert statement(document, "StartStages").resources == (PLACE.arn("states", "stateMachine:instantstart-stage"),)
    rule = PLACE.arn("events", "rule/StepFunctionsGetEventsForStepFunctionsExecutionRule")
    assert statement(document, "HearOfStages").resources == (rule,)


def test_the_stage_machine_runs_every_function_that_has_stages() -> None:
    run = statement(POLICIES[machine_role("stage")], "RunFunctions").resources
    staged = {stage.function for stage in TOPOLOGY.stages} | {"operations"}
    assert set(run) == {PLACE.arn("lambda", f"function:{PREFIX}{name}") for name in staged}


def test_a_function_writes_its_own_log() -> None:
    log = statement(of_function("api"), "WriteLog").resources
    assert log == (PLACE.arn("logs", "log-group:/aws/lambda/instantstart-api:log-stream:*"),)


def test_the_roles_of_clusters_own_doors_may_do_nothing_in_aws() -> None:
    assert POLICIES[KUBERNETES_ADMIN.name].statements == ()
    assert POLICIES[KUBERNETES_OPERATOR.name].statements == ()


def test_a_declared_action_that_no_grant_is_for_is_refused_with_what_to_do() -> None:
    api, *others = TOPOLOGY.functions
    # The table's streams are granted to whoever hears one, and the API hears none.
    changed = replace(TOPOLOGY, functions=(replace(api, actions=(*api.actions, "dynamodb:GetRecords")), *others))
    with pytest.raises(NotGrantable, match=r"function api declares dynamodb:GetRecords.*infra/privilege/grants"):
        documents(changed, PLACE)
