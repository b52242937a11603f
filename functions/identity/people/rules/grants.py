"""What an access comes to: permissions by namespace on one side, EKS's access policies with their scopes on the other.

A principal has at most one permission in the whole cluster and one in each namespace; where both hold, the larger one
counts. EKS keeps one scope for each policy of an entry.
Source: Amazon EKS user guide, "Review access policy permissions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, get_args

from functions.core.cluster import DesiredAccess
from functions.identity.people.models import AccessChange, Association, Owner, Permission, Plan
from functions.identity.rules import ADMINISTRATOR

if TYPE_CHECKING:
    from functions.identity.people.models import Entry

_PREFIX: Final = ADMINISTRATOR.rpartition("/")[0]
_POLICIES: Final[dict[Permission, str]] = {
    "view": f"{_PREFIX}/AmazonEKSViewPolicy",
    "edit": f"{_PREFIX}/AmazonEKSEditPolicy",
    "admin": f"{_PREFIX}/AmazonEKSAdminPolicy",
    "cluster_admin": ADMINISTRATOR,
}
_BY_POLICY: Final = {policy: permission for permission, policy in _POLICIES.items()}
# From the least to the most.
_ORDER: Final[tuple[Permission, ...]] = get_args(Permission)


def permission_of(policy_arn: str) -> Permission | None:
    """Name the permission that an access policy gives; None for one that is not granted here."""
    return _BY_POLICY.get(policy_arn)


def held(principal: str, entry: Entry | None) -> DesiredAccess:
    """Read what a principal has been granted off its entry."""
    everywhere: list[Permission] = []
    places: dict[str, Permission] = {}
    for association in _associations_of(entry):
        permission = permission_of(association.policy_arn)
        if permission is not None and association.namespaces:
            for namespace in association.namespaces:
                places[namespace] = max(permission, places.get(namespace, permission), key=_ORDER.index)
        elif permission is not None:
            everywhere.append(permission)
    highest = max(everywhere, key=_ORDER.index, default=None)
    return DesiredAccess(principal_arn=principal, everywhere=highest, namespaces=dict(sorted(places.items())))


def changed(access: DesiredAccess, change: AccessChange) -> DesiredAccess:
    """Apply a change: a grant takes the place of what was granted there, a revocation leaves the rest."""
    if change.namespaces is None:
        namespaces = access.namespaces if change.permission else {}
        return access.model_copy(update={"everywhere": change.permission, "namespaces": namespaces})
    kept = {name: held for name, held in access.namespaces.items() if name not in change.namespaces}
    added = dict.fromkeys(change.namespaces, change.permission) if change.permission else {}
    return access.model_copy(update={"namespaces": dict(sorted({**kept, **added}.items()))})


def associations(access: DesiredAccess) -> list[Association]:
    """Give the access policies that make up an access; what holds everywhere needs no namespace."""
    found = []
    for permission in _ORDER:
        places = tuple(sorted(name for name, held in access.namespaces.items() if held == permission))
        if access.everywhere == permission:
            found.append(Association(_POLICIES[permission]))
        elif places:
            found.append(Association(_POLICIES[permission], places))
    return found


def as_granted(entry: Entry, access: DesiredAccess) -> bool:
    """Say whether an entry has the policies of an access, whatever it has beside them that is not granted here."""
    return associations(held(access.principal_arn, entry)) == associations(access)


def plan(change: AccessChange, entry: Entry | None, owner: Owner) -> Plan:
    """Say what has to be done, given the entry as it stands; after it is done, there is nothing to do."""
    wanted = changed(held(change.principal_arn, entry), change)
    if _nothing_left(change, entry, wanted):
        return Plan(wanted, creates=False, adopts=False, removes=entry is not None, associate=(), dissociate=())
    there = [Association(each.policy_arn, tuple(sorted(each.namespaces))) for each in _associations_of(entry)]
    needed = associations(wanted)
    granted_before = {each.policy_arn for each in there if permission_of(each.policy_arn)}
    return Plan(
        wanted=wanted,
        creates=entry is None,
        adopts=entry is not None and owner is Owner.SOMEBODY_ELSE,
        removes=False,
        associate=tuple(each for each in needed if each not in there),
        dissociate=tuple(sorted(granted_before - {each.policy_arn for each in needed})),
    )


def _nothing_left(change: AccessChange, entry: Entry | None, wanted: DesiredAccess) -> bool:
    """Say whether an entry goes: all of its access is taken back, or the last of it that anything stands for."""
    if change.permission is not None or associations(wanted):
        return False
    others = [each for each in _associations_of(entry) if permission_of(each.policy_arn) is None]
    return change.namespaces is None or entry is None or not (others or entry.groups)


def _associations_of(entry: Entry | None) -> tuple[Association, ...]:
    return entry.associations if entry else ()


def said(access: DesiredAccess) -> str:
    """Tell an access in words."""
    parts = [f"{access.everywhere} in the whole cluster"] if access.everywhere else []
    for permission in _ORDER:
        places = [name for name, held in access.namespaces.items() if held == permission]
        parts += [f"{permission} in {', '.join(places)}"] if places else []
    return " and ".join(parts) or "nothing"


def change_said(change: AccessChange) -> str:
    """Tell a change in words, for the audit."""
    where = f"in {', '.join(change.namespaces)}" if change.namespaces else "in the whole cluster"
    if change.permission is None:
        return f"take from {change.principal_arn} what was granted {where}"
    return f"grant {change.permission} {where} to {change.principal_arn}"
