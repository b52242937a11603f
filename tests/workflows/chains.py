"""What tests of identity chains do around a chain's stages: install accounts, and judge a chain by what pods get."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

from botocore.exceptions import ClientError

from infra.local.kubernetes.api import KubernetesApi
from infra.local.messages import HttpRequest
from tests.host.driver import Driver, Json

EKS = "eks-cluster-base"
BUCKET = "sagemaker-base-123456789012-us-west-2"
DRIVER, TRAINING, INFERENCE = "s3-csi-driver", "training-operator", "inference-operator"
INFERENCE_ACCOUNT = ("hyperpod-inference-system", "hyperpod-inference-controller-manager")
TRAINING_ACCOUNT = ("aws-hyperpod", "hp-training-operator-controller-manager")
DRIVER_ACCOUNT = ("kube-system", "s3-csi-driver-sa")
INFERENCE_ROLE = "instantstart-base-us-west-2-inference"
INFERENCE_SESSION = f"arn:aws:sts::123456789012:assumed-role/{INFERENCE_ROLE}/pod"
DENIED = "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity"
PODS, STS = "pods.eks.amazonaws.com", "sts.amazonaws.com"


def role_arn(name: str) -> str:
    return f"arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/instantstart-base-us-west-2-{name}"


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
