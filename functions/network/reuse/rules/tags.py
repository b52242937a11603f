"""By which tags load balancers find the subnets of a cluster, and which of them a caller's own subnets lack.

Source: Amazon EKS user guide, "Route application and HTTP traffic with Application Load Balancers": the controller
takes subnets in two zones that bear the role, `elb` for public ones and `internal-elb` for private ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.findings import Finding, Level
from functions.network.reuse.rules.kinds import SUBNET_TAGS
from functions.network.reuse.rules.network import subnet_of
from functions.network.subnets.rules.identity import LOAD_BALANCER_ROLE, missing_tags

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from functions.core.cluster import ReusedResources
    from functions.network.reuse.models import Facts, Network

PUBLIC_ROLE: Final = {"kubernetes.io/role/elb": "1"}


def lacking(reused: ReusedResources, network: Network) -> dict[str, dict[str, str]]:
    """Map each subnet that lacks tags to these tags."""
    wanted: dict[str, Mapping[str, str]] = dict.fromkeys(reused.control_plane_subnet_ids, LOAD_BALANCER_ROLE)
    wanted |= dict.fromkeys(reused.public_subnet_ids, PUBLIC_ROLE)
    found = {subnet_id: subnet_of(network, subnet_id) for subnet_id in wanted}
    missing = {name: missing_tags(wanted[name], subnet.tags) for name, subnet in found.items() if subnet}
    return {subnet_id: tags for subnet_id, tags in missing.items() if tags}


def check(reused: ReusedResources, facts: Facts) -> Iterator[Finding]:
    """Name the subnets and the tags that they lack; whether they are written is the caller's choice."""
    network = facts.network(reused.vpc_id) if reused.vpc_id else None
    missing = lacking(reused, network) if network else {}
    if not missing:
        return
    named = "; ".join(
        f"{name}: {', '.join(f'{key}={value}' for key, value in tags.items())}" for name, tags in missing.items()
    )
    if reused.tag_subnets:
        said = f"subnets are given the tags by which load balancers find them: {named}"
        yield Finding(check=SUBNET_TAGS, level=Level.INFO, field="foundation.tag_subnets", message=said)
        return
    yield Finding(
        check=SUBNET_TAGS,
        level=Level.WARNING,
        field="foundation.tag_subnets",
        resource=", ".join(missing),
        message=f"load balancers do not find these subnets, which lack tags: {named}",
        remedy="Send tag_subnets: true, or put these tags on the subnets before a service asks for a load balancer.",
    )
