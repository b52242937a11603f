"""Every link of an identity chain broken once, and what each calls for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue, ValidationError

from functions.clusters import rules
from functions.clusters.models import ConfigureDependencies
from functions.clusters.names import derived
from functions.core.cluster import ClusterNames, ClusterSpec
from functions.identity.chains.models import (
    CHAINS,
    Account,
    Arn,
    Association,
    Facts,
    Grant,
    IdentityChain,
    Mode,
    Place,
    Provider,
    Role,
    bucket_policy,
)
from functions.identity.chains.rules.links import ROLE_ANNOTATION, Action, Link, broken, links_of
from functions.identity.chains.rules.removal import Removal, removal_of
from functions.identity.chains.rules.trust import trust_fault, trust_of

ACCOUNT, REGION = "123456789012", "us-west-2"
ISSUER = "oidc.eks.us-west-2.amazonaws.com/id/ABC"
PLACE = Place("eks-cluster-t1", ACCOUNT, "aws", f"https://{ISSUER}", "t1")
OURS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}
BUCKET = Arn.bucket("aws", "sagemaker-t1")
PODS = IdentityChain(
    namespace="train",
    service_account="ckpt",
    role="instantstart-t1-us-west-2-ckpt",
    role_path="/instantstart/us-west-2/clusters/",
    mode=Mode.POD_IDENTITY,
    inline=(bucket_policy(BUCKET),),
    managed=(Arn.parse("arn:aws:iam::aws:policy/Managed"),),
)
WEB = PODS.model_copy(update={"mode": Mode.OIDC})
ROLE = PODS.role_at(PLACE)
Json = dict[str, JsonValue]


def spec(region: str = REGION) -> ClusterSpec:
    names = ClusterNames(**derived("t1", ACCOUNT, region))
    created = datetime(2026, 1, 1, tzinfo=UTC)
    return ClusterSpec(tag="t1", account_id=ACCOUNT, region=region, names=names, created_at=created)


def role_of(chain: IdentityChain, **changes: object) -> Role:
    inline = {policy.name: policy.document() for policy in chain.inline}
    attached = frozenset(str(arn) for arn in chain.managed)
    return replace(Role(ROLE, OURS, trust_of(chain, PLACE), inline, attached), **changes)  # type: ignore[arg-type]  # by name


def whole(chain: IdentityChain, **changes: object) -> Facts:
    """The facts of a chain without fault, but for the changes."""
    annotations = {ROLE_ANNOTATION: ROLE} if chain.mode is Mode.OIDC else {}
    account = Account(annotations, {"app.kubernetes.io/managed-by": "instantstart"}, frozenset({"instantstart"}))
    provider = Provider(frozenset({"sts.amazonaws.com"}), OURS)
    facts = Facts(provider, role_of(chain), account, Association("a-1", ROLE, tags=OURS), agent=True)
    return replace(facts, **changes)  # type: ignore[arg-type]  # by name


def faults(chain: IdentityChain, facts: Facts, place: Place = PLACE) -> list[tuple[str, Action | None]]:
    return [(link.name, link.action) for link in broken(links_of(chain, place, facts))]


def only_fault(chain: IdentityChain, facts: Facts, place: Place = PLACE) -> Link:
    [link] = broken(links_of(chain, place, facts))
    return link


def trust(condition: Json | None = None, provider: str = PLACE.provider, action: str | None = None) -> Json:
    exact: Json = {"StringEquals": {f"{ISSUER}:aud": "sts.amazonaws.com", f"{ISSUER}:sub": WEB.subject}}
    statement: Json = {
        "Effect": "Allow",
        "Principal": {"Federated": provider},
        "Action": action or "sts:AssumeRoleWithWebIdentity",
        "Condition": exact if condition is None else condition,
    }
    return {"Version": "2012-10-17", "Statement": statement}


@pytest.mark.parametrize("chain", [PODS, WEB], ids=["pod identity", "oidc"])
def test_a_whole_chain_has_no_broken_link(chain: IdentityChain) -> None:
    assert faults(chain, whole(chain)) == []


@pytest.mark.parametrize(
    ("chain", "changes", "expected"),
    [
        (PODS, {"agent": False}, ("agent", Action.AWAIT_ADDON)),
        (PODS, {"association": None}, ("association", Action.CREATE_ASSOCIATION)),
        (PODS, {"association": Association("a-1", ROLE + "x", "", OURS)}, ("association", Action.UPDATE_ASSOCIATION)),
        (PODS, {"association": Association("a-1", ROLE + "x")}, ("association", Action.REFUSE)),
        (PODS, {"association": Association("a-1", ROLE + "x", "addon")}, ("association", Action.REFUSE)),
        (PODS, {"account": None}, ("service account", Action.APPLY_ACCOUNT)),
        (PODS, {"account": Account({ROLE_ANNOTATION: ROLE}, {})}, ("annotation", Action.REFUSE)),
        (PODS, {"role": role_of(PODS, tags={})}, ("role", Action.REFUSE)),
        (PODS, {"role": role_of(PODS, tags={**OURS, "instantstart:cluster": "t2"})}, ("role", Action.REFUSE)),
        (PODS, {"role": role_of(PODS, arn=ROLE.replace("/us-west-2/", "/us-east-1/"))}, ("role", Action.REFUSE)),
        (PODS, {"role": role_of(PODS, trust=trust())}, ("role trust", Action.REWRITE_TRUST)),
        (PODS, {"role": role_of(PODS, inline={})}, ("policy", Action.WRITE_POLICY)),
        (PODS, {"role": role_of(PODS, attached=frozenset())}, ("managed policy", Action.ATTACH_POLICY)),
        (WEB, {"provider": None}, ("OIDC provider", Action.CREATE_PROVIDER)),
        (WEB, {"provider": Provider(frozenset(), OURS)}, ("OIDC provider", Action.ADD_AUDIENCE)),
        (WEB, {"provider": Provider(frozenset(), {})}, ("OIDC provider", Action.REFUSE)),
        (WEB, {"role": role_of(WEB, trust={})}, ("role trust", Action.REWRITE_TRUST)),
        (WEB, {"account": Account({}, {})}, ("annotation", Action.APPLY_ACCOUNT)),
        (WEB, {"account": Account({ROLE_ANNOTATION: "arn:x"}, {})}, ("annotation", Action.APPLY_ACCOUNT)),
    ],
)
def test_each_broken_link_is_named_with_the_one_action_it_needs(
    chain: IdentityChain, changes: dict[str, object], expected: tuple[str, Action]
) -> None:
    link = only_fault(chain, whole(chain, **changes))
    assert (link.name, link.action) == expected
    assert bool(link.remedy) == (link.action in (Action.REFUSE, Action.AWAIT_ADDON))


def test_links_of_a_missing_role_are_made_in_order() -> None:
    assert faults(WEB, Facts()) == [
        ("OIDC provider", Action.CREATE_PROVIDER),
        ("role", Action.CREATE_ROLE),
        ("role trust", Action.COMES_WITH_ROLE),
        ("policy", Action.WRITE_POLICY),
        ("managed policy", Action.ATTACH_POLICY),
        ("service account", Action.APPLY_ACCOUNT),
        ("annotation", Action.APPLY_ACCOUNT),
    ]


def test_a_service_account_of_an_add_on_is_awaited_unless_the_add_on_comes_later() -> None:
    of_addon = PODS.model_copy(update={"account_of": "driver"})
    assert faults(of_addon, whole(of_addon, account=None)) == [("service account", Action.AWAIT_ADDON)]
    early = of_addon.model_copy(update={"precedes": True})
    assert faults(early, whole(early, account=None)) == []


@pytest.mark.case(40)
@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            trust({"StringEquals": {f"{ISSUER}:sub": "system:serviceaccount:train:ckpt-*", f"{ISSUER}:aud": "x"}}),
            "aud is x, not sts.amazonaws.com",
        ),
        (
            trust(
                {
                    "StringEquals": {
                        f"{ISSUER}:aud": "sts.amazonaws.com",
                        f"{ISSUER}:sub": "system:serviceaccount:train:ckpt*",
                    }
                }
            ),
            "sub uses a wildcard with StringEquals (system:serviceaccount:train:ckpt*)",
        ),
        (
            trust(
                {
                    "StringEquals": {
                        f"{ISSUER}:aud": "sts.amazonaws.com",
                        f"{ISSUER}:sub": "system:serviceaccount:train:other",
                    }
                }
            ),
            "sub is system:serviceaccount:train:other, not system:serviceaccount:train:ckpt",
        ),
        (trust({"StringEquals": {f"{ISSUER}:aud": "sts.amazonaws.com"}}), "no condition on sub"),
        (trust({"StringEquals": {f"{ISSUER}:sub": WEB.subject}}), "no condition on aud"),
        (trust({"StringEquals": {"oidc.example/id/X:sub": WEB.subject}}), "a condition is about oidc.example/id/X:sub"),
        (trust({"StringNotEquals": {f"{ISSUER}:sub": WEB.subject}}), "the operator StringNotEquals"),
        (trust(provider=PLACE.provider.replace(ACCOUNT, "111122223333")), "the provider of account 111122223333"),
        (trust(provider=PLACE.provider.replace("ABC", "XYZ")), f"the cluster's issuer is {ISSUER}"),
        (trust(action="sts:AssumeRole"), "no statement allows sts:AssumeRoleWithWebIdentity"),
        (
            {"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "sts:*"}, trust()["Statement"]]},
            "a statement denies",
        ),
    ],
)
def test_a_trust_that_cannot_match_is_told_with_its_reason(document: Json, words: str) -> None:
    fault = trust_fault(document, WEB, PLACE)
    assert fault is not None and words in fault


@pytest.mark.parametrize("subject", ["system:serviceaccount:train:*", "system:serviceaccount:*:ckpt", WEB.subject])
def test_a_wildcard_is_as_good_where_the_operator_reads_it(subject: str) -> None:
    condition: Json = {"StringLike": {f"{ISSUER}:sub": subject, f"{ISSUER}:aud": ["other", "sts.amazonaws.com"]}}
    assert trust_fault(trust(condition), WEB, PLACE) is None


def test_pods_must_be_let_in_with_both_of_their_actions() -> None:
    service: Json = {"Effect": "Allow", "Principal": {"Service": "pods.eks.amazonaws.com"}, "Action": "sts:AssumeRole"}
    assert trust_fault({"Statement": [service]}, PODS, PLACE) == "pods.eks.amazonaws.com may not call sts:TagSession"


@pytest.mark.case(41)
@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("sagemaker-t1", "sagemaker-t1 is a name where an ARN is needed"),
        ("arn:aws-cn:s3:::sagemaker-t1", "arn:aws-cn:s3:::sagemaker-t1 is of partition aws-cn"),
    ],
)
def test_a_policy_on_a_buckets_name_or_another_partition_is_told_with_what_it_keeps_back(
    resource: str, reason: str
) -> None:
    statement: Json = {"Effect": "Allow", "Action": "s3:*", "Resource": [resource, f"{resource}/*"]}
    link = only_fault(PODS, whole(PODS, role=role_of(PODS, inline={"own": {"Statement": [statement]}})))
    assert (link.name, link.action) == ("policy", Action.WRITE_POLICY)
    assert link.fault is not None and link.fault.startswith(reason)
    assert f"s3:ListBucket on {BUCKET}, s3:AbortMultipartUpload on {BUCKET}/*" in link.fault


@pytest.mark.case(41)
def test_a_buckets_name_cannot_become_the_resource_of_a_grant() -> None:
    with pytest.raises(ValidationError):
        Grant(sid="S", actions=("s3:GetObject",), resources=("team-bucket",))  # type: ignore[arg-type]  # the mistake itself
    for text in ("team-bucket", "s3://team-bucket", "arn:aws:s3:team-bucket"):
        with pytest.raises(ValueError, match="is not an ARN"):
            Arn.parse(text)
    with pytest.raises(ValueError, match="not the name of a bucket"):
        Arn.bucket("aws", "arn:aws:s3:::team-bucket")


@pytest.mark.case(41)
@pytest.mark.parametrize(
    ("region", "partition"), [("us-west-2", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")]
)
def test_the_drivers_policy_names_bucket_and_objects_in_the_regions_partition(region: str, partition: str) -> None:
    [policy] = CHAINS["s3-csi-driver"](spec(region)).inline
    resources = [str(arn) for grant in policy.grants for arn in grant.resources]
    bucket = f"arn:{partition}:s3:::sagemaker-t1-{ACCOUNT}-{region}"
    assert resources == [bucket, f"{bucket}/*"]


@pytest.mark.case(41)
def test_an_encrypted_buckets_key_is_part_of_its_policy() -> None:
    key = Arn.parse(f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1")
    grant = bucket_policy(BUCKET, key).grants[-1]
    assert (grant.actions, grant.resources) == (("kms:Decrypt", "kms:GenerateDataKey"), (key,))


@pytest.mark.parametrize(
    ("statement", "holds"),
    [
        ({"Effect": "Allow", "Action": "s3:*", "Resource": "*"}, True),
        ({"Effect": "Allow", "Action": ["S3:*"], "Resource": "arn:aws:s3:::sagemaker-*"}, True),
        ({"Effect": "Allow", "Action": "s3:Get*", "Resource": "*"}, False),
        ({"Effect": "Allow", "Action": "s3:*", "Resource": str(BUCKET)}, False),
        ({"Effect": "Allow", "Action": "s3:*", "Resource": "*", "Condition": {"Bool": {"x": "true"}}}, False),
    ],
)
def test_a_policy_is_judged_by_what_it_grants_not_by_how_it_is_written(statement: Json, holds: bool) -> None:
    found = faults(PODS, whole(PODS, role=role_of(PODS, inline={"own": {"Statement": statement}})))
    assert (found == []) == holds


def test_a_denial_takes_back_what_another_statement_grants() -> None:
    denied: Json = {"Statement": [{"Effect": "Deny", "Action": "s3:PutObject", "Resource": "*"}]}
    inline = {**role_of(PODS).inline, "denial": denied}
    link = only_fault(PODS, whole(PODS, role=role_of(PODS, inline=inline)))
    assert link.fault == f"it does not grant s3:PutObject on {BUCKET}/*"


def test_a_service_that_must_be_trusted_besides_is_missed() -> None:
    chain = WEB.model_copy(update={"also_trusted": ("sagemaker.amazonaws.com",)})
    assert only_fault(chain, whole(chain, role=role_of(chain, trust=trust()))).fault == (
        "it does not trust sagemaker.amazonaws.com"
    )


@pytest.mark.parametrize("name", CHAINS)
def test_every_chain_of_the_product_holds_once_it_is_made_as_told(name: str) -> None:
    chain = CHAINS[name](spec())
    role = replace(role_of(chain), arn=chain.role_at(PLACE))
    annotations = {ROLE_ANNOTATION: role.arn} if chain.mode is Mode.OIDC else {}
    facts = whole(chain, role=role, account=Account(annotations, {}), association=Association("a-1", role.arn))
    assert faults(chain, facts) == []


def test_each_planned_chain_comes_where_its_model_says() -> None:
    names = [name for _, name in rules.plan(rules.CONFIGURE_DEPENDENCIES, ConfigureDependencies())]
    chains = {name: CHAINS[name.partition(":")[2]](spec()) for name in names if name.startswith("identity_chain:")}
    assert list(chains) == ["identity_chain:s3-csi-driver"]
    for name, chain in chains.items():
        addon = names.index(f"addon:{chain.account_of}")
        assert names.index(name) == (addon - 1 if chain.precedes else addon + 1)
        assert names.index(name) > names.index("addon:eks-pod-identity-agent")


def test_a_chain_is_removed_from_its_last_link_to_its_first() -> None:
    account = [Removal.DELETE_ACCOUNT]
    role = [Removal.DETACH_POLICIES, Removal.DELETE_POLICIES, Removal.DELETE_ROLE]
    assert removal_of(PODS, PLACE, whole(PODS)) == [Removal.DELETE_ASSOCIATION, *account, *role]
    web = whole(WEB, association=None)
    assert removal_of(WEB, PLACE, web) == [Removal.REMOVE_ANNOTATION, *account, *role]
    assert removal_of(WEB, PLACE, Facts()) == []


def test_what_is_not_ours_outlives_the_removal() -> None:
    foreign = whole(
        PODS, role=role_of(PODS, tags={}), account=Account({}, {}), association=Association("a-1", ROLE, "addon")
    )
    assert removal_of(PODS, PLACE, foreign) == []
    of_stack = PODS.model_copy(update={"role_of_stack": True, "account_of": "driver"})
    assert removal_of(of_stack, PLACE, whole(of_stack)) == [Removal.DELETE_ASSOCIATION]


def test_a_cluster_of_the_same_tag_in_another_region_has_other_roles() -> None:
    here, there = (
        {CHAINS[name](spec(region)).role for name in CHAINS} | roles_of(region) for region in (REGION, "eu-west-1")
    )
    assert here & there == set()


def roles_of(region: str) -> set[str]:
    names = spec(region).names
    return {names.control_plane_role, names.execution_role}
