"""What keeps an EKS cluster from being imported, and what is good to know before: findings, errors refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import HYPERPOD_KUBERNETES_VERSIONS
from functions.core.errors import NotFound
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from functions.clusters.importing.models.found import FoundEks
    from functions.clusters.importing.models.requests import Consents

EKS_CLUSTER: Final = "eks_cluster_absent"
EKS_STATUS: Final = "eks_cluster_status"
AUTH_MODE: Final = "unsupported_auth_mode"
PRIVATE_ONLY: Final = "private_endpoint_only"
VERSION: Final = "kubernetes_version"
_CONFIG_MAP: Final = "CONFIG_MAP"
_STANDING: Final = ("ACTIVE", "UPDATING")
_FIELD: Final = "eks_cluster_name"


def admit(name: str, eks: FoundEks | None, consents: Consents) -> list[Finding]:
    """Judge an EKS cluster by what DescribeCluster says of it."""
    if eks is None:
        return [_absent(name)]
    found = [_status(eks), _mode(eks, consents), _endpoint(eks), _version(eks)]
    return [each for each in found if each]


def moves_mode(eks: FoundEks, consents: Consents) -> bool:
    """Say whether the import changes the authentication mode."""
    return eks.authentication_mode == _CONFIG_MAP and consents.move_authentication_mode


def _absent(name: str) -> Finding:
    return Finding(
        check=EKS_CLUSTER,
        level=Level.ERROR,
        code=NotFound.code,
        message=f"there is no EKS cluster named {name} in this account and region",
        field=_FIELD,
        resource=name,
        remedy="Name one of the clusters that `aws eks list-clusters` lists.",
    )


def _status(eks: FoundEks) -> Finding | None:
    if eks.status in _STANDING:
        return None
    return Finding(
        check=EKS_STATUS,
        level=Level.ERROR,
        message=f"the EKS cluster {eks.name} is {eks.status}",
        field=_FIELD,
        resource=eks.arn,
        remedy="Import it when it is ACTIVE.",
    )


def _mode(eks: FoundEks, consents: Consents) -> Finding | None:
    """Refuse what knows no access entries.

    Source: SageMaker developer guide, "Prerequisites" of HyperPod on EKS: API or API_AND_CONFIG_MAP.
    """
    if eks.authentication_mode != _CONFIG_MAP:
        return None
    if consents.move_authentication_mode:
        return Finding(
            check=AUTH_MODE,
            level=Level.WARNING,
            message=f"the authentication mode of {eks.name} moves from CONFIG_MAP to API_AND_CONFIG_MAP, for good; "
            "entries of the ConfigMap aws-auth go on to count, and none of them becomes an access entry by itself",
            field="consents.move_authentication_mode",
            resource=eks.arn,
        )
    return Finding(
        check=AUTH_MODE,
        level=Level.ERROR,
        message=f"the EKS cluster {eks.name} has the authentication mode CONFIG_MAP, and HyperPod needs access entries",
        field=_FIELD,
        resource=eks.arn,
        remedy="Switch to API_AND_CONFIG_MAP (cannot be reverted): send the request again with "
        '{"consents": {"move_authentication_mode": true}}, or run aws eks update-cluster-config --name '
        f"{eks.name} --access-config authenticationMode=API_AND_CONFIG_MAP.",
    )


def _endpoint(eks: FoundEks) -> Finding | None:
    if eks.public_endpoint:
        return None
    return Finding(
        check=PRIVATE_ONLY,
        level=Level.ERROR,
        message=f"the API server of {eks.name} answers in its VPC only, where the control plane of this version is not",
        field=_FIELD,
        resource=eks.arn,
        remedy="Let the public endpoint answer as well (aws eks update-cluster-config --name "
        f"{eks.name} --resources-vpc-config endpointPublicAccess=true), narrowed by publicAccessCidrs if need be.",
    )


def _version(eks: FoundEks) -> Finding | None:
    if eks.version in HYPERPOD_KUBERNETES_VERSIONS:
        return None
    return Finding(
        check=VERSION,
        level=Level.WARNING,
        message=f"HyperPod does not run on Kubernetes {eks.version} of {eks.name}",
        field=_FIELD,
        resource=eks.arn,
        remedy=f"Bring the EKS cluster to one of {', '.join(HYPERPOD_KUBERNETES_VERSIONS)}.",
        allowed=[*HYPERPOD_KUBERNETES_VERSIONS],
    )
