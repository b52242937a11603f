"""One real event for each function, of the kind that calls it: what gateways, schedules, streams and machines send."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final

from pydantic import JsonValue

from infra.local.gateway import HttpGateway, local_authorizer
from infra.local.messages import HttpRequest
from infra.topology import TOPOLOGY
from tests.infrastructure.isolation import PLACE

Event = dict[str, JsonValue]

OPERATION: Final = "op-0000000000000001"
BEGIN: Final[Event] = {"action": "begin_operation", "operation_id": OPERATION}
STREAMED: Final[Event] = {
    "Records": [
        {
            "eventID": "1",
            "eventName": "MODIFY",
            "eventVersion": "1.1",
            "eventSource": "aws:dynamodb",
            "awsRegion": PLACE.region,
            "dynamodb": {
                "ApproximateCreationDateTime": 1_767_258_000,
                "Keys": {"operation_id": {"S": OPERATION}, "record": {"S": "operation"}},
                "NewImage": {"operation_id": {"S": OPERATION}, "record": {"S": "operation"}},
                "SequenceNumber": "100000000000000000001",
                "SizeBytes": 100,
                "StreamViewType": "NEW_IMAGE",
            },
            "eventSourceARN": PLACE.arn("dynamodb", "table/instantstart-operations/stream/2026-01-01T09:00:00.000"),
        }
    ]
}
CONNECT: Final[Event] = {
    "headers": {"Host": "example.com"},
    "queryStringParameters": {"ticket": "none"},
    "requestContext": {
        "routeKey": "$connect",
        "eventType": "CONNECT",
        "connectionId": "L0SM9cOFvHcCIhw=",
        "requestId": "JKJaXmPLvHcESHA=",
        "stage": "live",
        "apiId": "instantstart",
    },
    "isBase64Encoded": False,
}
SIGNED_IN: Final[Event] = {
    "version": "2",
    "triggerSource": "TokenGeneration_HostedAuth",
    "region": PLACE.region,
    "userPoolId": f"{PLACE.region}_example",
    "userName": "ann",
    "callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": "console"},
    "request": {
        "userAttributes": {"sub": "5b1e6f0a", "email": "ann@example.com"},
        "scopes": ["openid", "instantstart/read", "instantstart/admin"],
        "groupConfiguration": {
            "groupsToOverride": ["instantstart-readers"],
            "iamRolesToOverride": [],
            "preferredRole": None,
        },
    },
    "response": {"claimsAndScopeOverrideDetails": None},
}


def scheduled(function: str) -> Event:
    """Give what the function's schedule sends."""
    payload = next(each.payload for each in TOPOLOGY.schedules if each.function == function)
    return {"source": "schedule", "action": payload}


def turn(function: str) -> Event:
    """Give what the `stage` machine sends to the function of one of its stages."""
    stage = next(each.kind for each in TOPOLOGY.stages if each.function == function)
    return {"action": "apply", "operation_id": OPERATION, "stage": stage, "attempt": 1, "reapplied": 0}


def requested(function: str, method: str, path: str) -> Event:
    """Give what the HTTP API sends to a function for a request of a signed-in caller."""
    return _sent(HttpRequest(method, path, "", {}, b""))[function]


def _sent(request: HttpRequest) -> dict[str, Event]:
    sent: dict[str, Event] = {}

    def invoke(answering: str, event: Event) -> JsonValue:
        sent[answering] = event
        return {"statusCode": 200}

    gateway = HttpGateway(TOPOLOGY.routes, invoke, lambda: datetime.now(UTC), PLACE.account, PLACE.region)
    gateway.handle(request, "127.0.0.1", local_authorizer)
    return sent


def called_tool(name: str) -> Event:
    """Give what the public API sends when an agent calls a tool, in the newest revision of MCP."""
    revision = "2026-07-28"
    meta: JsonValue = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body: JsonValue = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": {}, "_meta": meta},
    }
    headers = {
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": revision,
        "mcp-method": "tools/call",
        "mcp-name": name,
    }
    return _sent(HttpRequest("POST", "/mcp", "", headers, json.dumps(body).encode()))["mcp"]


CALLED_TOOL: Final = called_tool("cluster_list")
