"""What EKS says is installed on a cluster and who of us is let in: add-ons, access entries, the identity provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import access_entries, addons, iam, pod_identity
from functions.clusters.importing.models.found import Component
from functions.core import settings
from functions.core.tags import MANAGER
from functions.features.rules import waits_for_nodes
from functions.identity.chains.models import partition_of
from functions.identity.rules import ACCESS

if TYPE_CHECKING:
    from functions.aws.addons import Addon
    from functions.clusters.importing.models.found import FoundEks
    from functions.clusters.importing.stages.reading import Looking
    from functions.core.cluster import ClusterSpec

_MANAGED_BY: Final = "instantstart:managed-by"
# Add-ons whose absence says something: without them a HyperPod cluster does not come or does not mount.
_EXPECTED: Final = ("vpc-cni", "coredns", "eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver")
_S3_ACCOUNT: Final = ("kube-system", "s3-csi-driver-sa")
WAITS: Final = "waits for its first node"


def addons_of(eks_cluster: str, looking: Looking) -> list[Component]:
    """List the add-ons, and those of the expected ones that are not there or could not be looked at."""
    names = looking.ask("addons", lambda: addons.names(eks_cluster))
    if names is None:
        return [Component(kind="addon", name=name, presence="unknown") for name in _EXPECTED]
    found = [_addon(eks_cluster, name, looking) for name in names]
    absent = [Component(kind="addon", name=name, presence="absent") for name in _EXPECTED if name not in names]
    return [*found, *absent]


def access_of(eks: FoundEks, looking: Looking) -> list[Component]:
    """Say whether our two roles have access entries that suffice."""
    if eks.authentication_mode == "CONFIG_MAP":
        why = "the authentication mode CONFIG_MAP knows no access entries"
        return [Component(kind="access_entry", name=name, presence="absent", message=why) for name in ACCESS]
    return [_entry(eks.name, name, looking) for name in ACCESS]


def provider_of(eks: FoundEks, cluster: ClusterSpec, looking: Looking) -> Component:
    """Say whether IAM knows the issuer of the cluster's tokens."""
    name = eks.issuer.removeprefix("https://")
    arn = f"arn:{partition_of(cluster.region)}:iam::{cluster.account_id}:oidc-provider/{name}"
    before = len(looking.unknown)
    found = looking.ask("oidc_provider", lambda: iam.find_provider(arn))
    if len(looking.unknown) > before:
        return Component(kind="oidc_provider", name=name, presence="unknown", message=looking.unknown[-1].reason)
    if found is None:
        return Component(kind="oidc_provider", name=name, presence="absent")
    owner = MANAGER if found.tags.get(_MANAGED_BY) == MANAGER else "external"
    return Component(kind="oidc_provider", name=name, presence="present", managed_by=owner)


def s3_driver_role(eks_cluster: str, looking: Looking) -> str | None:
    """Name the role that the S3 CSI driver gets by pod identity; None when it gets none, or that is not known."""
    found = looking.ask("s3_driver_role", lambda: pod_identity.find(eks_cluster, *_S3_ACCOUNT))
    return found.role_arn if found else None


def _addon(eks_cluster: str, name: str, looking: Looking) -> Component:
    found = looking.ask("addons", lambda: addons.describe(eks_cluster, name))
    if found is None:
        return Component(kind="addon", name=name, presence="unknown")
    return Component(
        kind="addon",
        name=name,
        presence="present",
        version=found.version,
        status=found.status,
        managed_by=MANAGER if found.tags.get(_MANAGED_BY) == MANAGER else "external",
        message=_complaint(found),
    )


def _complaint(found: Addon) -> str | None:
    if waits_for_nodes(found.issues):
        return WAITS
    return "; ".join(f"{code}: {text}" for code, text in found.issues.items()) or None


def _entry(eks_cluster: str, name: str, looking: Looking) -> Component:
    access = ACCESS[name]
    role, before = settings.required(access.role), len(looking.unknown)
    groups = looking.ask("access_entries", lambda: access_entries.groups(eks_cluster, role))
    if len(looking.unknown) > before:
        return Component(kind="access_entry", name=name, presence="unknown", message=looking.unknown[-1].reason)
    if groups is None:
        return Component(kind="access_entry", name=name, presence="absent", message=f"{role} has no access entry")
    held = looking.ask("access_entries", lambda: access_entries.policies(eks_cluster, role)) or []
    lacking = [*(group for group in access.groups if group not in groups), *access.lacks(held)]
    return Component(
        kind="access_entry",
        name=name,
        presence="present",
        status="insufficient" if lacking else "ready",
        message=f"{role} lacks {', '.join(lacking)}" if lacking else None,
    )
