"""The removal of a chain: its links in reverse, and only those that are ours."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from functions.identity.chains.models import MANAGER
from functions.identity.chains.rules.links import ROLE_ANNOTATION, ours

if TYPE_CHECKING:
    from functions.identity.chains.models import Account, Facts, IdentityChain, Place

_LABEL: Final = "app.kubernetes.io/managed-by"


class Removal(StrEnum):
    """One step of a removal."""

    DELETE_ASSOCIATION = "delete_association"
    REMOVE_ANNOTATION = "remove_annotation"
    DELETE_ACCOUNT = "delete_account"
    DETACH_POLICIES = "detach_policies"
    DELETE_POLICIES = "delete_policies"
    DELETE_ROLE = "delete_role"


def removal_of(chain: IdentityChain, place: Place, facts: Facts) -> list[Removal]:
    """List the steps, last link first.

    An add-on's association goes with the add-on, a stack's role with the stack; the provider serves every chain.
    """
    arn, steps = place.role_arn(chain.role), list[Removal]()
    if facts.association and facts.association.role_arn == arn and not facts.association.owner:
        steps.append(Removal.DELETE_ASSOCIATION)
    if facts.account:
        steps += _account_steps(chain, facts.account, arn)
    role = facts.role
    if role is None or chain.role_of_stack or role.arn != arn or not ours(role.tags, place):
        return steps
    steps += [Removal.DETACH_POLICIES] if role.attached else []
    steps += [Removal.DELETE_POLICIES] if role.inline else []
    return [*steps, Removal.DELETE_ROLE]


def _account_steps(chain: IdentityChain, account: Account, arn: str) -> list[Removal]:
    annotated = [Removal.REMOVE_ANNOTATION] if account.annotations.get(ROLE_ANNOTATION) == arn else []
    made = chain.account_of is None and account.labels.get(_LABEL) == MANAGER
    return [*annotated, Removal.DELETE_ACCOUNT] if made else annotated
