"""The one list that both hosts are built from: functions, tables, state machines, roles, routes, what calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from functions.core.declaration import Route, Scope, Stage
from functions.core.ledger import tables as ledger
from functions.core.phases import BY_KIND
from functions.core.runtime import Patience
from functions.entry.domains import DECLARATIONS
from infra.shapes import ROOT, Access, Bucket, Function, Role, StateMachine, Weight
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

# What Lambda does in a function's name to read a table's stream.
_HEAR = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams")
# Posting to a connection and closing one (API Gateway developer guide, "Control access to a WebSocket API with IAM").
MANAGE_CONNECTIONS = "execute-api:ManageConnections"
# What page tokens and digests of previews are signed with.
_READ_SIGNING_KEY = ("secretsmanager:GetSecretValue",)
_READ = ("GetItem", "Query")
_WRITE = ("GetItem", "PutItem", "Query", "UpdateItem")
# A stage reads its operation, and writes how far it is.
_PROGRESS = Access(ledger.OPERATIONS, (*_READ, "UpdateItem"))
_BY_TAG = Access(ledger.CLUSTERS, ("Query",), ledger.BY_TAG)
_BY_HYPERPOD_CLUSTER = Access(ledger.CLUSTERS, ("Query",), ledger.BY_HYPERPOD_CLUSTER)
_BY_CLUSTER = Access(ledger.OPERATIONS, ("Query",), ledger.BY_CLUSTER)
_BY_MONTH = Access(ledger.OPERATIONS, ("Query",), ledger.BY_MONTH)
_BY_AUDIT_MONTH = Access(ledger.OPERATIONS, ("Query",), ledger.BY_AUDIT_MONTH)
_UNFINISHED = Access(ledger.OPERATIONS, ("Query",), ledger.UNFINISHED)
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

FUNCTIONS = (
    Function(
        "api",
        "functions.entry.api.handler",
        "answers the routes",
        data=(
            # A retry begins only where its cluster still is.
            Access(ledger.CLUSTERS, (*_WRITE, "ConditionCheckItem")),
            Access(ledger.OPERATIONS, _WRITE),
            Access(ledger.IDEMPOTENCY, ("GetItem", "PutItem")),
            Access(ledger.PREFERENCES, ("GetItem", "PutItem")),
            Access(ledger.TICKETS, ("PutItem",)),
            Access(ledger.CLUSTER_EVENTS, ("Query",)),
            _BY_TAG,
            _BY_CLUSTER,
            _BY_MONTH,
            _BY_AUDIT_MONTH,
        ),
        # A caller gets an answer within seconds whatever AWS does.
        patience=Patience.EDGE,
    ),
    Function(
        "catalog",
        "functions.entry.catalog.handler",
        "answers what can be had",
        # The clusters that the ledger knows are read by a Scan of an index, which holds keys alone.
        data=(
            Access(ledger.CLUSTERS, ("Scan",), ledger.BY_EKS_CLUSTER),
            Access(ledger.CLUSTERS, ("Scan",), ledger.BY_HYPERPOD_CLUSTER),
        ),
        patience=Patience.EDGE,
    ),
    # The only one that answers people and gets into clusters: what it needs for that, the others need not carry.
    Function(
        "kubernetes",
        "functions.entry.kubernetes.handler",
        "answers the routes that look into clusters",
        # It begins what has to be previewed by a look into a cluster, as `api` begins the rest.
        actions=(
            "eks:DescribeAccessEntry",
            "eks:DescribeCluster",
            "eks:ListAssociatedAccessPolicies",
            "states:StartExecution",
            "sts:AssumeRole",
        ),
        data=(
            Access(ledger.CLUSTERS, (*_READ, "UpdateItem")),
            Access(ledger.OPERATIONS, _WRITE),
            Access(ledger.IDEMPOTENCY, ("GetItem", "PutItem")),
        ),
        patience=Patience.EDGE,
        weight=Weight.KUBERNETES,
    ),
    Function(
        "operations",
        "functions.entry.operations.handler",
        "writes the beginnings and ends of operations and stages",
        timeout_seconds=60,
        data=(
            Access(ledger.CLUSTERS, (*_WRITE, "DeleteItem")),
            Access(ledger.OPERATIONS, _WRITE),
        ),
    ),
    Function(
        "events",
        "functions.entry.events.handler",
        "hears the event bus, sweeps what got lost",
        timeout_seconds=300,
        actions=(
            "states:StartExecution",
            "states:DescribeExecution",
            "states:SendTaskSuccess",
            # The bus tells that something failed, and this tells why.
            "sagemaker:DescribeClusterEvent",
        ),
        data=(
            Access(ledger.CLUSTERS, (*_WRITE, "ConditionCheckItem", "DeleteItem")),
            Access(ledger.OPERATIONS, _WRITE),
            Access(ledger.CLUSTER_EVENTS, ("PutItem",)),
            _UNFINISHED,
            Access(ledger.CLUSTERS, ("Query",), ledger.BY_LEASE_EXPIRY),
            _BY_HYPERPOD_CLUSTER,
            Access(ledger.CLUSTERS, ("Query",), ledger.BY_STACK),
        ),
    ),
    Function(
        "connections",
        "functions.entry.connections.handler",
        "answers the WebSockets",
        actions=(MANAGE_CONNECTIONS,),
        data=(
            Access(ledger.CONNECTIONS, ("DeleteItem", "GetItem", "PutItem", "UpdateItem")),
            Access(ledger.TICKETS, ("DeleteItem",)),
            Access(ledger.CLUSTERS, _READ),
            Access(ledger.OPERATIONS, _READ),
            Access(ledger.CLUSTER_EVENTS, ("Query",)),
            _BY_CLUSTER,
            _BY_MONTH,
        ),
        # A client waits for the answer to each message.
        patience=Patience.EDGE,
    ),
    Function(
        "push",
        "functions.entry.push.handler",
        "tells the WebSockets what changed",
        timeout_seconds=60,
        actions=(*_HEAR, MANAGE_CONNECTIONS),
        data=(Access(ledger.CONNECTIONS, ("DeleteItem", "Scan")), Access(ledger.OPERATIONS, ("Query",))),
    ),
    # Cognito waits five seconds, and whoever signs in waits with it.
    Function("token_claims", "functions.entry.token_claims.handler", "narrows tokens by groups", timeout_seconds=5),
    Function(
        "notifications",
        "functions.entry.notifications.handler",
        "tells the topic what people have to know",
        timeout_seconds=60,
        actions=(*_HEAR, "sagemaker:DescribeTrainingPlan", "sns:Publish"),
        data=(
            Access(ledger.NOTICES, ("GetItem", "PutItem")),
            Access(ledger.OPERATIONS, _READ),
            _BY_TAG,
            _UNFINISHED,
        ),
    ),
    Function(
        "audit",
        "functions.entry.audit.handler",
        "writes the audit of finished days to its bucket",
        timeout_seconds=300,
        actions=("s3:ListBucket", "s3:PutObject"),
        data=(_BY_AUDIT_MONTH,),
    ),
    Function(
        "stages_network",
        "functions.entry.stages_network.handler",
        "runs the network stages",
        timeout_seconds=300,
        # A compute subnet is made under a lock of its VPC.
        data=(Access(ledger.CLUSTERS, (*_READ, "DeleteItem", "UpdateItem")), _PROGRESS),
        acts_for_operations=True,
    ),
    Function(
        "stages_cluster",
        "functions.entry.stages_cluster.handler",
        "runs the cluster stages",
        timeout_seconds=300,
        # It keeps what was found, and what people were granted.
        data=(Access(ledger.CLUSTERS, (*_WRITE, "ConditionCheckItem", "DeleteItem")), _PROGRESS),
        acts_for_operations=True,
        weight=Weight.KUBERNETES,
    ),
    # The only function that writes IAM.
    Function(
        "stages_identity",
        "functions.entry.stages_identity.handler",
        "gives pods AWS roles",
        timeout_seconds=300,
        data=(Access(ledger.CLUSTERS, (*_READ, "UpdateItem")), _PROGRESS),
        acts_for_operations=True,
        weight=Weight.KUBERNETES,
    ),
    Function(
        "helm",
        "functions.entry.helm.handler",
        "administers clusters: installs charts, grants rights",
        timeout_seconds=300,
        memory_megabytes=1024,
        # It keeps what was found inside of an imported cluster.
        data=(Access(ledger.CLUSTERS, _WRITE), _PROGRESS),
        acts_for_operations=True,
        weight=Weight.HELM,
    ),
    Function(
        "stages_workloads",
        "functions.entry.stages_workloads.handler",
        "runs the stages that speak to Kubernetes",
        timeout_seconds=300,
        data=(Access(ledger.CLUSTERS, (*_READ, "UpdateItem")), _PROGRESS),
        acts_for_operations=True,
        weight=Weight.KUBERNETES,
    ),
)

MACHINES = (
    # The stage machine stores the token of its wait itself.
    StateMachine("stage", (*_RUN_FUNCTIONS, "dynamodb:UpdateItem")),
    *(StateMachine(name, (*_RUN_FUNCTIONS, *_RUN_CHILDREN)) for name in BY_KIND),
)

# What no declared route matches reaches the application too, so that it is refused with a problem body.
UNMATCHED = Route("unmatched", "ANY", "/api/{proxy+}", Scope.READ, "Refuse what no route matches", 404)

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
        """Name the functions that sign what callers carry: those that answer routes."""
        return frozenset(route.function for route in self.routes)

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
    routes=(*(route for declaration in DECLARATIONS for route in declaration.routes), UNMATCHED),
    stages=tuple(stage for declaration in DECLARATIONS for stage in declaration.stages),
    route_actions=_route_actions(),
)
