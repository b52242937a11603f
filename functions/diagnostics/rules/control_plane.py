"""The EKS cluster: its status, what EKS complains of, and whether its endpoint answers whoever has to reach it."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import cut, fact, failed, few, noted, passed, unchecked, warned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.clusters.importing.models.found import FoundEks
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import EksSeen, Facts

_CLUSTER, _ENDPOINT = Name.EKS_CLUSTER, Name.ENDPOINT_ACCESS
_WORDS: Final = 200
_EVERYWHERE: Final = "0.0.0.0/0"


def check(facts: Facts) -> Iterator[Check]:
    """Judge the cluster, then its endpoint."""
    name = facts.spec.names.eks_cluster
    if not facts.eks.known:
        yield unchecked(_CLUSTER, facts.eks, name)
        return
    if facts.eks.value is None:
        yield _absent(facts, name)
        return
    yield _cluster(facts.eks.value)
    if facts.eks.value.answers:
        yield _endpoint(facts.eks.value.found, facts.egress)


def _absent(facts: Facts, name: str) -> Check:
    if facts.spec.origin == "imported" or facts.ledger.says("FoundationReady"):
        remedy = "Somebody deleted it. Forget the cluster, or delete it here and create it anew."
        return failed(_CLUSTER, Priority.P0, f"the EKS cluster {name} stood and is gone", remedy, name)
    return noted(_CLUSTER, f"the EKS cluster {name} is not there yet", name)


def _cluster(seen: EksSeen) -> Check:
    found = seen.found
    facts = [
        fact("status", found.status),
        fact("version", found.version),
        *(fact(f"issue {issue.code}", f"{cut(issue.message, _WORDS)} {few(issue.resources)}") for issue in seen.issues),
    ]
    said = f"the EKS cluster {found.name} is {found.status}"
    if seen.issues:
        message = f"{said}, and EKS reports {few([issue.code for issue in seen.issues])}: {seen.issues[0].message}"
        remedy = "Bring back what EKS names as missing or denied; it repairs nothing by itself."
        return failed(_CLUSTER, Priority.P0, message, remedy, found.arn, facts)
    if found.status == "FAILED":
        remedy = "Read the first failure of the foundation stack; then retry the operation."
        return failed(_CLUSTER, Priority.P0, said, remedy, found.arn, facts)
    if seen.answers:
        return passed(_CLUSTER, f"{said}, Kubernetes {found.version}", found.arn)
    return noted(_CLUSTER, said, found.arn, facts)


def _endpoint(found: FoundEks, egress: Sequence[str]) -> Check:
    """Judge the endpoint: the control plane calls it from outside of the VPC, nodes from inside."""
    facts = [
        fact("public", found.public_endpoint),
        fact("private", found.private_endpoint),
        fact("public_ranges", few(found.public_cidrs)),
        fact("our_addresses", few(egress)),
    ]
    config = f"aws eks update-cluster-config --name {found.name} --resources-vpc-config"
    if not found.public_endpoint:
        message = f"{found.name} answers inside of its VPC only, where the control plane does not stand"
        return failed(_ENDPOINT, Priority.P0, message, f"{config} endpointPublicAccess=true", found.arn, facts)
    if shut_out := left_out(found.public_cidrs, egress):
        message = f"{found.name} answers {few(found.public_cidrs)} only, and the control plane calls from {shut_out}"
        remedy = f"Add the control plane's addresses to the ranges: {config} publicAccessCidrs=<all ranges>."
        return failed(_ENDPOINT, Priority.P0, message, remedy, found.arn, facts)
    if not found.private_endpoint:
        message = f"nodes of {found.name} reach its endpoint through the internet only"
        return warned(_ENDPOINT, Priority.P1, message, f"{config} endpointPrivateAccess=true", found.arn, facts)
    return passed(_ENDPOINT, f"{found.name} answers the control plane and its VPC", found.arn)


def left_out(ranges: Sequence[str], egress: Sequence[str]) -> str | None:
    """Name what of the control plane's addresses an endpoint does not answer; None when it answers them all.

    A deployment without fixed addresses calls from any.
    """
    if not ranges or _EVERYWHERE in ranges:
        return None
    if not egress:
        return "addresses that change"
    listed = [ip_network(each) for each in ranges]
    outside = [each for each in egress if not any(ip_address(each) in network for network in listed)]
    return few(outside) if outside else None
