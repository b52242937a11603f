"""What in an imported cluster is worth a warning, read from what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import HYPERPOD_KUBERNETES_VERSIONS
from functions.core.findings import Finding, Level
from functions.features.rules import ADDONS, older

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.clusters.importing.models.found import Component, FoundNetwork, FoundSecurityGroup, Inside, Outside

CNI: Final = "vpc_cni_version"
SUBNET_TAGS: Final = "lb_subnet_tags"
SELF_REFERENCE: Final = "efa_security_group"
S3_DRIVER: Final = "s3_driver_role"
NO_COMPUTE_ROUTE: Final = "no_nat_gateway"
VERSION: Final = "kubernetes_version"
INTERNAL: Final = "kubernetes.io/role/internal-elb"
PUBLIC: Final = "kubernetes.io/role/elb"
_OLDEST_CNI: Final = ADDONS["vpc-cni"].minimum or ""


def findings_of(outside: Outside, inside: Inside, s3_role: str) -> list[Finding]:
    """List the warnings; `s3_role` is the name of the role by which we would let the S3 driver in."""
    components = [*outside.components, *inside.components]
    return [
        *_of_version(outside),
        *_of_cni(components),
        *(_of_network(outside.network) if outside.network else ()),
        *_of_groups(outside.security_groups),
        *_of_s3_driver(outside, s3_role),
    ]


def cni_fault(components: Sequence[Component]) -> str | None:
    """Say what is wrong with the VPC CNI; None when nothing is.

    Source: SageMaker developer guide, "Prerequisites" of HyperPod on EKS (VPC CNI 1.18.3 or later).
    """
    found = next((each for each in components if each.name == "vpc-cni" and each.presence == "present"), None)
    if found is None:
        return "no VPC CNI was found"
    if found.version is None:
        return "the version of the VPC CNI could not be read"
    return f"the VPC CNI is {found.version}" if older(found.version, _OLDEST_CNI) else None


def missing_roles(network: FoundNetwork) -> dict[str, list[str]]:
    """Give the tags by which load balancers would find the control plane's subnets, each with those that lack it."""
    wanted = [(each, PUBLIC if each.public else INTERNAL) for each in network.subnets if each.of_control_plane]
    lacking: dict[str, list[str]] = {}
    for subnet, tag in wanted:
        if tag not in subnet.load_balancer_roles:
            lacking.setdefault(tag, []).append(subnet.subnet_id)
    return lacking


def _of_version(outside: Outside) -> Iterator[Finding]:
    if outside.eks.version not in HYPERPOD_KUBERNETES_VERSIONS:
        remedy = f"Bring the EKS cluster to one of {', '.join(HYPERPOD_KUBERNETES_VERSIONS)}."
        yield _warning(VERSION, f"HyperPod does not run on Kubernetes {outside.eks.version}.", outside.eks.arn, remedy)


def _of_cni(components: Sequence[Component]) -> Iterator[Finding]:
    if fault := cni_fault(components):
        remedy = f"Bring the add-on vpc-cni to {_OLDEST_CNI} or later, then let the cluster be detected again."
        yield _warning(CNI, f"HyperPod needs the VPC CNI {_OLDEST_CNI} or later; {fault}.", "vpc-cni", remedy)


def _of_network(network: FoundNetwork) -> Iterator[Finding]:
    for tag, subnets in missing_roles(network).items():
        yield _warning(
            SUBNET_TAGS,
            f"Load balancers do not find {', '.join(subnets)}: the tag {tag} is missing.",
            ", ".join(subnets),
            f"Run aws ec2 create-tags --resources {' '.join(subnets)} --tags Key={tag},Value=1, or import the cluster "
            'anew with {"consents": {"tag_subnets": true}}.',
        )
    if not network.nat_gateways:
        yield _warning(
            NO_COMPUTE_ROUTE,
            f"The VPC {network.vpc_id} has no NAT gateway that works: compute subnets of ours would have no way out.",
            network.vpc_id,
            "Create a public NAT gateway in a public subnet, or name a subnet_id with a way out for each group.",
        )


def _of_groups(groups: Sequence[FoundSecurityGroup]) -> Iterator[Finding]:
    for each in groups:
        lacking = [way for way, holds in (("inbound", each.from_itself), ("outbound", each.to_itself)) if not holds]
        if lacking:
            yield _warning(
                SELF_REFERENCE,
                f"The security group {each.group_id} lacks a rule for all traffic with itself: {', '.join(lacking)}. "
                "Instances with EFA fail their check in it.",
                each.group_id,
                f"Allow all traffic from and to {each.group_id} itself in both directions.",
            )


def _of_s3_driver(outside: Outside, s3_role: str) -> Iterator[Finding]:
    role = outside.s3_driver_role_arn
    if role and role.rpartition("/")[2] != s3_role:
        yield _warning(
            S3_DRIVER,
            f"The S3 CSI driver has the role {role}, which is not the control plane's: it is left as it is, and the "
            "control plane mounts no bucket through it.",
            role,
            "Mount buckets by volumes of your own; or delete the pod identity association of "
            "kube-system/s3-csi-driver-sa (aws eks delete-pod-identity-association), let the cluster be detected "
            "again and configure its dependencies.",
        )


def _warning(check: str, message: str, resource: str, remedy: str) -> Finding:
    return Finding(check=check, level=Level.WARNING, message=message, resource=resource, remedy=remedy)
