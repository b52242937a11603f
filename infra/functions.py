"""The Lambda functions of a deployment: what each is for, its limits, what it does besides its stages and routes."""

from __future__ import annotations

from functions.core.ledger import tables as ledger
from functions.core.runtime import Patience
from infra.shapes import Access, Function, Weight

# What Lambda does in a function's name to read a table's stream.
_HEAR = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams")
# Posting to a connection and closing one (API Gateway developer guide, "Control access to a WebSocket API with IAM").
MANAGE_CONNECTIONS = "execute-api:ManageConnections"
# Calling an HTTP API that is signed with IAM (API Gateway developer guide, "Control access to HTTP APIs with IAM").
INVOKE_API = "execute-api:Invoke"
_READ = ("GetItem", "Query")
_WRITE = ("GetItem", "PutItem", "Query", "UpdateItem")
# A stage reads its operation with all stages, and writes how far it is.
_PROGRESS = Access(ledger.OPERATIONS, ("Query", "UpdateItem"))
# It reads its cluster and renews its lease.
_OF_CLUSTER = ("GetItem", "UpdateItem")
_BY_TAG = Access(ledger.CLUSTERS, ("Query",), ledger.BY_TAG)
_BY_HYPERPOD_CLUSTER = Access(ledger.CLUSTERS, ("Query",), ledger.BY_HYPERPOD_CLUSTER)
_BY_CLUSTER = Access(ledger.OPERATIONS, ("Query",), ledger.BY_CLUSTER)
_BY_MONTH = Access(ledger.OPERATIONS, ("Query",), ledger.BY_MONTH)
_BY_AUDIT_MONTH = Access(ledger.OPERATIONS, ("Query",), ledger.BY_AUDIT_MONTH)
_UNFINISHED = Access(ledger.OPERATIONS, ("Query",), ledger.UNFINISHED)

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
        signs=True,
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
        signs=True,
    ),
    # What is wrong with a cluster is asked by whoever may read: this function's role can change nothing at all.
    Function(
        "diagnostics",
        "functions.entry.diagnostics.handler",
        "answers what keeps a cluster from working",
        data=(Access(ledger.CLUSTERS, ("Query",)), Access(ledger.OPERATIONS, ("Query",)), _BY_CLUSTER),
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
            Access(ledger.OPERATIONS, ("PutItem", "Query")),
            Access(ledger.IDEMPOTENCY, ("GetItem", "PutItem")),
            _BY_CLUSTER,
        ),
        patience=Patience.EDGE,
        signs=True,
        weight=Weight.KUBERNETES,
    ),
    # Its caller's word is all that it passes on: it has no rights but to call the API.
    Function(
        "mcp",
        "mcp_gateway.handler.handler",
        "speaks to agents",
        actions=(INVOKE_API,),
        patience=Patience.EDGE,
        weight=Weight.AGENTS,
        # The SDK alone takes longer to import than all that other functions do (`make bench`).
        snapshot=True,
    ),
    Function(
        "operations",
        "functions.entry.operations.handler",
        "writes the beginnings and ends of operations and stages",
        timeout_seconds=60,
        data=(
            Access(ledger.CLUSTERS, ("DeleteItem", "PutItem", "Query", "UpdateItem")),
            Access(ledger.OPERATIONS, (*_READ, "UpdateItem")),
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
            Access(ledger.OPERATIONS, (*_READ, "UpdateItem")),
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
            Access(ledger.OPERATIONS, ("Query",)),
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
        data=(Access(ledger.CLUSTERS, (*_OF_CLUSTER, "DeleteItem")), _PROGRESS),
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
        data=(Access(ledger.CLUSTERS, _OF_CLUSTER), _PROGRESS),
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
        data=(Access(ledger.CLUSTERS, _OF_CLUSTER), _PROGRESS),
        acts_for_operations=True,
        weight=Weight.KUBERNETES,
    ),
)
