"""Our own roles in a cluster: the administrator grants, the operator may do what its stages do and nothing else."""

from __future__ import annotations

import json

import pytest

from infra.local.messages import HttpRequest
from tests.host.driver import Driver, stage_of

NAME = "eks-cluster-base"
OPERATOR = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-operator-us-west-2"
GROUP = "instantstart:operator"
ADMINISTRATOR = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


def may(driver: Driver, verb: str, group: str, resource: str) -> bool:
    """Ask the cluster whether the operator's group may do something in every namespace."""
    asked = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "groups": [GROUP],
            "user": "somebody",
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource},
        },
    }
    headers = {
        "authorization": f"Bearer {driver.host.options.person_token}",
        "content-type": "application/json",
    }
    request = HttpRequest(
        "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "", headers, json.dumps(asked).encode()
    )
    answer = driver.host.world.kubernetes[NAME].handle(request)
    assert answer.status == 201, answer.body
    return bool(json.loads(answer.body)["status"]["allowed"])


ALLOWED = [
    ("list", "", "nodes"),
    ("patch", "", "persistentvolumes"),
    ("patch", "", "persistentvolumeclaims"),
    ("create", "", "pods"),
    ("get", "storage.k8s.io", "csidrivers"),
]
DENIED = [
    ("get", "", "secrets"),
    ("list", "", "secrets"),
    ("delete", "", "nodes"),
    ("delete", "", "namespaces"),
    ("create", "", "pods/exec"),
    ("patch", "apps", "daemonsets"),
    ("patch", "rbac.authorization.k8s.io", "clusterroles"),
    ("create", "rbac.authorization.k8s.io", "clusterrolebindings"),
]


def test_the_operator_may_do_what_its_stages_do_and_nothing_else(driver_of_prepared: Driver) -> None:
    may_do = {asked: may(driver_of_prepared, *asked) for asked in (*ALLOWED, *DENIED)}
    assert may_do == {**dict.fromkeys(ALLOWED, True), **dict.fromkeys(DENIED, False)}


@pytest.mark.parametrize("groups", [[], ["auditors"]], ids=["no group", "another group"])
def test_an_operator_that_somebody_made_an_administrator_becomes_an_operator_again(
    driver_of_base: Driver, groups: list[str]
) -> None:
    client = driver_of_base.host.client("eks")
    client.update_access_entry(clusterName=NAME, principalArn=OPERATOR, kubernetesGroups=groups)
    client.associate_access_policy(
        clusterName=NAME, principalArn=OPERATOR, policyArn=ADMINISTRATOR, accessScope={"type": "cluster"}
    )
    operation = driver_of_base.run("/api/clusters/base/dependencies")
    assert operation["status"] == "SUCCEEDED"
    assert stage_of(operation, "access_entry:operator")["result"]["groups"] == [GROUP]
    entry = client.describe_access_entry(clusterName=NAME, principalArn=OPERATOR)["accessEntry"]
    assert sorted(entry["kubernetesGroups"]) == sorted({*groups, GROUP})
    listed = client.list_associated_access_policies(clusterName=NAME, principalArn=OPERATOR)
    assert listed["associatedAccessPolicies"] == []


def test_a_cluster_of_our_own_is_not_taken_in_forgotten_or_detected(driver_of_base: Driver) -> None:
    driver = driver_of_base
    refused = driver.send("POST", "/api/clusters/import", {"eks_cluster_name": "eks-cluster-base", "tag": "other"})
    assert (refused.status, refused.body["code"]) == (409, "already_exists")
    for route in ("forget", "redetect"):
        answer = driver.send("POST", f"/api/clusters/base/{route}", {})
        assert (answer.status, answer.body["code"]) == (409, "precondition_failed"), answer
