"""The removal of a chain as a stage: in reverse, again after every fault, and only what is ours."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from functions.identity.declaration import DECLARATION
from infra.local.faults import Call, Fault, Kind
from infra.local.kubernetes.documents import objects
from infra.local.kubernetes.resources import SERVICE_ACCOUNTS
from tests.host.driver import Driver, Json
from tests.workflows.chains import (
    BUCKET,
    DRIVER,
    DRIVER_ACCOUNT,
    EKS,
    INFERENCE,
    INFERENCE_ACCOUNT,
    TRAINING,
    TRAINING_ACCOUNT,
    annotations_of,
    install,
    role_arn,
    role_names,
    session_of_pod,
)

ROLE = "instantstart-base-us-west-2-training"
GONE = "ResourceNotFoundException"
NOTHING_LEFT = "nothing of ours is left"

Run = Callable[[str], Json]


@pytest.fixture
def remove(run_stage: Run) -> Run:
    """Runs the stage that removes a chain."""
    return lambda chain: run_stage(f"identity_chain_removal:{chain}")


@pytest.fixture
def made(driver_of_prepared: Driver, run_stage: Run) -> Driver:
    """The prepared cluster with the training operator's chain and account."""
    assert run_stage(f"identity_chain:{TRAINING}")["status"] == "SUCCEEDED"
    install(driver_of_prepared, TRAINING_ACCOUNT)
    assert stands(driver_of_prepared) == (True, True)
    return driver_of_prepared


def stands(driver: Driver) -> tuple[bool, bool]:
    """Whether the chain's pods get a session, and whether its role is there."""
    return session_of_pod(driver, TRAINING_ACCOUNT) != GONE, ROLE in role_names(driver)


def said(operation: Json) -> str:
    assert operation["status"] == "SUCCEEDED", operation["error"]["detail"]
    return str(operation["stages"][0]["message"])


def associate(driver: Driver, role: str, account: tuple[str, str] = TRAINING_ACCOUNT) -> str:
    """Give a service account a role as somebody else."""
    client = driver.host.client("eks")
    answer = client.create_pod_identity_association(
        clusterName=EKS, namespace=account[0], serviceAccount=account[1], roleArn=role
    )
    return answer["association"]["associationId"]


def test_a_chain_is_removed_and_a_second_removal_finds_nothing(made: Driver, remove: Run) -> None:
    left = "; left alone: service account aws-hyperpod/hp-training-operator-controller-manager "
    left += "(of the add-on amazon-sagemaker-hyperpod-training-operator)"
    for _ in range(2):
        assert said(remove(TRAINING)) == NOTHING_LEFT + left
        assert stands(made) == (False, False)
    assert "instantstart-base-us-west-2-s3-csi" in role_names(made)
    assert "assumed-role/instantstart-base-us-west-2-s3-csi/" in session_of_pod(made, DRIVER_ACCOUNT)


@pytest.mark.parametrize(
    ("kinds", "calls"),
    [
        pytest.param((Kind.KILL_BEFORE, Kind.KILL_AFTER), (("eks", "DeletePodIdentityAssociation"),), id="association"),
        pytest.param((Kind.KILL_BEFORE, Kind.KILL_AFTER), (("iam", "DetachRolePolicy"),), id="policies"),
        pytest.param((Kind.KILL_BEFORE, Kind.KILL_AFTER), (("iam", "DeleteRole"),), id="role"),
        pytest.param(
            (Kind.THROTTLE, Kind.FAIL_BEFORE, Kind.FAIL_AFTER),
            (
                ("eks", "DeletePodIdentityAssociation"),
                ("iam", "GetRole"),
                ("iam", "DetachRolePolicy"),
                ("iam", "DeleteRole"),
            ),
            id="busy",
        ),
        pytest.param(
            (Kind.THROTTLE,) * 5,
            (("eks", "ListPodIdentityAssociations"), ("iam", "ListRolePolicies")),
            id="busy for long",
        ),
    ],
)
def test_a_removal_outlasts_dead_workers_and_busy_services(
    made: Driver, remove: Run, kinds: tuple[Kind, ...], calls: tuple[tuple[str, str], ...]
) -> None:
    planned = [
        Fault(service, name, kind, first, role="stages_identity")
        for service, name in calls
        for first, kind in enumerate(kinds, 1)
    ]
    with made.host.faults.planned(*planned):
        assert said(remove(TRAINING)).startswith(NOTHING_LEFT)
    assert all(fault.seen >= fault.first for fault in planned)
    assert stands(made) == (False, False)


@pytest.mark.parametrize(
    ("service", "call", "role"),
    [
        ("iam", "GetRole", "stages_identity"),
        ("iam", "ListAttachedRolePolicies", "stages_identity"),
        ("eks", "ListPodIdentityAssociations", "stages_identity"),
        ("eks", "DescribeCluster", "stages_identity"),
        ("kubernetes", "GET serviceaccounts", "kubernetes-operator"),
    ],
)
def test_what_may_not_be_read_is_not_taken_for_gone(
    made: Driver, remove: Run, service: str, call: str, role: str
) -> None:
    with made.host.faults.planned(Fault(service, call, Kind.DENY, times=99, role=role)):
        failed = remove(TRAINING)
    assert failed["status"] == "FAILED"
    assert failed["error"]["cause"]["code"] in ("AccessDeniedException", "AccessDenied", "Forbidden")
    assert failed["error"]["remedy"]
    assert stands(made) == (True, True)


def test_links_go_from_the_last_to_the_first_and_a_retry_goes_on(made: Driver, remove: Run) -> None:
    with made.host.faults.planned(Fault("iam", "DetachRolePolicy", Kind.DENY, times=9)):
        assert remove(TRAINING)["status"] == "FAILED"
    assert stands(made) == (False, True)
    assert said(remove(TRAINING)).startswith(NOTHING_LEFT)
    assert stands(made) == (False, False)


def test_what_somebody_else_made_stays_and_is_named(driver_of_prepared: Driver, remove: Run) -> None:
    driver, iam = driver_of_prepared, driver_of_prepared.host.client("iam")
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    theirs = iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    association = associate(driver, theirs)
    operation = remove(TRAINING)
    whose = "(somebody else's)"
    named = [f"association {association} with {theirs} {whose}", f"role {theirs} {whose}"]
    assert said(operation) == f"{NOTHING_LEFT}; left alone: {', '.join(named)}"
    assert operation["stages"][0]["result"]["left_alone"] == named
    assert iam.get_role(RoleName=ROLE)["Role"]["Arn"] == theirs
    client = driver.host.client("eks")
    assert client.describe_pod_identity_association(clusterName=EKS, associationId=association)


def test_the_drivers_role_goes_with_the_stack_and_somebody_elses_association_stays(
    driver_of_prepared: Driver, remove: Run
) -> None:
    driver, role = driver_of_prepared, role_arn("s3-csi")
    assert f"role {role} (of the foundation stack)" in said(remove(DRIVER))
    assert session_of_pod(driver, DRIVER_ACCOUNT) == GONE
    association = associate(driver, role, DRIVER_ACCOUNT)
    assert f"association {association} with {role} (somebody else's)" in said(remove(DRIVER))
    assert "assumed-role/instantstart-base-us-west-2-s3-csi/" in session_of_pod(driver, DRIVER_ACCOUNT)


def test_an_annotation_goes_unless_another_manager_wrote_it_too(
    driver_of_prepared: Driver, run_stage: Run, remove: Run
) -> None:
    driver, role = driver_of_prepared, role_arn("inference")
    install(driver, INFERENCE_ACCOUNT)
    run_stage(f"identity_chain:{INFERENCE}")
    assert annotations_of(driver, INFERENCE_ACCOUNT)
    assert said(remove(INFERENCE)).startswith(NOTHING_LEFT)
    assert annotations_of(driver, INFERENCE_ACCOUNT) == {}
    run_stage(f"identity_chain:{INFERENCE}")
    share_annotations(driver, INFERENCE_ACCOUNT)
    assert f"annotation {role} of {'/'.join(INFERENCE_ACCOUNT)} (of eks)" in said(remove(INFERENCE))
    assert annotations_of(driver, INFERENCE_ACCOUNT) == {"eks.amazonaws.com/role-arn": role}
    assert "instantstart-base-us-west-2-inference" not in role_names(driver)


def share_annotations(driver: Driver, account: tuple[str, str]) -> None:
    """Let EKS own the annotations of a service account too, as an add-on that applies its configuration does."""
    namespace, name = account
    store = driver.host.world.kubernetes[EKS].store
    entries = objects(store.get(SERVICE_ACCOUNTS, name, namespace), "metadata", "managedFields")
    [ours] = [entry for entry in entries if entry["manager"] == "instantstart"]
    shared = {"name": name, "namespace": namespace, "managedFields": [*entries, {**ours, "manager": "eks"}]}
    store.upsert(SERVICE_ACCOUNTS, {"metadata": shared})


def test_a_chain_whose_cluster_is_going_waits_until_it_is_gone_and_then_loses_its_role(
    made: Driver, remove: Run
) -> None:
    made.host.client("eks").delete_cluster(name=EKS)
    operation = remove(TRAINING)
    assert said(operation) == NOTHING_LEFT
    assert ROLE not in role_names(made)


def test_a_removal_is_declared_with_the_actions_that_it_takes(made: Driver, run_stage: Run, remove: Run) -> None:
    taken = set[str]()

    def noted(call: Call) -> None:
        if "stages_identity" in call.role and call.service != "dynamodb":
            taken.add(f"{call.service}:{call.operation}")

    made.host.client("iam").put_role_policy(RoleName=ROLE, PolicyName="more", PolicyDocument=policy())
    # A token of an earlier removal would serve for minutes.
    made.sleep(900)
    with made.host.faults.overheard(noted):
        assert said(remove(TRAINING)).startswith(NOTHING_LEFT)
    [declared] = [stage for stage in DECLARATION.stages if stage.kind == "identity_chain_removal"]
    assert taken == set(declared.actions)


def policy() -> str:
    statement = {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{BUCKET}"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
