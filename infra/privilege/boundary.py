"""The permissions boundary of every role that is ours or that we make: what none may do, whatever its policies say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.privilege.documents import Condition, Document, Effect, Statement
from infra.privilege.grant import worldwide
from infra.privilege.grants.identity import of_clusters, providers
from infra.release import boundary_arn, function_role, machine_role

if TYPE_CHECKING:
    from infra.release import Place
    from infra.topology import Topology

# Every verb with which IAM changes something; passing a role is bound by the policies of roles.
WRITES: Final = tuple(
    f"iam:{verb}*"
    for verb in (
        "Add",
        "Attach",
        "Change",
        "Create",
        "Deactivate",
        "Delete",
        "Detach",
        "Disable",
        "Enable",
        "Put",
        "Remove",
        "Reset",
        "Resync",
        "Set",
        "Tag",
        "Untag",
        "Update",
        "Upload",
    )
)
# What gives a role its rights, and who may have them.
_GIVES_RIGHTS: Final = (
    "iam:AttachRolePolicy",
    "iam:CreateRole",
    "iam:PutRolePermissionsBoundary",
    "iam:PutRolePolicy",
    "iam:UpdateAssumeRolePolicy",
)


def document(topology: Topology, place: Place) -> Document:
    """Give the boundary of a deployment: pods and nodes may do what their policies say, but no role grows beyond it."""
    return Document(
        (
            # A boundary grants nothing: this is the ceiling from which the rest is taken away.
            Statement("WhatPoliciesSay", ("*",), ("*",)),
            _denial("NoIamElsewhere", WRITES, _writable(place), elsewhere=True),
            _denial("NoChangeOfOwnRoles", WRITES, _own_roles(topology, place)),
            _denial("NoRoleWithoutBoundary", _GIVES_RIGHTS, of_clusters(place), (_other_boundary(place),)),
            _denial("NoEndOfBoundary", ("iam:DeleteRolePermissionsBoundary",), ("*",)),
            _denial("NoAccountBusiness", ("account:*", "organizations:*"), ("*",)),
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


def _own_roles(topology: Topology, place: Place) -> tuple[str, ...]:
    """Name the roles of the deployment itself, which stand under the same path as those of clusters."""
    functions = [function_role(each.name) for each in topology.functions]
    machines = [machine_role(each.name) for each in topology.machines]
    return tuple(map(place.role_arn, (*functions, *machines, *(role.name for role in topology.roles))))


def _other_boundary(place: Place) -> Condition:
    """Hold for a role that has another boundary, or none."""
    return Condition("StringNotEquals", "iam:PermissionsBoundary", (boundary_arn(place),))
