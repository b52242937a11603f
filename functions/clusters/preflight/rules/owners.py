"""Whether the subnets and security groups that groups name are another cluster's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.tags import owner_in
from functions.network.reuse.models import Kind
from functions.network.reuse.rules.owners import made_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from functions.capacity.models import InstanceGroup
    from functions.clusters.preflight.models import Facts, Target
    from functions.clusters.preflight.rules.subnets import Listed
    from functions.core.findings import Finding


def check(groups: Listed, facts: Facts, target: Target) -> Iterator[Finding]:
    """Refuse what was made for another cluster than the request's: it cannot go while nodes of this one use it."""
    subnets = {each.subnet_id: owner_in(each.tags) for each in (facts.subnets.given if facts.subnets else ())}
    members = {name: each.owner for name, each in (facts.capacity.security_groups or {}).items() if each}
    for path, group in groups:
        for kind, name, field in _named(path, group):
            owner = (subnets if kind is Kind.SUBNET else members).get(name)
            if owner is not None and owner != target.tag:
                yield made_for(kind, name, target.named.of(owner), field)


def names_any(groups: Iterable[InstanceGroup]) -> bool:
    """Say whether groups name anything that could be another cluster's."""
    return any(True for group in groups for _ in _named("", group))


def _named(path: str, group: InstanceGroup) -> Iterator[tuple[Kind, str, str]]:
    if group.subnet_id:
        yield Kind.SUBNET, group.subnet_id, f"{path}.subnet_id"
    for name in group.security_group_ids or []:
        yield Kind.SECURITY_GROUP, name, f"{path}.security_group_ids"
