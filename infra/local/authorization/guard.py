"""Lets a role of the deployment do what its synthesised policy allows, and refuses the rest as AWS does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.functions import INVOKE_API
from infra.local.authorization import parsing, requests, uses
from infra.local.authorization.asking import Unknown
from infra.local.authorization.conditions import Unjudgeable
from infra.local.authorization.evaluation import Allowed, Asked, Denied, Policy, Why, evaluate
from infra.local.authorization.uses import Use
from infra.privilege import agents, boundary, roles
from infra.privilege.roles import LEFT_OUT
from infra.release import machine_role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.local.authorization.live import Live
    from infra.local.messages import HttpRequest
    from infra.topology import Topology


@dataclass(frozen=True)
class Denial:
    """What a role may not do, and why not; `unverified` says what nobody here can judge."""

    asked: Asked
    why: Why | None = None
    unverified: str = ""

    def message(self, principal: str) -> str:
        """Word it as IAM does for a caller, by the ARN of its session."""
        reason = "" if self.why is None else self.why.value.format(action=self.asked.action)
        return (
            f"User: {principal} is not authorized to perform: {self.asked.action} "
            f"on resource: {self.asked.resource} {reason}"
        )


class Guard:
    """Judges calls by the policies of all roles of a deployment, which are computed once.

    A caller's role has its name in IAM; what is noted of it is by what the topology calls it.
    """

    def __init__(self, topology: Topology, live: Live, agent_roles: Iterable[str] = ()) -> None:
        self._live = live
        self._agent_roles = frozenset(agent_roles)
        self._policies = {role: Policy(held) for role, held in roles.documents(topology, live.place).items()}
        self._called = {live.place.global_name(role): role for role in self._policies}
        self._boundary = Policy(boundary.of_deployment(live.place))
        self._of_agents = Policy(agents.document(live.place))
        self._machines = frozenset(machine_role(each.name) for each in topology.machines)

    def judges(self, role: str) -> bool:
        """Say whether a role, by its name, is one of the deployment's."""
        return role in self._called

    def denial(self, role: str, service: str, request: HttpRequest) -> Denial | None:
        """Say what keeps a role from what it asks of a service, by its signing name; None where nothing does."""
        try:
            call = parsing.read(service, request)
            called = self._called[role]
            wanted = requests.asked(call, self._live, by_machine=called in self._machines)
            return next((found for each in wanted if (found := self._judged(called, each)) is not None), None)
        except (parsing.Unreadable, Unknown, Unjudgeable) as error:
            return Denial(Asked(service, "*"), unverified=f"whether {role} may do this: {error}")

    def invocation_denial(self, role: str, method: str, path: str) -> Denial | None:
        """Say what keeps a role from calling a route of an HTTP API that is signed with IAM."""
        return self._judged(self._called[role], self._invocation(method, path))

    def lets_agent(self, role_arn: str, method: str, path: str) -> bool:
        """Say whether a role that is not the deployment's may call such a route: all agents' may the same."""
        asked = self._invocation(method, path)
        return role_arn in self._agent_roles and isinstance(evaluate(asked, self._of_agents), Allowed)

    def _invocation(self, method: str, path: str) -> Asked:
        return Asked(INVOKE_API, self._live.place.internal_route(method, path))

    def _judged(self, role: str, asked: Asked) -> Denial | None:
        if asked.action in LEFT_OUT:
            return None
        verdict = evaluate(asked, self._policies[role], self._boundary)
        if isinstance(verdict, Denied):
            return Denial(asked, verdict.why)
        _note(role, asked, verdict)
        return None


def _note(role: str, asked: Asked, verdict: Allowed) -> None:
    if len(verdict.sids) == 1:
        uses.note(Use(role, verdict.sids[0], asked.action))
