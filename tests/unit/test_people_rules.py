"""Access of people: whom an ARN means, what a change comes to in EKS's policies, and the file that leads there."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
import yaml

from functions.core.cluster import ApiServer, DesiredAccess
from functions.core.errors import InvalidRequest
from functions.identity.people.models import AccessChange, Association, Entry, Owner, Permission, Plan, PrincipalKind
from functions.identity.people.rules.grants import associations, changed, held, plan
from functions.identity.people.rules.kubeconfig import kubeconfig
from functions.identity.people.rules.principals import permission_set_of, principal_of

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/team/developer"
SSO_NAME = "AWSReservedSSO_Research_0123456789abcdef"
SSO = f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/{SSO_NAME}"
SSO_ELSEWHERE = f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/eu-west-1/{SSO_NAME}"
PERMISSIONS: list[Permission] = ["view", "edit", "admin", "cluster_admin"]
FOREIGN = Association("arn:aws:eks::aws:cluster-access-policy/AmazonEKSAdminViewPolicy")


@pytest.mark.parametrize(
    ("sent", "meant", "kind"),
    [
        (ROLE, ROLE, PrincipalKind.ROLE),
        (f"arn:aws:iam::{ACCOUNT}:user/ann", f"arn:aws:iam::{ACCOUNT}:user/ann", PrincipalKind.USER),
        (SSO, SSO, PrincipalKind.SSO),
        (SSO_ELSEWHERE, SSO_ELSEWHERE, PrincipalKind.SSO),
        (f"arn:aws:sts::{ACCOUNT}:assumed-role/ops/ann", f"arn:aws:iam::{ACCOUNT}:role/ops", PrincipalKind.ROLE),
    ],
)
def test_a_role_or_user_is_named_as_eks_wants_it(sent: str, meant: str, kind: PrincipalKind) -> None:
    principal = principal_of(sent, ACCOUNT)
    assert (principal.arn, principal.kind) == (meant, kind)


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        pytest.param(f"arn:aws:iam::{ACCOUNT}:root", "root", id="root"),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:group/ops", "group", id="group"),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:role/*", "wildcard", id="wildcard"),
        pytest.param("arn:aws:iam::111122223333:role/x", "111122223333", id="another account"),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:role/{SSO_NAME}", "without its path", id="SSO without path"),
        pytest.param(f"arn:aws:sts::{ACCOUNT}:assumed-role/{SSO_NAME}/ann", "session", id="session of SSO"),
        pytest.param(f"arn:aws:sts::{ACCOUNT}:federated-user/ann", "federated-user", id="federated user"),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:policy/x", "policy", id="policy"),
        pytest.param(f"arn:aws:iam::{ACCOUNT}:role/", "role/", id="no name"),
        pytest.param("ann", "not the ARN", id="no ARN"),
        pytest.param("", "not the ARN", id="nothing"),
    ],
)
def test_what_is_no_principal_is_refused_with_what_would_be_right(sent: str, word: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        principal_of(sent, ACCOUNT)
    assert [error.field for error in refused.value.errors] == ["principal_arn"]
    assert word in refused.value.errors[0].message
    assert refused.value.remedy


def test_the_permission_set_is_read_off_the_role_of_the_identity_center_only() -> None:
    assert permission_set_of(SSO) == permission_set_of(SSO_ELSEWHERE) == "Research"
    assert permission_set_of(f"arn:aws:iam::{ACCOUNT}:role/{SSO_NAME}") is None
    assert permission_set_of(ROLE) is None


# -- what a change comes to


def entry(*policies: Association, groups: tuple[str, ...] = ()) -> Entry:
    return Entry(ROLE, "arn", "STANDARD", groups, {}, policies)


def after(found: Entry | None, done: Plan) -> Entry | None:
    """Do to an entry what a plan says, as EKS would."""
    if done.removes:
        return None
    there = {each.policy_arn: each for each in found.associations} if found else {}
    there |= {each.policy_arn: each for each in done.associate}
    kept = [each for policy, each in there.items() if policy not in done.dissociate]
    groups = found.groups if found else ()
    return entry(*kept, groups=groups) if found or done.creates else None


def random_change(chance: Random) -> AccessChange:
    places = chance.choice([None, chance.sample("abcd", chance.randint(1, 3))])
    permission = chance.choice([None, *PERMISSIONS[: 3 if places else 4]])
    return AccessChange(principal_arn=ROLE, permission=permission, namespaces=places)


def may(access: DesiredAccess, namespace: str) -> int:
    """How much a principal may do in a namespace, as a number."""
    ranks = [0, *(PERMISSIONS.index(p) + 1 for p in PERMISSIONS if access.everywhere == p)]
    ranks += [PERMISSIONS.index(p) + 1 for p in PERMISSIONS if access.namespaces.get(namespace) == p]
    return max(ranks)


def enforced(found: Entry | None, namespace: str) -> int:
    """The same, as EKS enforces the policies of an entry."""
    mine = [each for each in (found.associations if found else ()) if each != FOREIGN]
    names = {"View": 1, "Edit": 2, "Admin": 3, "ClusterAdmin": 4}
    holding = [each for each in mine if not each.namespaces or namespace in each.namespaces]
    return max((names[each.policy_arn.rpartition("EKS")[2].removesuffix("Policy")] for each in holding), default=0)


def test_after_any_row_of_changes_eks_enforces_what_was_asked_and_a_repeat_does_nothing() -> None:
    chance = Random(11)
    for _ in range(300):
        found: Entry | None = chance.choice([None, entry(FOREIGN), entry(FOREIGN, groups=("auditors",))])
        for _ in range(6):
            change = random_change(chance)
            wanted = changed(held(ROLE, found), change)
            others = found is not None and FOREIGN in found.associations
            found = after(found, plan(change, found, Owner.PEOPLE))
            assert [enforced(found, each) for each in "abcde"] == [may(wanted, each) for each in "abcde"]
            assert plan(change, found, Owner.PEOPLE).empty
            assert found is None or (FOREIGN in found.associations) == others


@pytest.mark.parametrize(("everywhere", "there"), [*product([None, *PERMISSIONS], [None, *PERMISSIONS[:3]])])
def test_a_policy_has_one_scope_and_the_larger_one_is_read_back(
    everywhere: Permission | None, there: Permission | None
) -> None:
    access = DesiredAccess(principal_arn=ROLE, everywhere=everywhere, namespaces={"a": there} if there else {})
    policies = associations(access)
    assert len({each.policy_arn for each in policies}) == len(policies)
    read = held(ROLE, entry(*policies))
    assert read.everywhere == everywhere
    assert read.namespaces == ({"a": there} if there and there != everywhere else {})


def test_a_revocation_of_everything_removes_the_entry_and_one_of_a_namespace_spares_what_others_gave() -> None:
    view = Association(FOREIGN.policy_arn.replace("AdminView", "View"), ("a",))
    everything = AccessChange(principal_arn=ROLE)
    of_a_namespace = AccessChange(principal_arn=ROLE, namespaces=["a"])
    assert plan(everything, entry(view, FOREIGN), Owner.PEOPLE).removes
    assert plan(of_a_namespace, entry(view), Owner.PEOPLE).removes
    spared = plan(of_a_namespace, entry(view, FOREIGN), Owner.PEOPLE)
    assert (spared.removes, spared.dissociate) == (False, (view.policy_arn,))
    assert not plan(of_a_namespace, entry(view, groups=("auditors",)), Owner.PEOPLE).removes


def test_an_entry_of_somebody_else_is_adopted_and_its_other_policies_stay() -> None:
    done = plan(AccessChange(principal_arn=ROLE, permission="edit"), entry(FOREIGN), Owner.SOMEBODY_ELSE)
    assert (done.adopts, done.creates, done.dissociate) == (True, False, ())


# -- the kubeconfig


def test_a_kubeconfig_holds_no_credentials_and_asks_the_aws_cli_for_a_token() -> None:
    server = ApiServer(cluster="eks-cluster-t1", endpoint="https://x.eks.amazonaws.com", certificate_authority="PEM\n")
    text = kubeconfig("t1", server, "us-west-2", ROLE)
    read = yaml.safe_load(text)
    assert read["current-context"] == "t1"
    assert read["clusters"][0]["cluster"] == {"server": server.endpoint, "certificate-authority-data": "UEVNCg=="}
    [user] = read["users"]
    assert user["user"].keys() == {"exec"}
    said = f"aws --region us-west-2 eks get-token --cluster-name eks-cluster-t1 --output json --role-arn {ROLE}"
    assert [user["user"]["exec"]["command"], *user["user"]["exec"]["args"]] == said.split()
    assert "--role-arn" not in kubeconfig("t1", server, "us-west-2", None)
