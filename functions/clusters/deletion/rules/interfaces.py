"""Whose a network interface is, and what becomes of it when its cluster goes.

An interface is known by the description that its service gives it. Sources: Amazon EKS user guide, "Networking
requirements for VPC and subnets" (`Amazon EKS <cluster>`); Amazon VPC CNI, "ENI tags" (`aws-K8S-<instance>`); Elastic
Load Balancing user guides (`ELB app/<name>/<id>`, `ELB net/<name>/<id>`, `ELB <name>`); Amazon VPC user guide
(`Interface for NAT Gateway <id>`, `VPC Endpoint Interface <id>`).
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from functions.clusters.deletion.models import Blocker

if TYPE_CHECKING:
    from functions.clusters.deletion.models import Interface

_PREFIXES: Final = {
    "ELB ": "load balancer",
    "Amazon EKS ": "control plane of EKS",
    "aws-K8S-": "pod network of node",
    "Amazon SageMaker HyperPod ": "HyperPod instance",
    "Interface for NAT Gateway ": "NAT gateway",
    "VPC Endpoint Interface ": "VPC endpoint",
    "AWS Lambda VPC ENI-": "Lambda function",
    "EFS mount target for ": "EFS file system",
}
_LOAD_BALANCER: Final = "ELB "
# The VPC CNI tags its interfaces so, where it knows its cluster.
_CLUSTER: Final = "cluster.k8s.amazonaws.com/name"
# Services that delete their interfaces some time after what those were for.
_GOING: Final = ("ELB ", "aws-K8S-", "Amazon SageMaker HyperPod ")
# The names that the AWS Load Balancer Controller, and EKS's own controller before it, give to load balancers.
_OF_A_SERVICE: Final = re.compile(r"(k8s-|a[0-9a-f]{31}(-|$))")
_REMEDIES: Final = {
    "load balancer": "Delete the load balancer.",
    "NAT gateway": "Delete the NAT gateway.",
    "VPC endpoint": "Delete the VPC endpoint.",
    "instance": "Terminate the instance or detach the interface.",
}


class Fate(StrEnum):
    """What becomes of an interface."""

    DELETE = "delete"
    WAIT = "wait"
    BLOCK = "block"


def owner_of(interface: Interface) -> str:
    """Name what an interface is for, in words."""
    for prefix, kind in _PREFIXES.items():
        if interface.description.startswith(prefix):
            return f"{kind} {interface.description.removeprefix(prefix)}"
    if interface.instance_id:
        return f"instance {interface.instance_id}"
    said = f" ({interface.description})" if interface.description else ""
    return f"an owner that it does not name{said}"


def fate_of(interface: Interface, eks_cluster: str) -> Fate:
    """Say what becomes of an interface in the network of a cluster that goes.

    One that its service has let go and forgotten is deleted; one that is in use by what goes by itself is waited for.
    """
    description = interface.description
    ours = description == f"Amazon EKS {eks_cluster}" or description.startswith(_GOING)
    if not ours or interface.tags.get(_CLUSTER, eks_cluster) != eks_cluster:
        return Fate.BLOCK
    return Fate.DELETE if interface.available else Fate.WAIT


def is_of_cluster(interface: Interface, eks_cluster: str) -> bool:
    """Say whether an interface says itself that it is this cluster's, and goes with it; others share its network."""
    says = interface.description == f"Amazon EKS {eks_cluster}" or interface.tags.get(_CLUSTER) == eks_cluster
    return says and fate_of(interface, eks_cluster) is not Fate.BLOCK


def load_balancer_of(interface: Interface) -> str:
    """Name the load balancer of an interface, as `<type>/<name>/<id>` or a classic one's name; empty if of none."""
    return (
        interface.description.removeprefix(_LOAD_BALANCER) if interface.description.startswith(_LOAD_BALANCER) else ""
    )


def is_of_a_service(load_balancer: str) -> bool:
    """Say whether a load balancer has a name that Kubernetes controllers give: it goes with its Service."""
    kind, _, rest = load_balancer.partition("/")
    return bool(_OF_A_SERVICE.match(rest if kind in ("app", "net") else load_balancer))


def blocker_of(interface: Interface) -> Blocker:
    """Say that an interface stands in the way: whose it is, and how it goes."""
    owner = owner_of(interface)
    kind = next((kind for kind in _REMEDIES if owner.startswith(kind)), "")
    use = (
        f"is left in subnet {interface.subnet_id} by"
        if interface.available
        else f"is used in subnet {interface.subnet_id} by"
    )
    remedy = _REMEDIES.get(kind, "Delete what uses it.")
    if interface.available:
        remedy = "Delete the interface (aws ec2 delete-network-interface)."
    return Blocker(interface.interface_id, f"{use} {owner}", remedy)
