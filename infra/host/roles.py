"""All roles of a deployment, with fixed names: their policies are computed, and nothing adds to them afterwards."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from aws_cdk import RemovalPolicy
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.host.acknowledged import AS_FOUND, acknowledge, acknowledge_wildcards
from infra.privilege.documents import Document, Statement
from infra.privilege.grants import host
from infra.privilege.roles import documents
from infra.release import BOUNDARY, DEAD_LETTERS, OWN_BOUNDARY, Place, function_role, machine_role
from infra.shapes import Function, Role, StateMachine
from infra.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_POLICY = "declared"
# What IAM takes of all inline policies of a role together, and of a managed policy.
# Source: IAM user guide, "IAM and AWS STS quotas".
INLINE_LIMIT = 10_240
MANAGED_LIMIT = 6_144
# How the statements begin that are for looking.
_LOOKS = ("Look", "Read", "Unscoped")


def policies(
    topology: Topology, place: Place, passable_role_arns: Iterable[str], *, in_subnets: bool = False
) -> dict[str, Document]:
    """Give the computed policies, with what Lambda itself does in a function's name.

    It keeps what a function that nobody waits for gives up; with `in_subnets`, it makes those that call clusters stand
    there.
    """
    given_up = Statement("GiveUp", ("sqs:SendMessage",), (place.arn("sqs", DEAD_LETTERS),))
    found = dict(documents(topology, place, passable_role_arns))
    for name in topology.unattended():
        role = function_role(name)
        found[role] = Document((*found[role].statements, given_up))
    for function in (each for each in topology.functions if in_subnets and each.calls_clusters):
        role = function_role(function.name)
        found[role] = Document((*found[role].statements, *host.of_network(place, function)))
    return found


class Roles(Construct):
    """One role per function and per state machine, and those of the topology.

    The constructs that get a role cannot write into its policy: what CDK would grant is declared, or missing.
    """

    functions: Mapping[str, iam.IRole]
    machines: Mapping[str, iam.IRole]

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topology: Topology,
        place: Place,
        passable_role_arns: Iterable[str],
        in_subnets: bool,
        boundary: Document,
        cluster_boundary: Document,
    ) -> None:
        super().__init__(scope, construct_id)
        self._place = place
        self._documents = policies(topology, place, passable_role_arns, in_subnets=in_subnets)
        self._as_found = policies(topology, AS_FOUND, passable_role_arns, in_subnets=in_subnets)
        self.boundary = self._add_boundary("own-boundary", OWN_BOUNDARY, "role of the deployment", boundary)
        self._add_boundary("boundary", BOUNDARY, "role that the deployment makes for clusters", cluster_boundary)
        self.functions = {each.name: self._of_function(each) for each in topology.functions}
        self.machines = {each.name: self._of_machine(each) for each in topology.machines}
        for role in topology.roles:
            self._add_other(role)

    def _add_boundary(self, construct_id: str, name: str, whose: str, boundary: Document) -> iam.ManagedPolicy:
        made = iam.ManagedPolicy(
            self,
            construct_id,
            managed_policy_name=self._place.global_name(name),
            path=self._place.role_path,
            description=f"What no {whose} can do more than",
            document=iam.PolicyDocument.from_json(boundary.as_json()),
        )
        # IAM deletes no policy that is the boundary of a role, and the roles that clusters know are kept; but not those
        # of a creation that is rolled back, for the next one would find the names taken.
        made.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
        for what in ("Action", "Resource"):
            acknowledge(made, f"IAM5[{what}::*]", "A boundary gives no right: it says what none of our roles may have.")
        return made

    def _of_function(self, function: Function) -> iam.IRole:
        name = function_role(function.name)
        trusted: iam.PrincipalBase = iam.ServicePrincipal("lambda.amazonaws.com")
        if function.acts_for_operations:
            trusted = iam.CompositePrincipal(trusted, self._only([self._place.role_arn(name)]))
        return self._add(name, trusted, function.purpose).without_policy_updates()

    def _of_machine(self, machine: StateMachine) -> iam.IRole:
        ours = iam.ServicePrincipal(
            "states.amazonaws.com", conditions={"StringEquals": {"aws:SourceAccount": self._place.account}}
        )
        return self._add(
            machine_role(machine.name), ours, f"runs the state machine {machine.name}"
        ).without_policy_updates()

    def _add_other(self, role: Role) -> None:
        """Add a role that a service uses, or one that functions change into.

        Clusters' access entries point to the latter by their ids: a role made anew would lock us out of every cluster.
        """
        if role.trusted_service:
            self._add(role.name, iam.ServicePrincipal(role.trusted_service), role.purpose)
            return
        kept = self._add(role.name, self._only(self._assuming(role.name)), role.purpose)
        kept.apply_removal_policy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)

    def _add(self, name: str, trusted: iam.IPrincipal, purpose: str) -> iam.Role:
        looks = _looks(self._as_found[name])
        document, found = self._documents[name].without(*looks), self._as_found[name].without(*looks)
        policies = {_POLICY: iam.PolicyDocument.from_json(document.as_json())} if document.statements else None
        role = iam.Role(
            self,
            name,
            role_name=self._place.global_name(name),
            path=self._place.role_path,
            description=purpose,
            assumed_by=trusted,
            inline_policies=policies,
            managed_policies=[self._add_looks(name, looks)] if looks else None,
            permissions_boundary=self.boundary,
        )
        acknowledge_wildcards(role, found)
        return role

    def _add_looks(self, name: str, looks: Collection[str]) -> iam.ManagedPolicy:
        """Write a part of a role's policy apart, for IAM takes less of inline policies than the role needs."""
        policy = iam.ManagedPolicy(
            self,
            f"{name}-looks",
            managed_policy_name=self._place.global_name(f"{name}-looks"),
            path=self._place.role_path,
            description=f"What {name} may look at",
            document=iam.PolicyDocument.from_json(self._documents[name].only(*looks).as_json()),
        )
        acknowledge_wildcards(policy, self._as_found[name].only(*looks))
        return policy

    def _only(self, roles: list[str]) -> iam.PrincipalBase:
        # A trust policy cannot name a role that the same policy makes, so the account is trusted under a condition.
        return iam.AccountRootPrincipal().with_conditions({"ArnEquals": {"aws:PrincipalArn": roles}})

    def _assuming(self, name: str) -> list[str]:
        """List the roles whose policies let them change into a role."""
        wanted = self._place.role_arn(name)
        return [
            self._place.role_arn(role) for role, document in self._documents.items() if _may_assume(document, wanted)
        ]


def _looks(as_found: Document) -> frozenset[str]:
    """Name the statements that have no room in a role's inline policy: none, or all that look without changing."""
    if as_found.size <= INLINE_LIMIT:
        return frozenset()
    return frozenset(each.sid for each in as_found.statements if each.sid.startswith(_LOOKS))


def _may_assume(document: Document, role: str) -> bool:
    assuming = [statement for statement in document.statements if "sts:AssumeRole" in statement.actions]
    return any(_covers(pattern, role) for statement in assuming for pattern in statement.resources)


def _covers(pattern: str, arn: str) -> bool:
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), arn) is not None
