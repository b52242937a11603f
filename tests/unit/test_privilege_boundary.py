"""The boundary lets roles do what their policies say, and keeps every one of them from growing."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase

import pytest

from functions.identity.chains.models import ROLE_PATH as CHAIN_PATH
from infra.privilege import boundary
from infra.privilege.documents import Effect
from infra.privilege.roles import documents
from infra.release import Place, boundary_arn
from infra.topology import ROLE_PATH, TOPOLOGY

PLACE = Place("123456789012", "us-west-2")
BOUNDARY = boundary.document(TOPOLOGY, PLACE)
POLICIES = documents(TOPOLOGY, PLACE)
# IAM takes managed policies of so many characters, white space not counted.
MANAGED_LIMIT = 6_144
ROLES = "arn:aws:iam::123456789012:role"


def denied(action: str, resource: str, role_boundary: str | None = None) -> bool:
    """Say whether the boundary keeps a role from an action; `role_boundary` is that of the role acted on."""
    return any(
        each.effect is Effect.DENY
        and any(fnmatchcase(action, pattern) for pattern in each.actions)
        and any(fnmatchcase(resource, pattern) for pattern in each.resources) is not each.elsewhere
        and all(role_boundary not in one.values for one in each.conditions)
        for each in BOUNDARY.statements
    )


def test_a_role_of_a_cluster_is_written_where_it_has_the_boundary() -> None:
    role = f"{ROLES}/instantstart/instantstart-demo-training"
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
    assert denied(action, f"{ROLES}/instantstart/instantstart-demo-training", other)


@pytest.mark.parametrize(
    ("action", "resource"),
    [
        ("iam:CreateUser", "arn:aws:iam::123456789012:user/eve"),
        ("iam:CreateAccessKey", "arn:aws:iam::123456789012:user/eve"),
        ("iam:PutRolePolicy", f"{ROLES}/team/nodes"),
        ("iam:CreatePolicyVersion", boundary_arn(PLACE)),
        ("iam:SetDefaultPolicyVersion", boundary_arn(PLACE)),
        ("iam:CreateOpenIDConnectProvider", "arn:aws:iam::123456789012:oidc-provider/evil.example"),
        ("iam:DeleteRolePermissionsBoundary", f"{ROLES}/instantstart/instantstart-demo-training"),
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
    assert not [action for action in elsewhere if denied(action, "arn:aws:any:us-west-2:123456789012:thing")]
    assert not denied("iam:CreateServiceLinkedRole", f"{ROLES}/aws-service-role/eks.amazonaws.com/AWSServiceRoleForEks")
    assert not denied("iam:PassRole", f"{ROLES}/instantstart/instantstart-demo-execution")


def test_the_boundary_fits_into_a_managed_policy_wherever_it_is_deployed() -> None:
    far = boundary.document(TOPOLOGY, Place("123456789012", "ap-southeast-1", "aws-us-gov"))
    assert len(json.dumps(far.as_json(), separators=(",", ":"))) <= MANAGED_LIMIT


def test_a_denial_is_written_as_iam_has_it() -> None:
    written = BOUNDARY.as_json()["Statement"]
    assert isinstance(written, list)
    first, elsewhere = written[0], written[1]
    assert isinstance(first, dict)
    assert isinstance(elsewhere, dict)
    assert (first["Effect"], first["Resource"]) == ("Allow", ["*"])
    assert elsewhere["Effect"] == "Deny"
    assert elsewhere["NotResource"] == [*BOUNDARY.statements[1].resources]


def test_chains_make_their_roles_under_the_path_that_the_boundary_lets_them() -> None:
    assert CHAIN_PATH == ROLE_PATH
