"""The policies of all roles of a deployment, computed from the topology: one document for each role in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from infra.privilege import authorization, foundation
from infra.privilege.documents import Document, Statement
from infra.privilege.grant import statements
from infra.privilege.grants import clusters, host, identity, network, stores, workflows
from infra.release import Place, function_role, machine_role
from infra.topology import FOUNDATION_ROLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from infra.privilege.grant import Grant
    from infra.shapes import Function, StateMachine
    from infra.topology import Topology

# Actions that AWS lists as going along with others, and that no role of ours gets.
LEFT_OUT: Final = {
    "cloudformation:ListStacks": "is asked for only where no stack is named, and every look of ours names one",
    "autoscaling:DescribeAccountLimits": "is for quotas of EC2 Auto Scaling, which nothing reads",
    "cloudformation:DescribeAccountLimits": "is for quotas of CloudFormation, which nothing reads",
    "dynamodb:DescribeLimits": "is for quotas of DynamoDB, which nothing reads",
    "elasticloadbalancing:DescribeAccountLimits": "is for quotas of load balancers, which nothing reads",
    "iam:GetAccountSummary": "is for quotas of IAM, which nothing reads",
    "kinesis:DescribeLimits": "is for quotas of Kinesis, which nothing reads",
    "rds:DescribeAccountAttributes": "is for quotas of RDS, which nothing reads",
    "route53:GetAccountLimit": "is for quotas of Route 53, which nothing reads",
    "route53:AssociateVPCWithHostedZone": "is for interface endpoints, and ours is a gateway endpoint",
}
_ANYWHERE: Final = Place("123456789012", "us-west-2")


class NotGrantable(Exception):
    """An action is declared, and no grant says on what."""


def documents(topology: Topology, place: Place, passable_role_arns: Iterable[str] = ()) -> Mapping[str, Document]:
    """Give the policy of every role of a deployment by what the topology calls it: of functions, machines, the rest.

    `passable_role_arns` are those that the deployment may pass to AWS services beside its own. Raises NotGrantable for
    a declared action that no grant is for.
    """
    passable = tuple(sorted(passable_role_arns))
    functions = {function_role(each.name): _of_function(topology, place, each, passable) for each in topology.functions}
    machines = {machine_role(each.name): _of_machine(topology, place, each) for each in topology.machines}
    others = {role.name: Document(()) for role in topology.roles}
    others[FOUNDATION_ROLE.name] = _of_foundation(place, passable)
    return {**functions, **machines, **others}


def wanted_actions(topology: Topology) -> frozenset[str]:
    """List all actions that roles hold or leave out on purpose, as declared; needs no authorization data."""
    machines = [grant for machine in topology.machines for grant in host.of_machine(topology, _ANYWHERE, machine)]
    functions = [grant for each in topology.functions for grant in host.of_function(_ANYWHERE, each)]
    declared = {action for each in topology.functions for action in topology.actions_of(each.name)}
    held = {action for grant in (*machines, *functions) for action in grant.actions}
    return frozenset(
        declared | held | foundation.actions() | {action for each in topology.machines for action in each.actions}
    )


def _of_function(topology: Topology, place: Place, function: Function, passable: tuple[str, ...]) -> Document:
    needed = authorization.load().closure(topology.actions_of(function.name)) - LEFT_OUT.keys()
    granted = statements(_grants(topology, place, function, passable), function.name, needed)
    found = [*map(_narrowed, granted), *_unscoped(needed)]
    _check(f"function {function.name}", needed, found)
    return Document((*found, *(grant.whole() for grant in host.of_function(place, function))))


def _grants(topology: Topology, place: Place, function: Function, passable: tuple[str, ...]) -> tuple[Grant, ...]:
    return (
        *stores.tables(topology, place, function),
        *stores.grants(place),
        *workflows.grants(topology, place),
        *network.grants(place),
        *clusters.grants(place),
        *identity.grants(place, passable),
        *identity.sessions(place, function),
    )


def _of_machine(topology: Topology, place: Place, machine: StateMachine) -> Document:
    found = [grant.whole() for grant in host.of_machine(topology, place, machine)]
    _check(f"state machine {machine.name}", frozenset(machine.actions), found)
    return Document(tuple(found))


def _of_foundation(place: Place, passable: tuple[str, ...]) -> Document:
    needed = authorization.load().closure(foundation.actions()) - LEFT_OUT.keys()
    found = [*map(_narrowed, foundation.statements(place, passable)), *_unscoped(needed)]
    _check("role of foundation stacks", needed, found)
    return Document(tuple(found))


def _narrowed(statement: Statement) -> Statement:
    """Leave out resources that none of the actions is authorised on: a role may have only some of a grant's actions."""
    actions = [authorization.load().action(name) for name in statement.actions]
    used = tuple(each for each in statement.resources if any(action.is_for(each) for action in actions))
    return replace(statement, resources=used)


def _unscoped(needed: Iterable[str]) -> Iterator[Statement]:
    """Give the statements for actions that AWS authorises on no type of resource, one for each service."""
    free = sorted(name for name in needed if not authorization.load().action(name).resource_types)
    for service in sorted({name.partition(":")[0] for name in free}):
        actions = tuple(name for name in free if name.startswith(f"{service}:"))
        yield Statement(f"Unscoped{service.capitalize()}", actions, ("*",))


def _check(whose: str, needed: frozenset[str], found: Iterable[Statement]) -> None:
    granted = {action for each in found for action in each.actions}
    if missing := sorted(needed - granted):
        raise NotGrantable(
            f"The {whose} declares {', '.join(missing)}, and nothing says on which resources: add a grant to a file of "
            "infra/privilege/grants, then run `make authorization`."
        )
