"""The chain from a service account to its role, made, broken and repaired, and judged by what its pods get."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast

import pytest
from botocore.exceptions import ClientError

from functions.core import ledger, runtime
from functions.core.ledger.clusters import spec_of
from functions.core.runtime import Runtime
from functions.core.stage import Done, Observation, Reapply, StageContext
from functions.identity.chains import stages
from infra.local.host import LocalHost
from tests.host.driver import Driver, Json
from tests.workflows.chains import (
    BUCKET,
    DENIED,
    DRIVER,
    DRIVER_ACCOUNT,
    EKS,
    INFERENCE,
    INFERENCE_ACCOUNT,
    INFERENCE_ROLE,
    INFERENCE_SESSION,
    PODS,
    STS,
    TRAINING,
    TRAINING_ACCOUNT,
    annotations_of,
    delete_provider,
    install,
    role_arn,
    session_by_token,
    session_of_pod,
    token_of,
)

Run = Callable[[str], Json]


@pytest.fixture
def run(run_stage: Run) -> Run:
    """Runs the stage of a chain."""
    return lambda chain: run_stage(f"identity_chain:{chain}")


@pytest.fixture(scope="module")
def own(session_host: LocalHost) -> Runtime:
    """The environment of the function that runs the stage, for what no machine asks of it."""
    role = session_host.deployed.function_roles["stages_identity"]
    session = session_host.sessions.of(session_host.identities.of_role(role))
    return Runtime(session_host.deployed.environment, session, session_host.clock)


def said(operation: Json) -> str:
    """What the only stage of an operation that succeeded says."""
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return str(operation["stages"][0]["message"])


@contextmanager
def as_stage(runtime_of_stage: Runtime, operation: Json) -> Iterator[StageContext]:
    """The context of an operation's stage, under the role of the function that runs it."""
    with runtime.bound(runtime_of_stage):
        held = ledger.get(operation["operation_id"])
        yield StageContext(held, spec_of("base"), held.stages[0])


def observed(own: Runtime, operation: Json) -> Observation:
    with as_stage(own, operation) as context:
        return stages.STAGES["identity_chain"].observe(context)


@pytest.mark.case(40)
def test_a_trust_with_a_wildcard_that_never_matches_is_found_and_rewritten(
    driver_of_prepared: Driver, run: Run, own: Runtime
) -> None:
    driver, role, iam = driver_of_prepared, role_arn("inference"), driver_of_prepared.host.client("iam")
    install(driver, INFERENCE_ACCOUNT)
    first = run(INFERENCE)
    assert said(first) == (
        "every link holds: OIDC provider, role, role trust, managed policy, service account, annotation"
    )
    assert annotations_of(driver, INFERENCE_ACCOUNT) == {"eks.amazonaws.com/role-arn": role}
    token = token_of(driver, INFERENCE_ACCOUNT, STS)
    assert session_by_token(driver, role, token) == INFERENCE_SESSION
    trust = json.dumps(iam.get_role(RoleName=INFERENCE_ROLE)["Role"]["AssumeRolePolicyDocument"])
    wild = trust.replace("controller-manager", "*")
    iam.update_assume_role_policy(RoleName=INFERENCE_ROLE, PolicyDocument=wild)
    assert session_by_token(driver, role, token) == DENIED
    seen = observed(own, first)
    assert isinstance(seen, Reapply)
    assert "role trust" in seen.message and "sub uses a wildcard with StringEquals" in seen.message
    delete_provider(driver)
    assert session_by_token(driver, role, token).startswith("InvalidIdentityToken: No OpenIDConnect provider found")
    run(INFERENCE)
    assert session_by_token(driver, role, token_of(driver, INFERENCE_ACCOUNT, STS)) == INFERENCE_SESSION
    assert json.dumps(iam.get_role(RoleName=INFERENCE_ROLE)["Role"]["AssumeRolePolicyDocument"]) == trust


def test_a_provider_that_vouches_for_sts_no_more_gets_its_audience_back(driver_of_prepared: Driver, run: Run) -> None:
    driver, iam = driver_of_prepared, driver_of_prepared.host.client("iam")
    install(driver, INFERENCE_ACCOUNT)
    run(INFERENCE)
    [provider] = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    arn = provider["Arn"]
    made = iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
    delete_provider(driver)
    iam.create_open_id_connect_provider(Url=f"https://{made['Url']}", Tags=made["Tags"])
    run(INFERENCE)
    assert iam.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)["ClientIDList"] == [STS]
    token = token_of(driver, INFERENCE_ACCOUNT, STS)
    assert session_by_token(driver, role_arn("inference"), token) == INFERENCE_SESSION


def test_sts_tells_a_wrong_audience_subject_signature_and_account_apart(driver_of_prepared: Driver, run: Run) -> None:
    driver, role = driver_of_prepared, role_arn("inference")
    install(driver, INFERENCE_ACCOUNT)
    run(INFERENCE)
    token = token_of(driver, INFERENCE_ACCOUNT, STS)
    expected = {
        "no token": "InvalidIdentityToken: The ID Token provided is not a valid JWT. "
        "(You may see this error if you sent an Access Token)",
        token_of(driver, INFERENCE_ACCOUNT, PODS): "InvalidIdentityToken: Incorrect token audience",
        token_of(driver, DRIVER_ACCOUNT, STS): DENIED,
    }
    assert {each: session_by_token(driver, role, each) for each in expected} == expected
    body, _, signature = token.rpartition(".")
    forged = session_by_token(driver, role, f"{body}.{signature[::-1]}")
    assert forged.startswith("InvalidIdentityToken: Couldn't retrieve verification key")
    elsewhere = session_by_token(driver, role.replace("123456789012", "111122223333"), token)
    assert elsewhere.startswith(
        "InvalidIdentityToken: No OpenIDConnect provider found in your account for https://oidc"
    )


@pytest.mark.case(41)
def test_the_drivers_role_without_its_objects_arn_is_told_with_what_it_lacks_and_given_it(
    driver_of_prepared: Driver, run: Run, own: Runtime
) -> None:
    driver, name = driver_of_prepared, "instantstart-base-us-west-2-s3-csi"
    first = run(DRIVER)
    assert said(first).startswith("every link holds: agent")
    assert "assumed-role/instantstart-base-us-west-2-s3-csi/" in session_of_pod(driver, DRIVER_ACCOUNT)
    iam = driver.host.client("iam")
    made = iam.get_role_policy(RoleName=name, PolicyName="bucket")["PolicyDocument"]
    arn = f"arn:aws:s3:::{BUCKET}"
    named, narrow = json.dumps(made).replace(arn, BUCKET), json.dumps(made).replace("/*", "")
    with pytest.raises(ClientError, match="must be in ARN format"):
        iam.put_role_policy(RoleName=name, PolicyName="bucket", PolicyDocument=named)
    iam.put_role_policy(RoleName=name, PolicyName="bucket", PolicyDocument=narrow)
    seen = observed(own, first)
    assert isinstance(seen, Reapply)
    assert f"policy {name}: it does not grant s3:AbortMultipartUpload on {arn}/*" in seen.message
    assert isinstance(observed(own, run(DRIVER)), Done)
    repaired = cast("Json", iam.get_role_policy(RoleName=name, PolicyName="bucket")["PolicyDocument"])
    assert [statement["Resource"] for statement in repaired["Statement"]] == [[arn], [f"{arn}/*"]]


def test_an_operators_chain_is_made_before_its_add_on_and_pointed_back(driver_of_prepared: Driver, run: Run) -> None:
    driver, eks = driver_of_prepared, driver_of_prepared.host.client("eks")
    assert said(run(TRAINING)).endswith("annotation, association")
    made = driver.host.client("iam").get_role(RoleName="instantstart-base-us-west-2-training")["Role"]
    assert made["PermissionsBoundary"]["PermissionsBoundaryArn"].endswith(
        ":policy/instantstart/us-west-2/instantstart-boundary-us-west-2"
    )
    install(driver, TRAINING_ACCOUNT)
    assert "assumed-role/instantstart-base-us-west-2-training/" in session_of_pod(driver, TRAINING_ACCOUNT)
    assert session_of_pod(driver, TRAINING_ACCOUNT, STS) == "InvalidTokenException"
    [found] = eks.list_pod_identity_associations(clusterName=EKS, serviceAccount=TRAINING_ACCOUNT[1])["associations"]
    eks.update_pod_identity_association(
        clusterName=EKS, associationId=found["associationId"], roleArn=role_arn("s3-csi")
    )
    assert "assumed-role/instantstart-base-us-west-2-s3-csi/" in session_of_pod(driver, TRAINING_ACCOUNT)
    run(TRAINING)
    assert "assumed-role/instantstart-base-us-west-2-training/" in session_of_pod(driver, TRAINING_ACCOUNT)


def test_a_role_of_somebody_else_is_left_alone_and_named(driver_of_prepared: Driver, run: Run) -> None:
    iam, name = driver_of_prepared.host.client("iam"), "instantstart-base-us-west-2-training"
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
    operation = run(TRAINING)
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "conflict")
    assert operation["error"]["cause"]["resource"] == name
    assert operation["error"]["remedy"]
    assert iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"] == json.loads(trust)
    assert iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"] == []
