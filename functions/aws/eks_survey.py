"""An EKS cluster as somebody else made it: everything that decides whether and how it can be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from types_boto3_eks.type_defs import ClusterTypeDef

    from functions.core.runtime import Patience

Mode = Literal["CONFIG_MAP", "API", "API_AND_CONFIG_MAP"]


@dataclass(frozen=True)
class EksFound:
    """An EKS cluster with its network and its doors; `authentication_mode` says how principals get in."""

    name: str
    arn: str
    status: str
    version: str
    authentication_mode: str
    role_arn: str
    vpc_id: str
    subnet_ids: tuple[str, ...]
    security_group_ids: tuple[str, ...]
    cluster_security_group_id: str
    public_endpoint: bool
    private_endpoint: bool
    public_cidrs: tuple[str, ...]
    service_cidr: str
    issuer: str


def describe(name: str, patience: Patience | None = None) -> EksFound | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    try:
        found = runtime.client("eks", patience).describe_cluster(name=name)["cluster"]
    except ClientError as error:
        if code_of(error) == "ResourceNotFoundException":
            return None
        raise
    return _found(name, found)


def _found(name: str, found: ClusterTypeDef) -> EksFound:
    network = found.get("resourcesVpcConfig", {})
    return EksFound(
        name=found.get("name", name),
        arn=found.get("arn", ""),
        status=found.get("status", ""),
        version=found.get("version", ""),
        authentication_mode=found.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP"),
        role_arn=found.get("roleArn", ""),
        vpc_id=network.get("vpcId", ""),
        subnet_ids=tuple(network.get("subnetIds", [])),
        security_group_ids=tuple(network.get("securityGroupIds", [])),
        cluster_security_group_id=network.get("clusterSecurityGroupId", ""),
        public_endpoint=network.get("endpointPublicAccess", False),
        private_endpoint=network.get("endpointPrivateAccess", False),
        public_cidrs=tuple(network.get("publicAccessCidrs", [])),
        service_cidr=found.get("kubernetesNetworkConfig", {}).get("serviceIpv4Cidr", ""),
        issuer=found.get("identity", {}).get("oidc", {}).get("issuer", ""),
    )


def move_authentication_mode(name: str, mode: Mode, token: str) -> None:
    """Begin to change how principals get into a cluster; one that is being changed is left to the next look.

    There is no way back. Source: Amazon EKS user guide, "Change authentication mode to use access entries".
    """
    client = runtime.client("eks")
    try:
        client.update_cluster_config(name=name, accessConfig={"authenticationMode": mode}, clientRequestToken=token)
    except client.exceptions.ResourceInUseException:
        return
