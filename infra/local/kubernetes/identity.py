"""Who sends a request, and which cluster access policies they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

MASTERS = "system:masters"
AUTHENTICATED = "system:authenticated"


@dataclass(frozen=True)
class AccessPolicy:
    """An EKS access policy by its name; without namespaces it holds in the whole cluster."""

    name: str
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Identity:
    """An authenticated user, the groups they are in and the access policies associated with them."""

    username: str
    groups: tuple[str, ...] = ()
    policies: tuple[AccessPolicy, ...] = ()
    uid: str = ""


PoliciesOf = Callable[[Identity], Sequence[AccessPolicy]]


def policies_of(identity: Identity) -> Sequence[AccessPolicy]:
    """The policies an identity carries; a host may look them up elsewhere instead."""
    return identity.policies
