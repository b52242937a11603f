"""Who made an access entry, which of them may be changed, and what a change shows before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, NotFound, PreconditionFailed
from functions.core.findings import Finding, Level
from functions.core.previews import Action, Change
from functions.core.roles import is_of_a_deployment
from functions.core.tags import stack_tags
from functions.identity.people.models import Owner
from functions.identity.people.rules.grants import held, said

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec
    from functions.identity.people.models import AccessChange, Association, Door, Entry, Plan

STAGE: Final = "people_access"
NOT_GRANTED: Final = "not_granted"
STANDARD: Final = "STANDARD"
_SERVICE_PATH: Final = ":role/aws-service-role/"
_STANDING: Final = ("ACTIVE", "UPDATING")


def owner_of(principal: str, entry: Entry | None, cluster: ClusterSpec, our_roles: Collection[str]) -> Owner:
    """Say who made an entry, or whose it would be."""
    ours = principal in our_roles or is_of_a_deployment(principal)
    if ours or principal.rpartition("/")[2] in _roles_of(cluster):
        return Owner.CONTROL_PLANE
    if _SERVICE_PATH in principal or (entry is not None and entry.type != STANDARD):
        return Owner.AWS
    if entry is None or all(entry.tags.get(key) == value for key, value in stack_tags(cluster).items()):
        return Owner.PEOPLE
    return Owner.SOMEBODY_ELSE


def version_of(entry: Entry | None) -> dict[str, JsonValue]:
    """Give what a preview has read of an entry, by which it is told that it has changed since."""
    if entry is None:
        return {}
    policies: dict[str, JsonValue] = {each.policy_arn: [*sorted(each.namespaces)] for each in entry.associations}
    return {"arn": entry.arn, "policies": policies, "groups": [*sorted(entry.groups)]}


def findings(change: AccessChange, door: Door, entry: Entry | None, owner: Owner, plan: Plan) -> Iterator[Finding]:
    """Say what is in the way of a change, and what is good to know about it."""
    if blocked := closed(door):
        yield blocked
        return
    if owner in (Owner.CONTROL_PLANE, Owner.AWS):
        yield _protected(change.principal_arn, owner)
    elif owner is Owner.SOMEBODY_ELSE and not change.take_over:
        yield _of_somebody_else(change.principal_arn)
    elif change.permission is None and (missing := _not_granted(change, entry)):
        yield missing
    elif plan.empty:
        yield _told("unchanged", f"{change.principal_arn} already has {said(plan.wanted)}")
    elif entry is not None and entry.groups:
        groups = ", ".join(entry.groups)
        what = "is lost with the entry" if plan.removes else "stays as it is"
        yield _told("groups", f"membership of the Kubernetes groups {groups} {what}")


def changes(change: AccessChange, entry: Entry | None, plan: Plan) -> Iterator[Change]:
    """List what a change does, in its order."""
    principal = change.principal_arn
    if plan.removes:
        reason = f"it had {_had(entry)}; nothing is left of that"
        yield _changed(Action.DELETE, "EKS access entry", principal, reason)
        return
    if plan.creates:
        yield _changed(Action.CREATE, "EKS access entry", principal, "lets it into the cluster")
    if plan.adopts:
        yield _changed(Action.ADOPT, "EKS access entry", principal, "somebody else made it; take_over was sent")
    there = {each.policy_arn for each in entry.associations} if entry else set()
    for each in plan.associate:
        action = Action.CHANGE if each.policy_arn in there else Action.CREATE
        yield _changed(action, "access policy", _named(each.policy_arn), f"of {principal}, {_scope(each)}")
    for policy in plan.dissociate:
        yield _changed(Action.DELETE, "access policy", _named(policy), f"of {principal}, {said(plan.wanted)} is left")


def _had(entry: Entry | None) -> str:
    return ", ".join(f"{_named(each.policy_arn)} {_scope(each)}" for each in entry.associations) if entry else "nothing"


def _scope(association: Association) -> str:
    return f"in {', '.join(association.namespaces)}" if association.namespaces else "in the whole cluster"


def _named(policy_arn: str) -> str:
    return policy_arn.rpartition("/")[2]


def _changed(action: Action, resource: str, name: str, reason: str) -> Change:
    return Change(action=action, resource=resource, name=name, reason=reason, stage=STAGE)


def _roles_of(cluster: ClusterSpec) -> set[str]:
    return {*cluster.names.roles}


def closed(door: Door) -> Finding | None:
    """Say why a cluster has no access entries to read or change; None when it has."""
    if door.status not in _STANDING:
        found = f"is {door.status}" if door.status else "does not exist"
        remedy = "Create or repair the cluster's foundation first."
        return _refused("eks_cluster", PreconditionFailed.code, f"the EKS cluster {door.eks_cluster} {found}", remedy)
    if door.authentication_mode == "CONFIG_MAP":
        return _refused(
            "authentication_mode",
            PreconditionFailed.code,
            f"the EKS cluster {door.eks_cluster} has the authentication mode CONFIG_MAP and knows no access entries",
            "Move it to API_AND_CONFIG_MAP: POST /api/clusters/import with consents.move_authentication_mode.",
        )
    return None


def _protected(principal: str, owner: Owner) -> Finding:
    whose = "the control plane's own role" if owner is Owner.CONTROL_PLANE else "a role by which AWS runs nodes"
    why = f"{principal} is {whose} in this cluster, without which it does not work"
    return _refused("protected", Conflict.code, why, "Grant access to a role or user of people.", "principal_arn")


def _of_somebody_else(principal: str) -> Finding:
    why = f"somebody else made the access entry of {principal}"
    remedy = "Send take_over: true if the control plane may change it from now on; GET shows what it grants."
    return _refused("made_by_somebody_else", Conflict.code, why, remedy, "take_over")


def _not_granted(change: AccessChange, entry: Entry | None) -> Finding | None:
    granted = held(change.principal_arn, entry)
    remedy = "GET /api/clusters/{tag}/access lists what is granted to whom."
    if entry is None:
        why = f"{change.principal_arn} has no access to the cluster"
        return _refused(NOT_GRANTED, NotFound.code, why, remedy, "principal_arn")
    missing = [name for name in change.namespaces or [] if name not in granted.namespaces]
    if not missing:
        return None
    why = f"{change.principal_arn} has {said(granted)}, and nothing of its own in {', '.join(missing)}"
    return _refused(NOT_GRANTED, NotFound.code, why, remedy, "namespaces")


def _refused(check: str, code: str, message: str, remedy: str, field: str | None = None) -> Finding:
    return Finding(check=check, level=Level.ERROR, code=code, message=message, remedy=remedy, field=field)


def _told(check: str, message: str) -> Finding:
    return Finding(check=check, level=Level.INFO, message=message)
