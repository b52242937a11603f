"""The two permissions boundaries: what no role of the deployment, and none of its clusters', can be given.

Whoever makes roles for clusters can give them anything under their boundary, so that one keeps off the deployment, and
off those of other regions in the same account.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from infra.privilege.documents import Condition, Document, Effect, Statement
from infra.privilege.grant import buckets, named, worldwide
from infra.privilege.grants.identity import of_clusters, providers
from infra.release import DEAD_LETTERS, NOTIFICATIONS, boundary_arn, signing_keys
from infra.topology import PREFIX, STACK

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


def of_deployment(place: Place, passable_role_arns: Iterable[str] = ()) -> Document:
    """Give the boundary of the deployment's own roles: they make roles within the other one, and never change it."""
    return Document(
        (
            # A boundary grants nothing: this is the ceiling from which the rest is taken away.
            _CEILING,
            _denial("NoIamElsewhere", WRITES, _writable(place), elsewhere=True),
            _denial("NoRoleWithoutBoundary", _GIVES_RIGHTS, of_clusters(place), (_other_boundary(place),)),
            _denial("NoEndOfBoundary", ("iam:DeleteRolePermissionsBoundary",), ("*",)),
            _denial("NoOthersRoles", _BECOMES, (*_own(place), *sorted(passable_role_arns)), elsewhere=True),
            _denial("NoChangeOfDeployment", _CHANGES_DEPLOYMENT, _programs(place)),
            _denial("NoAccountBusiness", _ACCOUNT_BUSINESS, ("*",)),
        )
    )


def of_managed_clusters(topology: Topology, place: Place, passable_role_arns: Iterable[str] = ()) -> Document:
    """Give the boundary of clusters' roles: pods and nodes do what their policies say, to nothing of the deployment."""
    service_roles = worldwide(place, "iam", "role/aws-service-role/*")
    usable = (*of_clusters(place), *sorted(passable_role_arns))
    owned = [_anywhere(place).bucket(each.name) for each in topology.buckets]
    kept = buckets(place, *(f"{name}/*" for name in owned), *owned)
    shipped = buckets(place, artifacts := _anywhere(place).bucket("artifacts"), f"{artifacts}/*")
    return Document(
        (
            _CEILING,
            _denial("NoIam", WRITES, service_roles, elsewhere=True),
            _denial("NoOthersRoles", _BECOMES, usable, elsewhere=True),
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
    """Name what may be written at all: roles of clusters, service roles, providers of EKS clusters."""
    return (*of_clusters(place), *worldwide(place, "iam", "role/aws-service-role/*"), *providers(place))


def _own(place: Place) -> tuple[str, ...]:
    """Name the roles of the deployment and of its clusters; none of a deployment in another region."""
    return worldwide(place, "iam", f"role{place.role_path}*")


def _anywhere(place: Place) -> Place:
    """Give the place as a pattern that holds for the account's deployments in all regions."""
    return replace(place, region="*")


def _programs(place: Place) -> tuple[str, ...]:
    """Name what deployments consist of: their stacks, functions and state machines."""
    return (
        *named(_anywhere(place), "cloudformation", f"stack/{STACK}/*"),
        *named(_anywhere(place), "lambda", f"function:{PREFIX}*"),
        *named(_anywhere(place), "states", f"stateMachine:{PREFIX}*", f"execution:{PREFIX}*"),
    )


def _stores(place: Place) -> tuple[str, ...]:
    """Name what deployments know, what they sign with, and whom they tell."""
    return (
        *named(_anywhere(place), "dynamodb", f"table/{PREFIX}*"),
        *named(_anywhere(place), "sns", NOTIFICATIONS),
        *named(_anywhere(place), "sqs", DEAD_LETTERS),
        signing_keys(_anywhere(place)),
    )


def _other_boundary(place: Place) -> Condition:
    """Hold for a role that has another boundary, or none."""
    return Condition("StringNotEquals", "iam:PermissionsBoundary", (boundary_arn(place),))
