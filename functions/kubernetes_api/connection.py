"""A connection to a cluster's API server: endpoint and CA from EKS, a short-lived token of the role we assume."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import botocore.session
from botocore.credentials import Credentials
from botocore.model import ServiceId
from botocore.signers import RequestSigner
from kubernetes.client import ApiClient, Configuration

from functions.aws import eks
from functions.core import runtime, settings
from functions.core.errors import Cause, Layer, PreconditionFailed

# An EKS token is valid for 15 minutes. Source: Amazon EKS best practices guide, "Cluster access management".
_TOKEN_LIFE: Final = timedelta(minutes=14)
_URL_SECONDS: Final = 60
CONNECT_SECONDS: Final = 3
READ_SECONDS: Final = 10


@dataclass(frozen=True)
class Connection:
    """A client bound to one cluster, and until when its token serves."""

    client: ApiClient
    expires: datetime


_connections: dict[tuple[int, str], Connection] = {}


def connect(eks_cluster: str) -> ApiClient:
    """Give a client of a cluster's API server, kept while its token serves.

    Raises PreconditionFailed when the EKS cluster is not active, else the AWS client's own errors.
    """
    key = (id(runtime.current()), eks_cluster)
    known = _connections.get(key)
    if known is None or known.expires <= runtime.now():
        known = Connection(_client(eks_cluster), runtime.now() + _TOKEN_LIFE)
        _connections[key] = known
    return known.client


def _client(eks_cluster: str) -> ApiClient:
    cluster = eks.describe_cluster(eks_cluster)
    if cluster is None or cluster.status not in ("ACTIVE", "UPDATING"):
        raise PreconditionFailed(
            f"The EKS cluster {eks_cluster} is {cluster.status if cluster else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=eks_cluster),
            remedy="Create or repair the cluster's foundation first.",
        )
    configuration = Configuration(host=cluster.endpoint)
    configuration.api_key["BearerToken"] = f"Bearer {_token(eks_cluster)}"
    configuration.retries = False
    configuration.ca_cert_data = base64.b64decode(cluster.certificate_authority).decode()
    return ApiClient(configuration)


def _token(eks_cluster: str) -> str:
    """Sign who we are for this cluster: a presigned GetCallerIdentity of the regional STS endpoint."""
    region = runtime.environment()["AWS_REGION"]
    session = botocore.session.get_session()
    signer = RequestSigner(
        ServiceId("STS"), region, "sts", "v4", _assumed(), session.get_component("event_emitter")
    )
    request = {
        "method": "GET",
        "url": f"https://sts.{region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": eks_cluster},
        "context": {},
    }
    url = signer.generate_presigned_url(request, region_name=region, expires_in=_URL_SECONDS, operation_name="")
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def _assumed() -> Credentials:
    """Assume the operator role that the clusters' access entries name."""
    answer = runtime.client("sts").assume_role(
        RoleArn=settings.required("KUBERNETES_OPERATOR_ROLE_ARN"), RoleSessionName="instantstart"
    )["Credentials"]
    return Credentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])
