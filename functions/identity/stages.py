"""Access entries: how the control plane's own roles get into a cluster.

The foundation stack makes them; this stage looks again, because an entry dies with the id of its role and anybody may
have made one of the same name before.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from functions.aws import access_entries
from functions.core import detection, settings
from functions.core.detection import Part
from functions.core.drifts import theirs
from functions.core.ledger.made import adopted
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import tags_of
from functions.identity.rules import ACCESS, ENTRY, entry_drifts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.drifts import Drift
    from functions.core.ledger.models import JsonObject


class AccessEntry:
    """The entry of the role that the stage's parameter names, with its groups and policies."""

    def apply(self, context: StageContext) -> Applied:
        """Create the entry unless it is there, then give it what it lacks and take what it has too much."""
        cluster, access = context.cluster.names.eks_cluster, ACCESS[context.parameter]
        role, wanted = settings.required(access.role), [*access.groups]
        groups = access_entries.groups(cluster, role)
        marks = tags_of(context.cluster, context.operation.operation_id)
        created = groups is None and access_entries.create(cluster, role, wanted, marks)
        if not created and (groups is None or not set(wanted) <= set(groups)):
            access_entries.update(cluster, role, [*{*(groups or ()), *wanted}])
        held = access_entries.policies(cluster, role)
        for policy in access.lacks(held):
            access_entries.associate(cluster, role, policy)
        for policy in access.exceeds(held):
            access_entries.dissociate(cluster, role, policy)
        return Applied("entry created" if created else "entry already present", (role,))

    def observe(self, context: StageContext) -> Observation:
        """Done when entry, groups and policies are as wanted."""
        cluster, access = context.cluster.names.eks_cluster, ACCESS[context.parameter]
        role = settings.required(access.role)
        groups = access_entries.groups(cluster, role)
        held = access_entries.policies(cluster, role) if groups is not None else []
        if groups is None or not set(access.groups) <= set(groups) or access.lacks(held) or access.exceeds(held):
            return Reapply(f"{role} has no proper way into {cluster}")
        result: JsonObject = {"principal": role, "groups": [*access.groups], "policies": [*access.policies]}
        result |= adopted() if _is_theirs(context, role) else {}
        return Done(result, context.stage.message or "entry present", (role,))


def _is_theirs(context: StageContext, role: str) -> bool:
    """Say whether the entry that a role has on an imported cluster was made by somebody else."""
    if context.cluster.origin == "created":
        return False
    tags = access_entries.tags(context.cluster.names.eks_cluster, role)
    return tags is not None and context.is_theirs(tags)


def _parts(context: StageContext) -> Iterator[Part]:
    for name in context.parameter.split(","):
        role = settings.required(ACCESS[name].role)
        yield Part(role, ENTRY, (f"access_entry:{name}",), partial(_look, context, name, role))


def _look(context: StageContext, name: str, role: str) -> list[Drift]:
    cluster = context.cluster.names.eks_cluster
    groups = access_entries.groups(cluster, role)
    if groups is not None and _is_theirs(context, role):
        return [theirs(role, ENTRY)]
    return entry_drifts(name, role, groups, access_entries.policies(cluster, role) if groups is not None else [])


STAGES: Behaviours = {"access_entry": AccessEntry(), "access_entry_drift": detection.of(_parts)}
