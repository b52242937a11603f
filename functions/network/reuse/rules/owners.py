"""Whose the resources are that a cluster takes over: what was made for another cluster goes with that one.

Whose they are is said by their tags and, where somebody took those off, by the records of the other clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.findings import Finding, Level
from functions.core.tags import owner_in
from functions.network.reuse.models import Kind, Neighbour
from functions.network.reuse.rules.kinds import OTHERS
from functions.network.reuse.rules.names import name_of
from functions.network.reuse.rules.network import subnet_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.cluster import ClusterSpec, ReusedResources
    from functions.network.reuse.models import Facts, Part

# What becomes of the two clusters, and what to do instead.
_CONSEQUENCES: Final = {
    Kind.VPC: "which cannot be deleted while another cluster stands in it",
    Kind.SUBNET: "which cannot be deleted while another cluster stands in it",
    Kind.SECURITY_GROUP: "which cannot be deleted while another cluster uses it",
    Kind.ROLE: "and is deleted with it, under every other cluster that runs with it",
    Kind.BUCKET: "whose data are in it",
}
_REMEDIES: Final = {
    Kind.VPC: "Name a VPC that was made for no cluster, or leave vpc_id out: then one is made.",
    Kind.SUBNET: "Name a subnet that was made for no cluster.",
    Kind.SECURITY_GROUP: "Name a security group that was made for no cluster, or leave it out.",
    Kind.ROLE: "Name a role that was made for no cluster, or leave it out: then one is made.",
    Kind.BUCKET: "Name another bucket. A new cluster of the tag that it was made for uses it again by itself.",
}


@dataclass(frozen=True)
class _Taken:
    """A resource that is taken over: where the request names it, and whose its tags say that it is."""

    kind: Kind
    name: str
    field: str
    owner: str | None

    @property
    def part(self) -> Part:
        """Give it as the records of clusters name it."""
        return self.kind, (name_of(self.name) or "") if self.kind is Kind.ROLE else self.name


def check(reused: ReusedResources, facts: Facts, tag: str) -> Iterator[Finding]:
    """Refuse what was made for another cluster than that of the tag; tell what another one has taken over too."""
    for each in _taken(reused, facts):
        if each.owner is not None:
            if each.owner != tag:
                yield made_for(each.kind, each.name, facts.named.of(each.owner), f"foundation.{each.field}")
        else:
            yield from _by_records(each, facts)


def made_for(kind: Kind, name: str, owner: str | None, field: str) -> Finding:
    """Refuse a resource of another cluster; `owner` is None for a caller who is not to learn which one it is."""
    whose = f"cluster {owner}" if owner else "another cluster"
    return Finding(
        check=OTHERS,
        level=Level.ERROR,
        field=field,
        resource=name,
        message=f"the {kind} {name} was made for {whose}, {_CONSEQUENCES[kind]}",
        remedy=_REMEDIES[kind],
    )


def neighbour(spec: ClusterSpec, *, known: bool) -> Neighbour:
    """Give a cluster as others that take something over have to mind it; `known` says whether they may know its tag."""
    taken = _parts_of(spec.reused) if spec.reused else frozenset()
    around, names = spec.surroundings, spec.names
    named = {(Kind.ROLE, each) for each in names.roles}
    named |= {(Kind.BUCKET, names.bucket)} if names.bucket else set()
    if spec.origin == "created":
        return Neighbour(spec.tag if known else None, frozenset(named - taken), taken)
    stands = {(Kind.VPC, around.vpc_id), (Kind.SECURITY_GROUP, around.security_group_id)} if around else set()
    return Neighbour(spec.tag if known else None, frozenset(), frozenset(named | stands))


def _parts_of(reused: ReusedResources) -> frozenset[Part]:
    """Give the parts that were taken over; subnets go with their VPC."""
    return frozenset(each.part for each in _listed(reused) if each.kind is not Kind.SUBNET)


def _listed(reused: ReusedResources) -> list[_Taken]:
    """List what is taken over, before anything is known of it."""
    single = [
        (Kind.VPC, "vpc_id", reused.vpc_id),
        *(
            (Kind.SUBNET, f"control_plane_subnet_ids[{i}]", each)
            for i, each in enumerate(reused.control_plane_subnet_ids)
        ),
        *((Kind.SUBNET, f"public_subnet_ids[{i}]", each) for i, each in enumerate(reused.public_subnet_ids)),
        (Kind.SECURITY_GROUP, "security_group_id", reused.security_group_id),
        (Kind.ROLE, "control_plane_role_arn", reused.control_plane_role_arn),
        (Kind.ROLE, "execution_role_arn", reused.execution_role_arn),
        (Kind.ROLE, "s3_csi_role_arn", reused.s3_csi_role_arn),
        (Kind.BUCKET, "bucket", reused.bucket),
    ]
    return [_Taken(kind, name, field, None) for kind, field, name in single if name]


def _taken(reused: ReusedResources, facts: Facts) -> list[_Taken]:
    """List what is taken over, with what its tags say."""
    return [_Taken(each.kind, each.name, each.field, _owner(each, reused, facts)) for each in _listed(reused)]


def _owner(each: _Taken, reused: ReusedResources, facts: Facts) -> str | None:
    network = facts.network(reused.vpc_id or "")
    if each.kind is Kind.SUBNET:
        subnet = subnet_of(network, each.name) if network else None
        return owner_in(subnet.tags) if subnet else None
    found = {
        Kind.VPC: network,
        Kind.SECURITY_GROUP: (facts.security_groups or {}).get(each.name),
        Kind.ROLE: facts.roles.get(each.name),
        Kind.BUCKET: (facts.buckets or {}).get(each.name),
    }[each.kind]
    return found.owner if found else None


def _by_records(each: _Taken, facts: Facts) -> Iterator[Finding]:
    for other in facts.neighbours:
        if each.part in other.made:
            yield made_for(each.kind, each.name, other.tag, f"foundation.{each.field}")
        elif each.part in other.taken:
            yield _shared(each, other.tag)


def _shared(each: _Taken, tag: str | None) -> Finding:
    whose = f"cluster {tag}" if tag else "another cluster"
    return Finding(
        check=OTHERS,
        level=Level.WARNING,
        field=f"foundation.{each.field}",
        resource=each.name,
        message=f"the {each.kind} {each.name} is used by {whose} too: who changes it changes it for both",
        remedy=f"Name a {each.kind} of its own for each cluster, if they are not to depend on each other.",
    )
