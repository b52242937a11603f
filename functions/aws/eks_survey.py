"""An EKS cluster as somebody else made it: everything that decides whether and how it can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from botocore.exceptions import ClientError

from functions.clusters.importing.models.found import FoundEks
from functions.core import runtime
from functions.core.failures import code_of
from functions.diagnostics.models.facts import EksSeen, Issue

if TYPE_CHECKING:
    from types_boto3_eks.type_defs import ClusterTypeDef

    from functions.core.runtime import Patience

Mode = Literal["CONFIG_MAP", "API", "API_AND_CONFIG_MAP"]


def describe(name: str, patience: Patience | None = None) -> FoundEks | None:
    """Describe a cluster; None when there is none. Raises the client's own errors."""
    found = _read(name, patience)
    return _found(name, found) if found else None


def examine(name: str) -> EksSeen | None:
    """Describe a cluster with what EKS complains of; None when there is none. Raises the client's own errors."""
    found = _read(name)
    if found is None:
        return None
    issues = found.get("health", {}).get("issues", [])
    return EksSeen(
        found=_found(name, found),
        issues=tuple(
            Issue(each.get("code", ""), each.get("message", ""), tuple(each.get("resourceIds", []))) for each in issues
        ),
    )


def _read(name: str, patience: Patience | None = None) -> ClusterTypeDef | None:
    try:
        return runtime.client("eks", patience).describe_cluster(name=name)["cluster"]
    except ClientError as error:
        if code_of(error) == "ResourceNotFoundException":
            return None
        raise


def _found(name: str, found: ClusterTypeDef) -> FoundEks:
    network = found.get("resourcesVpcConfig", {})
    return FoundEks(
        name=found.get("name", name),
        arn=found.get("arn", ""),
        status=found.get("status", ""),
        version=found.get("version", ""),
        authentication_mode=found.get("accessConfig", {}).get("authenticationMode", "CONFIG_MAP"),
        role_arn=found.get("roleArn", ""),
        vpc_id=network.get("vpcId", ""),
        subnet_ids=[*network.get("subnetIds", [])],
        security_group_ids=[*network.get("securityGroupIds", [])],
        cluster_security_group_id=network.get("clusterSecurityGroupId", ""),
        public_endpoint=network.get("endpointPublicAccess", False),
        private_endpoint=network.get("endpointPrivateAccess", False),
        public_cidrs=[*network.get("publicAccessCidrs", [])],
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
