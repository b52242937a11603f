"""A connection to a cluster's API server, authenticated by a short-lived token of the role that we assume."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from botocore.credentials import Credentials
from kubernetes.client import ApiClient, Configuration

from functions.core import operation_sessions, runtime, settings
from functions.core.cluster import AccessRole
from functions.core.runtime import Patience

if TYPE_CHECKING:
    from collections.abc import Callable

    from functions.core.cluster import ApiServer


# An EKS token is valid for 15 minutes. Source: Amazon EKS best practices guide, "Cluster access management".
_TOKEN_LIFE: Final = timedelta(minutes=14)
_URL_SECONDS: Final = 60
CONNECT_SECONDS: Final = 3
# With the calls that come before, a caller is answered within ten seconds, and a stage is patient.
_READ_SECONDS: Final = {Patience.EDGE: 5, Patience.STAGE: 10}


class ClusterClient(ApiClient):
    """A client of one cluster's API server, signed in as one of our roles."""

    def __init__(self, server: ApiServer, role: AccessRole) -> None:
        configuration = Configuration(host=server.endpoint)
        configuration.retries = False
        configuration.ca_cert_data = server.certificate_authority
        super().__init__(configuration)
        self._settings = configuration
        self._cluster = server.cluster
        self.role = role
        self.sign_in()

    def sign_in(self) -> None:
        """Take a new token, in the place of one that has expired or is refused."""
        self._settings.api_key["BearerToken"] = f"Bearer {token_for(self._cluster, self.role)}"


@dataclass(frozen=True)
class Connection:
    """A client bound to one cluster, and until when its token serves."""

    client: ClusterClient
    expires: datetime


_connections: dict[tuple[int, str, AccessRole, str], Connection] = {}


def connect(
    eks_cluster: str, api_server_of: Callable[[str], ApiServer], role: AccessRole = AccessRole.OPERATOR
) -> ClusterClient:
    """Give a client of a cluster's API server, kept while its token serves; `api_server_of` is asked for a new one.

    Each operation has its own: the cluster's audit log names the session by which it came in.
    """
    key = (id(runtime.current()), eks_cluster, role, operation_sessions.session_name())
    known = _connections.get(key)
    if known is None or known.expires <= runtime.now():
        _forget_expired()
        known = Connection(ClusterClient(api_server_of(eks_cluster), role), runtime.now() + _TOKEN_LIFE)
        _connections[key] = known
    return known.client


def read_seconds() -> int:
    """Say how long an API server may take to answer this invocation."""
    return _READ_SECONDS[runtime.current().patience]


def _forget_expired() -> None:
    now = runtime.now()
    for key in [key for key, known in list(_connections.items()) if known.expires <= now]:
        _connections.pop(key, None)


def token_for(eks_cluster: str, role: AccessRole) -> str:
    """Sign who we are for this cluster: a presigned GetCallerIdentity of the regional STS endpoint."""
    region = runtime.environment()["AWS_REGION"]
    request = {
        "method": "GET",
        "url": f"https://sts.{region}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        "body": {},
        "headers": {"x-k8s-aws-id": eks_cluster},
        "context": {},
    }
    url: str = runtime.signer("sts", _assumed(role)).generate_presigned_url(
        request, region_name=region, expires_in=_URL_SECONDS, operation_name=""
    )
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def _assumed(role: AccessRole) -> Credentials:
    """Assume a role that the clusters' access entries name."""
    answer = runtime.client("sts").assume_role(
        RoleArn=settings.required(role), RoleSessionName=operation_sessions.session_name()
    )["Credentials"]
    return Credentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["SessionToken"])
