"""The removal of a chain: its links in reverse, and only those that are ours."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from functions.identity.chains.models import MANAGER
from functions.identity.chains.rules.links import ROLE_ANNOTATION, ours

if TYPE_CHECKING:
    from functions.identity.chains.models import Account, Association, Facts, IdentityChain, Place, Role

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
    arn, steps = chain.role_at(place), list[Removal]()
    if facts.association and _is_ours(facts.association, place):
        steps.append(Removal.DELETE_ASSOCIATION)
    if facts.account:
        steps += _account_steps(chain, facts.account, arn)
    role = facts.role
    if role is None or chain.role_of_stack or not _is_our_role(role, chain, place):
        return steps
    steps += [Removal.DETACH_POLICIES] if role.attached else []
    steps += [Removal.DELETE_POLICIES] if role.inline else []
    return [*steps, Removal.DELETE_ROLE]


def staying(chain: IdentityChain, place: Place, facts: Facts) -> list[str]:
    """Name the links that a removal leaves alone, each with whose it is."""
    found, role, stays = facts.association, facts.role, list[str]()
    if found and not _is_ours(found, place):
        stays.append(f"association {found.association_id} with {found.role_arn} ({_of(found.owner)})")
    if facts.account:
        stays += _staying_account(chain, facts.account)
    if role and chain.role_of_stack and chain.given_role is None:
        stays.append(f"role {role.arn} (of the foundation stack)")
    elif role and not _is_our_role(role, chain, place):
        stays.append(f"role {role.arn} ({_of('')})")
    return stays


def _staying_account(chain: IdentityChain, account: Account) -> list[str]:
    name, stays = f"{chain.namespace}/{chain.service_account}", list[str]()
    others = sorted(account.annotated_by - {MANAGER})
    if ROLE_ANNOTATION in account.annotations and others:
        stays.append(f"annotation {account.annotations[ROLE_ANNOTATION]} of {name} (of {', '.join(others)})")
    if not _made(chain, account):
        stays.append(f"service account {name} ({_of(chain.account_of)})")
    return stays


def _of(addon: str | None) -> str:
    return f"of the add-on {addon}" if addon else "somebody else's"


def _made(chain: IdentityChain, account: Account) -> bool:
    return chain.account_of is None and account.labels.get(_LABEL) == MANAGER


def _is_ours(association: Association, place: Place) -> bool:
    return not association.owner and ours(association.tags, place)


def _is_our_role(role: Role, chain: IdentityChain, place: Place) -> bool:
    return chain.given_role is None and role.arn == chain.role_at(place) and ours(role.tags, place)


def _account_steps(chain: IdentityChain, account: Account, arn: str) -> list[Removal]:
    is_annotated = account.annotations.get(ROLE_ANNOTATION) == arn and MANAGER in account.annotated_by
    annotated = [Removal.REMOVE_ANNOTATION] if is_annotated else []
    return [*annotated, Removal.DELETE_ACCOUNT] if _made(chain, account) else annotated
