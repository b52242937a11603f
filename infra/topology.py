"""The one list that both hosts are built from: functions, tables, state machines, roles, routes, what calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from functions.core.declaration import Route, Scope, Stage
from functions.core.ledger import tables as ledger
from functions.core.phases import BY_KIND
from functions.entry.domains import DECLARATIONS
from infra.functions import FUNCTIONS
from infra.shapes import ROOT, Bucket, Function, Role, StateMachine
from infra.triggers import EVENT_RULES, SCHEDULES, SOCKET_ROUTES, STREAMS, EventRule, Schedule, SocketRoute, Stream

CLUSTER_ARTIFACTS = ROOT / "infra" / "cluster"

PREFIX = "instantstart-"
# Not `instantstart-…`: that is what stacks of managed clusters are called, and what functions may change.
STACK = "InstantStart"
# A stage's execution ends after so many looks, and its parent starts it anew: an execution has 25,000 events at most.
TURN_LIMIT = 500
# How often a stage looks at what tells nobody when it is there.
POLL_SECONDS = {"HYPERPOD_POLL_SECONDS": "30", "CAPACITY_POLL_SECONDS": "600", "NODES_POLL_SECONDS": "15"}

# What a deployment may choose; an empty one counts as absent. The addresses are those of the NAT gateways that its
# functions leave through, the ARNs those of roles outside of its own path that it may pass to AWS services.
CHOICES = {"FIXED_EGRESS_ADDRESSES": "", "PASSABLE_ROLE_ARNS": ""}

# What page tokens and digests of previews are signed with.
_READ_SIGNING_KEY = ("secretsmanager:GetSecretValue",)
_RUN_FUNCTIONS = ("lambda:InvokeFunction",)
# What `.sync` needs beside StartExecution (Step Functions developer guide, "startExecution" integration).
_RUN_CHILDREN = (
    "states:StartExecution",
    "states:DescribeExecution",
    "states:StopExecution",
    "events:PutTargets",
    "events:PutRule",
    "events:DescribeRule",
)

MACHINES = (
    # The stage machine stores the token of its wait itself.
    StateMachine("stage", (*_RUN_FUNCTIONS, "dynamodb:UpdateItem")),
    *(StateMachine(name, (*_RUN_FUNCTIONS, *_RUN_CHILDREN)) for name in BY_KIND),
)

# What no declared route matches reaches the application too, so that it is refused with a problem body.
API = "/api/"
ANY = "ANY"
UNMATCHED = Route("unmatched", ANY, f"{API}{{proxy+}}", Scope.READ, "Refuse what no route matches", 404)
# Where agents connect. Only POST does something; clients of older revisions try the others and have to be told so.
MCP_PATH = "/mcp"
MCP_ROUTES = tuple(
    Route(f"{method.lower()}_mcp", method, MCP_PATH, Scope.READ, "Speak MCP", function="mcp")
    for method in ("POST", "GET", "DELETE")
)

FOUNDATION_ROLE = Role("instantstart-foundation", "cloudformation.amazonaws.com", "creates foundation stacks")
KUBERNETES_ADMIN = Role("instantstart-kubernetes-admin", None, "installs what needs cluster administration")
KUBERNETES_OPERATOR = Role("instantstart-kubernetes-operator", None, "everything else in a cluster")
ROLES = (FOUNDATION_ROLE, KUBERNETES_ADMIN, KUBERNETES_OPERATOR)

# Seven years: what is asked of business records most often; the deployment owns the bucket and may keep it longer.
AUDIT_BUCKET = Bucket("audit", "AUDIT_BUCKET", "who did what, a file a day", keep_days=7 * 365)
BUCKETS = (AUDIT_BUCKET,)


@dataclass(frozen=True)
class Topology:
    """Everything there is to deploy."""

    functions: tuple[Function, ...]
    tables: tuple[ledger.Table, ...]
    machines: tuple[StateMachine, ...]
    schedules: tuple[Schedule, ...]
    streams: tuple[Stream, ...]
    event_rules: tuple[EventRule, ...]
    socket_routes: tuple[SocketRoute, ...]
    roles: tuple[Role, ...]
    buckets: tuple[Bucket, ...]
    routes: tuple[Route, ...]
    stages: tuple[Stage, ...]
    route_actions: Mapping[str, frozenset[str]]

    def unattended(self) -> frozenset[str]:
        """Name the functions that an event, a schedule or a table's change runs: nobody waits for their answer."""
        triggers: tuple[EventRule | Schedule | Stream, ...] = (*self.event_rules, *self.schedules, *self.streams)
        return frozenset(trigger.function for trigger in triggers)

    def signing(self) -> frozenset[str]:
        """Name the functions that sign what callers carry."""
        return frozenset(each.name for each in self.functions if each.signs)

    def actions_of(self, function: str) -> frozenset[str]:
        """List the AWS actions that a function's role needs."""
        own = next(entry for entry in self.functions if entry.name == function)
        staged = [action for stage in self.stages if stage.function == function for action in stage.actions]
        routed = self.route_actions.get(function, ())
        stored = [action for access in own.data for action in access.actions]
        sessions = ("sts:AssumeRole",) if own.acts_for_operations else ()
        keys = _READ_SIGNING_KEY if function in self.signing() else ()
        return frozenset((*own.actions, *stored, *staged, *routed, *sessions, *keys))


def _route_actions() -> Mapping[str, frozenset[str]]:
    """Say which actions routes need, by function: those of a domain are of `api`, if that has any of its routes."""
    found: dict[str, frozenset[str]] = {}
    for declaration in DECLARATIONS:
        answering = {route.function for route in declaration.routes} or {"api"}
        owner = "api" if "api" in answering else min(answering)
        found[owner] = found.get(owner, frozenset()) | frozenset(declaration.route_actions)
    return found


TOPOLOGY = Topology(
    functions=FUNCTIONS,
    tables=ledger.TABLES,
    machines=MACHINES,
    schedules=SCHEDULES,
    streams=STREAMS,
    event_rules=EVENT_RULES,
    socket_routes=SOCKET_ROUTES,
    roles=ROLES,
    buckets=BUCKETS,
    routes=(*(route for declaration in DECLARATIONS for route in declaration.routes), *MCP_ROUTES, UNMATCHED),
    stages=tuple(stage for declaration in DECLARATIONS for stage in declaration.stages),
    route_actions=_route_actions(),
)
