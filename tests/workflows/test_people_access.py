"""Access of people: granted, changed, taken back; what others made, and what the cluster runs by, is left alone."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from functions.core.ledger.granted import PREFIX
from infra.local.faults import Call, Fault, Kind
from tests.host.driver import Answer, Driver, Json, stage_of

PATH = "/api/clusters/base/access"
CLUSTER = "eks-cluster-base"
ACCOUNT = "123456789012"
DEVELOPER = f"arn:aws:iam::{ACCOUNT}:role/team/developer"
OPERATOR = f"arn:aws:iam::{ACCOUNT}:role/instantstart/us-west-2/instantstart-kubernetes-operator-us-west-2"
EXECUTION = f"arn:aws:iam::{ACCOUNT}:role/instantstart/us-west-2/clusters/instantstart-base-us-west-2-execution"
SSO = f"arn:aws:iam::{ACCOUNT}:role/aws-reserved/sso.amazonaws.com/eu-west-1/AWSReservedSSO_Research_0123456789abcdef"
POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKS{}Policy"


@pytest.fixture
def driver(driver_of_base: Driver) -> Driver:
    iam = driver_of_base.host.client("iam")
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    for arn in (DEVELOPER, SSO):
        _, _, rest = arn.partition(":role")
        path, _, name = rest.rpartition("/")
        iam.create_role(RoleName=name, Path=f"{path}/", AssumeRolePolicyDocument=trust)
    return driver_of_base


def grant(permission: str, *namespaces: str, principal: str = DEVELOPER, **more: object) -> Json:
    places = {"namespaces": [*namespaces]} if namespaces else {}
    return {"principal_arn": principal, "permission": permission, **places, **more}


def revoke(driver: Driver, principal: str = DEVELOPER, **query: str) -> Answer:
    return driver.send("DELETE", f"{PATH}?{urlencode({'principal_arn': principal, **query})}")


def revoked(driver: Driver, **query: str) -> Json:
    """Preview a revocation, confirm it by its digest and wait for the end."""
    preview = revoke(driver, **query, dry_run="true")
    assert preview.status == 200, preview
    answer = revoke(driver, **query, confirm=preview.body["preview"]["digest"])
    assert answer.status == 202, answer
    return driver.finish(answer.body["operation_id"])


def held(driver: Driver, principal: str = DEVELOPER) -> dict[str, list[str]]:
    """The access policies that EKS has for a principal, with their namespaces."""
    eks = driver.host.client("eks")
    found = eks.list_associated_access_policies(clusterName=CLUSTER, principalArn=principal)
    policies = found["associatedAccessPolicies"]
    return {policy["policyArn"]: sorted(policy["accessScope"]["namespaces"]) for policy in policies}


def entries(driver: Driver) -> dict[str, Json]:
    return {each["principal_arn"]: each for each in driver.get(PATH)["entries"]}


def remembered(driver: Driver) -> list[Json]:
    """What the cluster's records say was granted."""
    table = driver.host.deployed.environment["CLUSTERS_TABLE"]
    items = driver.host.client("dynamodb").scan(TableName=table)["Items"]
    kept = [item for item in items if item["record"]["S"].startswith(PREFIX)]
    return [
        {
            "principal": item["principal_arn"]["S"],
            "everywhere": item.get("everywhere", {}).get("S"),
            "namespaces": {name: value["S"] for name, value in item["namespaces"]["M"].items()},
        }
        for item in kept
    ]


def test_a_grant_is_changed_by_the_next_one_there_and_taken_back_whole_or_by_namespace(driver: Driver) -> None:
    operation = driver.run(PATH, grant("edit", "a", "b"))
    assert (operation["kind"], operation["status"]) == ("change_access", "SUCCEEDED"), operation["error"]
    assert held(driver) == {POLICY.format("Edit"): ["a", "b"]}
    assert driver.run(PATH, grant("view", "b"))["status"] == "SUCCEEDED"
    assert held(driver) == {POLICY.format("Edit"): ["a"], POLICY.format("View"): ["b"]}
    assert driver.run(PATH, grant("cluster_admin"))["status"] == "SUCCEEDED"
    assert held(driver)[POLICY.format("ClusterAdmin")] == []
    assert remembered(driver) == [
        {"principal": DEVELOPER, "everywhere": "cluster_admin", "namespaces": {"a": "edit", "b": "view"}}
    ]
    seen = entries(driver)[DEVELOPER]
    assert (seen["kind"], seen["made_by"], seen["permission_set"]) == ("role", "people", None)
    assert {each["permission"]: each["namespaces"] for each in seen["granted"]} == {
        "cluster_admin": None,
        "edit": ["a"],
        "view": ["b"],
    }
    assert revoked(driver, namespaces="a")["status"] == "SUCCEEDED"
    assert held(driver) == {POLICY.format("ClusterAdmin"): [], POLICY.format("View"): ["b"]}
    assert revoked(driver)["status"] == "SUCCEEDED"
    assert DEVELOPER not in entries(driver)
    assert remembered(driver) == []
    said = [entry["detail"] for entry in driver.get("/api/audit?cluster_tag=base")["entries"]]
    assert f"take from {DEVELOPER} what was granted in a" in said[1]
    assert f"grant edit in a, b to {DEVELOPER}" in said[-2]


def test_a_grant_is_previewed_and_a_revocation_has_to_be_confirmed(driver: Driver) -> None:
    preview = driver.send("POST", f"{PATH}?dry_run=true", grant("edit", "a")).body["preview"]
    assert [(each["action"], each["resource"], each["name"]) for each in preview["changes"]] == [
        ("create", "EKS access entry", DEVELOPER),
        ("create", "access policy", "AmazonEKSEditPolicy"),
    ]
    assert DEVELOPER not in entries(driver)
    driver.run(PATH, grant("edit", "a"))
    refused = revoke(driver)
    assert (refused.status, refused.body["code"]) == (409, "confirmation_required")
    digest = revoke(driver, dry_run="true").body["preview"]["digest"]
    driver.run(PATH, grant("admin", "c"))
    outdated = revoke(driver, confirm=digest)
    assert (outdated.status, outdated.body["code"]) == (409, "preview_outdated")
    assert held(driver) == {POLICY.format("Edit"): ["a"], POLICY.format("Admin"): ["c"]}


@pytest.mark.case(8)
def test_an_entry_that_eks_says_is_there_already_is_described_and_given_what_it_lacks(driver: Driver) -> None:
    eks = driver.host.client("eks")
    ours = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "base"}
    eks.create_access_entry(clusterName=CLUSTER, principalArn=DEVELOPER, tags=ours)
    operation = driver.run(PATH, grant("view"))
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert stage_of(operation, "people_access")["message"].startswith("entry already present")
    assert held(driver) == {POLICY.format("View"): []}
    again = driver.run(PATH, grant("view"))
    assert (again["status"], [each["check"] for each in again["findings"]]) == ("SUCCEEDED", ["unchanged"])


@pytest.mark.case(8)
def test_an_answer_that_was_lost_after_eks_made_the_entry_does_no_harm(driver: Driver) -> None:
    lost = Fault("eks", "CreateAccessEntry", Kind.FAIL_AFTER, role="function-stages_cluster")
    operation = driver.failing(PATH, grant("view", "a"), lost)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert held(driver) == {POLICY.format("View"): ["a"]}
    assert entries(driver)[DEVELOPER]["made_by"] == "people"


def test_a_revocation_that_was_killed_half_way_is_carried_out_to_its_end(driver: Driver) -> None:
    driver.run(PATH, grant("edit", "a"))
    driver.run(PATH, grant("view", "b", "c"))
    killed = Fault("eks", "AssociateAccessPolicy", Kind.KILL_AFTER, role="function-stages_cluster")
    with driver.host.faults.planned(killed):
        operation = revoked(driver, namespaces="a,b")
    assert (operation["status"], killed.seen) == ("SUCCEEDED", 1), operation["error"]
    assert held(driver) == {POLICY.format("View"): ["c"]}
    assert remembered(driver) == [{"principal": DEVELOPER, "everywhere": None, "namespaces": {"c": "view"}}]


def test_what_somebody_else_made_meanwhile_is_left_to_them(driver: Driver) -> None:
    taken = Fault(
        "eks",
        "CreateAccessEntry",
        Kind.REFUSE,
        role="function-stages_cluster",
        refusal=("ResourceInUseException", "The specified access entry resource is already in use on this cluster."),
    )
    with driver.host.faults.planned(taken):
        begun = driver.post(PATH, grant("view"))["operation_id"]
        driver.host.client("eks").create_access_entry(clusterName=CLUSTER, principalArn=DEVELOPER)
        operation = driver.finish(begun)
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "conflict")
    assert held(driver) == {}


def test_what_somebody_else_made_is_changed_with_consent_only_and_keeps_its_groups(driver: Driver) -> None:
    eks = driver.host.client("eks")
    eks.create_access_entry(clusterName=CLUSTER, principalArn=DEVELOPER, kubernetesGroups=["auditors"])
    eks.associate_access_policy(
        clusterName=CLUSTER,
        principalArn=DEVELOPER,
        policyArn=POLICY.format("AdminView"),
        accessScope={"type": "cluster"},
    )
    assert entries(driver)[DEVELOPER]["made_by"] == "somebody_else"
    for answer in (driver.send("POST", PATH, grant("view")), revoke(driver)):
        assert (answer.status, answer.body["code"], answer.fields) == (409, "conflict", ["take_over"])
    told = driver.send("POST", f"{PATH}?dry_run=true", grant("view")).body
    assert [(each["check"], each["level"]) for each in told["findings"]] == [("made_by_somebody_else", "error")]
    assert told["preview"]["digest"] is None
    assert driver.run(PATH, grant("view", take_over=True))["status"] == "SUCCEEDED"
    assert held(driver) == {POLICY.format("AdminView"): [], POLICY.format("View"): []}
    entry = eks.describe_access_entry(clusterName=CLUSTER, principalArn=DEVELOPER)["accessEntry"]
    assert entry["kubernetesGroups"] == ["auditors"]
    assert entries(driver)[DEVELOPER]["made_by"] == "people"


@pytest.mark.parametrize("principal", [OPERATOR, EXECUTION])
def test_what_the_cluster_runs_by_is_neither_granted_nor_taken_back(driver: Driver, principal: str) -> None:
    before = {each: held(driver, each) for each in entries(driver)}
    for answer in (driver.send("POST", PATH, grant("view", principal=principal)), revoke(driver, principal)):
        assert (answer.status, answer.body["code"], answer.fields) == (409, "conflict", ["principal_arn"])
    assert {each: held(driver, each) for each in entries(driver)} == before


def test_a_role_of_the_identity_center_is_let_in_by_its_role_with_path(driver: Driver) -> None:
    assert driver.run(PATH, grant("admin", "research", principal=SSO))["status"] == "SUCCEEDED"
    seen = entries(driver)[SSO]
    assert (seen["kind"], seen["permission_set"]) == ("sso", "Research")


def test_what_others_change_of_a_grant_is_told_by_the_list_and_put_right_by_the_same_grant(driver: Driver) -> None:
    eks = driver.host.client("eks")
    assert {each["as_granted"] for each in entries(driver).values()} == {None}
    driver.run(PATH, grant("view", "a"))
    assert entries(driver)[DEVELOPER]["as_granted"] is True
    eks.disassociate_access_policy(clusterName=CLUSTER, principalArn=DEVELOPER, policyArn=POLICY.format("View"))
    assert entries(driver)[DEVELOPER]["as_granted"] is False
    driver.run(PATH, grant("view", "a"))
    assert entries(driver)[DEVELOPER]["as_granted"] is True


def test_a_principal_that_eks_does_not_know_ends_the_operation_until_there_is_one(driver: Driver) -> None:
    operation = driver.run(PATH, grant("view", principal=f"arn:aws:iam::{ACCOUNT}:role/nobody"))
    error = operation["error"]
    assert (operation["status"], error["cause"]["code"]) == ("FAILED", "InvalidParameterException")
    assert "with its path" in error["remedy"]
    assert remembered(driver) == []
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    driver.host.client("iam").create_role(RoleName="nobody", AssumeRolePolicyDocument=trust)
    assert driver.retry(operation["operation_id"])["status"] == "SUCCEEDED"


def test_a_cluster_that_knows_no_access_entries_says_how_it_gets_to_know_them(driver: Driver) -> None:
    record = driver.host.world.eks.records.clusters[CLUSTER]
    record.described["accessConfig"]["authenticationMode"] = "CONFIG_MAP"
    answers = [driver.send("POST", PATH, grant("view")), revoke(driver), driver.send("GET", PATH)]
    assert [(each.status, each.body["code"]) for each in answers] == [(409, "precondition_failed")] * 3
    assert "move_authentication_mode" in answers[0].body["remedy"]


def test_what_was_never_granted_cannot_be_taken_back(driver: Driver) -> None:
    assert revoke(driver, confirm="x").status == 404
    driver.run(PATH, grant("view", "a"))
    answer = revoke(driver, namespaces="a,b")
    assert (answer.status, answer.fields) == (404, ["namespaces"])


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param(grant("cluster_admin", "a"), "namespaces", id="cluster_admin of a namespace"),
        pytest.param(grant("owner"), "permission", id="unknown permission"),
        pytest.param(grant("view", "Team_A"), "namespaces[0]", id="no namespace's name"),
        pytest.param(grant("view", "a", "a"), "namespaces", id="twice"),
        pytest.param(grant("view", principal=f"arn:aws:iam::{ACCOUNT}:root"), "principal_arn", id="root"),
        pytest.param(grant("view", principal=DEVELOPER.replace(ACCOUNT, "9" * 12)), "principal_arn", id="account"),
    ],
)
def test_a_grant_that_makes_no_sense_is_refused_naming_the_field(driver: Driver, body: Json, field: str) -> None:
    answer = driver.send("POST", PATH, body)
    assert (answer.status, answer.fields) == (400, [field])


def test_entries_are_listed_page_by_page(driver: Driver) -> None:
    found, path = list[str](), f"{PATH}?limit=1"
    while path:
        page = driver.get(path)
        found += [each["principal_arn"] for each in page["entries"]]
        path = f"{PATH}?limit=1&next_token={page['next_token']}" if page["next_token"] else ""
    assert found == driver.host.client("eks").list_access_entries(clusterName=CLUSTER)["accessEntries"]
    assert len(found) > 1


def test_a_page_costs_two_calls_an_entry_and_four_more_however_many_entries_there_are(driver: Driver) -> None:
    for number in range(12):
        driver.host.client("eks").create_access_entry(
            clusterName=CLUSTER, principalArn=f"arn:aws:iam::{ACCOUNT}:user/person-{number}"
        )
    heard: list[Call] = []
    with driver.host.faults.overheard(heard.append):
        assert len(driver.get(f"{PATH}?limit=5")["entries"]) == 5
    calls = [call for call in heard if "function-api-" in call.role]
    assert len(calls) == 2 * 5 + 4
