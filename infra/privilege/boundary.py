"""The two permissions boundaries: what no role of the deployment, and none of its clusters', can be given.

Whoever makes roles for clusters can give them anything under their boundary, so that one keeps off the deployment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.privilege.documents import Condition, Document, Effect, Statement
from infra.privilege.grant import buckets, named, worldwide
from infra.privilege.grants.identity import of_clusters, providers
from infra.release import (
    DEAD_LETTERS,
    FILES,
    GATEWAY,
    NOTIFICATIONS,
    boundary_arn,
    function_role,
    machine_role,
    signing_keys,
)
from infra.topology import PREFIX, ROLE_PATH, STACK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.release import Place
    from infra.topology import Topology

# Every verb with which IAM changes something, by its beginning: none that reads begins so.
WRITES: Final = tuple(f"iam:{verb}*" for verb in ("A", "C", "D", "E", "Put", "R", "Set", "T", "U"))
# What becomes somebody else.
_BECOMES: Final = ("iam:PassRole", "sts:AssumeRole")
# What gives a role its rights, and who may have them.
_GIVES_RIGHTS: Final = (
    "iam:AttachRolePolicy",
    "iam:CreateRole",
    "iam:PutRolePermissionsBoundary",
    "iam:PutRolePolicy",
    "iam:UpdateAssumeRolePolicy",
)
# A user pool says who may do what: putting somebody into a group is for people.
_ACCOUNT_BUSINESS: Final = ("account:*", "cognito-idp:*", "organizations:*")
# What makes the deployment another; calling its functions and starting its executions does not.
_CHANGES_DEPLOYMENT: Final = (
    *(f"cloudformation:{verb}*" for verb in ("Cancel", "Continue", "Create", "Delete", "Execute", "Set", "Update")),
    *(f"lambda:{verb}*" for verb in ("Add", "Create", "Delete", "Put", "Remove", "Update")),
    *(f"states:{verb}*" for verb in ("Create", "Delete", "Publish", "Update")),
)
_CEILING: Final = Statement("WhatPoliciesSay", ("*",), ("*",))


def of_deployment(topology: Topology, place: Place, passable_role_arns: Iterable[str] = ()) -> Document:
    """Give the boundary of the deployment's own roles: they make roles within the other one, and never change it."""
    return Document(
        (
            # A boundary grants nothing: this is the ceiling from which the rest is taken away.
            _CEILING,
            _denial("NoIamElsewhere", WRITES, _writable(place), elsewhere=True),
            _denial("NoChangeOfOwnRoles", WRITES, _own_roles(topology)),
            _denial("NoRoleWithoutBoundary", _GIVES_RIGHTS, of_clusters(place), (_other_boundary(place),)),
            _denial("NoEndOfBoundary", ("iam:DeleteRolePermissionsBoundary",), ("*",)),
            _denial("NoOthersRoles", _BECOMES, _usable(place, passable_role_arns), elsewhere=True),
            _denial("NoChangeOfDeployment", _CHANGES_DEPLOYMENT, _programs(place)),
            _denial("NoAccountBusiness", _ACCOUNT_BUSINESS, ("*",)),
        )
    )


def of_managed_clusters(topology: Topology, place: Place, passable_role_arns: Iterable[str] = ()) -> Document:
    """Give the boundary of clusters' roles: pods and nodes do what their policies say, to nothing of the deployment."""
    service_roles = worldwide(place, "iam", "role/aws-service-role/*")
    owned = [place.bucket(each.name) for each in topology.buckets]
    kept = buckets(place, *(f"{name}/*" for name in owned), *owned)
    shipped = buckets(place, place.bucket("artifacts"), f"{place.bucket('artifacts')}/*")
    return Document(
        (
            _CEILING,
            _denial("NoIam", WRITES, service_roles, elsewhere=True),
            _denial("NoOthersRoles", _BECOMES, _usable(place, passable_role_arns), elsewhere=True),
            _denial("NoRolesOfDeployment", _BECOMES, _own_roles(topology)),
            _denial("NoUseOfDeployment", ("*",), (*_programs(place), *_stores(place), *kept)),
            # Nodes read what a release ships; the API's own id is not known here.
            _denial("NoChangeOfArtifacts", ("s3:Delete*", "s3:Put*"), shipped),
            _denial("NoDoors", ("execute-api:*",), ("*",)),
            _denial("NoAccountBusiness", _ACCOUNT_BUSINESS, ("*",)),
        )
    )


def _denial(
    sid: str,
    actions: tuple[str, ...],
    resources: tuple[str, ...],
    conditions: tuple[Condition, ...] = (),
    *,
    elsewhere: bool = False,
) -> Statement:
    return Statement(sid, actions, resources, conditions, Effect.DENY, elsewhere)


def _writable(place: Place) -> tuple[str, ...]:
    """Name what may be written at all: roles under our path, service roles, providers of EKS clusters."""
    return (*of_clusters(place), *worldwide(place, "iam", "role/aws-service-role/*"), *providers(place))


def _usable(place: Place, passable_role_arns: Iterable[str]) -> tuple[str, ...]:
    """Name the roles that may be passed on or changed into, as far as policies allow."""
    return (*of_clusters(place), *sorted(passable_role_arns))


def _own_roles(topology: Topology) -> tuple[str, ...]:
    """Name the roles of the deployment itself, which stand under the same path as those of clusters.

    A role without a name of ours gets one of CloudFormation's, which begins with the stack's. The account is left out:
    the names are many, and the policy has room for so many characters only.
    """
    functions = dict.fromkeys([*(each.name for each in topology.functions), FILES, GATEWAY])
    machines = [machine_role(each.name) for each in topology.machines]
    others = (*(role.name for role in topology.roles), f"{STACK}-*")
    return tuple(f"arn:*:iam::*:role{ROLE_PATH}{name}" for name in (*map(function_role, functions), *machines, *others))


def _programs(place: Place) -> tuple[str, ...]:
    """Name what the deployment consists of: its stack, functions and state machines."""
    return (
        *named(place, "cloudformation", f"stack/{STACK}/*"),
        *named(place, "lambda", f"function:{PREFIX}*"),
        *named(place, "states", f"stateMachine:{PREFIX}*", f"execution:{PREFIX}*"),
    )


def _stores(place: Place) -> tuple[str, ...]:
    """Name what the deployment knows, what it signs with, and whom it tells."""
    return (
        *named(place, "dynamodb", f"table/{PREFIX}*"),
        *named(place, "sns", NOTIFICATIONS),
        *named(place, "sqs", DEAD_LETTERS),
        signing_keys(place),
    )


def _other_boundary(place: Place) -> Condition:
    """Hold for a role that has another boundary, or none."""
    return Condition("StringNotEquals", "iam:PermissionsBoundary", (boundary_arn(place),))
