"""The chain from a service account to its role, made, broken and repaired, and judged by what its pods get."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError

from functions.clusters import rules
from functions.core import ledger, runtime
from functions.core.ledger.clusters import spec_of
from functions.core.runtime import Runtime
from functions.core.stage import Done, Observation, Reapply, StageContext
from functions.identity.chains import stages
from infra.local.host import LocalHost
from infra.local.kubernetes.api import KubernetesApi
from infra.local.messages import HttpRequest
from tests.host.driver import Driver, Json

EKS = "eks-cluster-base"
BUCKET = "sagemaker-base-123456789012-us-west-2"
DRIVER, TRAINING, INFERENCE = "s3-csi-driver", "training-operator", "inference-operator"
INFERENCE_ACCOUNT = ("hyperpod-inference-system", "hyperpod-inference-controller-manager")
TRAINING_ACCOUNT = ("aws-hyperpod", "hp-training-operator-controller-manager")
DRIVER_ACCOUNT = ("kube-system", "s3-csi-driver-sa")
INFERENCE_ROLE = "instantstart-base-inference"
INFERENCE_SESSION = f"arn:aws:sts::123456789012:assumed-role/{INFERENCE_ROLE}/pod"
DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity"
PODS, STS = "pods.eks.amazonaws.com", "sts.amazonaws.com"

Run = Callable[[str], Json]


@pytest.fixture
def run(driver_of_prepared: Driver, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the stage of a chain on the prepared cluster, by the machines that run every stage."""

    def running(chain: str) -> Json:
        planned = [("dependencies", f"identity_chain:{chain}")]
        monkeypatch.setattr(rules, "plan", lambda *_: planned)
        begun = driver_of_prepared.post("/api/clusters/base/dependencies")
        return driver_of_prepared.finish(begun["operation_id"], within=30)

    return running


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


def role_arn(name: str) -> str:
    return f"arn:aws:iam::123456789012:role/instantstart/instantstart-base-{name}"


def kubernetes(driver: Driver, method: str, path: str, body: Json | None = None) -> Json:
    """Ask the cluster's API as the person at the machine."""
    api: KubernetesApi = driver.host.world.kubernetes[EKS]
    token = {"authorization": f"Bearer {driver.host.options.person_token}", "content-type": "application/json"}
    answer = api.handle(HttpRequest(method, path, "", token, json.dumps(body or {}).encode()))
    assert answer.status < 300, answer
    document: Json = json.loads(answer.body)
    return document


def install(driver: Driver, account: tuple[str, str]) -> None:
    """Bring a service account, as the add-on of an operator does."""
    namespace, name = account
    if namespace not in [each["metadata"]["name"] for each in kubernetes(driver, "GET", "/api/v1/namespaces")["items"]]:
        kubernetes(driver, "POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    kubernetes(driver, "POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": name}})


def token_of(driver: Driver, account: tuple[str, str], audience: str) -> str:
    """The token that the kubelet projects into a pod of a service account."""
    path = f"/api/v1/namespaces/{account[0]}/serviceaccounts/{account[1]}"
    asked = {"spec": {"audiences": [audience], "expirationSeconds": 600}}
    return str(kubernetes(driver, "POST", f"{path}/token", asked)["status"]["token"])


def annotations_of(driver: Driver, account: tuple[str, str]) -> Json:
    path = f"/api/v1/namespaces/{account[0]}/serviceaccounts/{account[1]}"
    found: Json = kubernetes(driver, "GET", path)["metadata"].get("annotations", {})
    return found


def session_by_token(driver: Driver, role: str, token: str) -> str:
    """Whom STS makes of the bearer of a token; the call's code and message when it refuses."""
    client = driver.host.client("sts")
    try:
        answer = client.assume_role_with_web_identity(RoleArn=role, RoleSessionName="pod", WebIdentityToken=token)
    except ClientError as error:
        return refusal(error)
    return answer["AssumedRoleUser"]["Arn"]


def session_of_pod(driver: Driver, account: tuple[str, str], audience: str = PODS) -> str:
    """Whom the pod identity agent makes of a pod; the call's code when it is refused."""
    client = cast("Callable[[str], Any]", driver.host.client)("eks-auth")
    try:
        answer = client.assume_role_for_pod_identity(clusterName=EKS, token=token_of(driver, account, audience))
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return str(answer["assumedRoleUser"]["arn"])


def delete_provider(driver: Driver) -> None:
    """Delete the cluster's identity provider, the only one of the account."""
    iam = driver.host.client("iam")
    [provider] = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=provider["Arn"])


def refusal(error: ClientError) -> str:
    return f"{error.response['Error']['Code']}: {error.response['Error']['Message']}"


def role_names(driver: Driver) -> list[str]:
    return [role["RoleName"] for role in driver.host.client("iam").list_roles(PathPrefix="/instantstart/")["Roles"]]


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
    driver, name = driver_of_prepared, "instantstart-base-s3-csi"
    first = run(DRIVER)
    assert said(first).startswith("every link holds: agent")
    assert "assumed-role/instantstart-base-s3-csi/" in session_of_pod(driver, DRIVER_ACCOUNT)
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


def test_an_operators_chain_is_made_before_its_add_on_pointed_back_and_removed_in_reverse(
    driver_of_prepared: Driver, run: Run, own: Runtime
) -> None:
    driver, eks = driver_of_prepared, driver_of_prepared.host.client("eks")
    assert said(run(TRAINING)).endswith("annotation, association")
    install(driver, TRAINING_ACCOUNT)
    assert "assumed-role/instantstart-base-training/" in session_of_pod(driver, TRAINING_ACCOUNT)
    assert session_of_pod(driver, TRAINING_ACCOUNT, STS) == "InvalidTokenException"
    [found] = eks.list_pod_identity_associations(clusterName=EKS, serviceAccount=TRAINING_ACCOUNT[1])["associations"]
    eks.update_pod_identity_association(
        clusterName=EKS, associationId=found["associationId"], roleArn=role_arn("s3-csi")
    )
    assert "assumed-role/instantstart-base-s3-csi/" in session_of_pod(driver, TRAINING_ACCOUNT)
    operation = run(TRAINING)
    assert "assumed-role/instantstart-base-training/" in session_of_pod(driver, TRAINING_ACCOUNT)
    with as_stage(own, operation) as context:
        removed = stages.remove(context)
        again = stages.remove(context)
    assert removed.message == "removed: delete_association, detach_policies, delete_role"
    assert again.message == "nothing of ours is left"
    assert session_of_pod(driver, TRAINING_ACCOUNT) == "ResourceNotFoundException"
    assert "instantstart-base-training" not in role_names(driver)
    assert "instantstart-base-s3-csi" in role_names(driver)


def test_a_role_of_somebody_else_is_left_alone_and_named(driver_of_prepared: Driver, run: Run) -> None:
    iam, name = driver_of_prepared.host.client("iam"), "instantstart-base-training"
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)
    operation = run(TRAINING)
    assert (operation["status"], operation["error"]["code"]) == ("FAILED", "conflict")
    assert operation["error"]["cause"]["resource"] == name
    assert operation["error"]["remedy"]
    assert iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"] == json.loads(trust)
    assert iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"] == []
