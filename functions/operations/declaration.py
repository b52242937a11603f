"""The operations domain: following, repeating and cancelling what was begun, and the description of the API itself."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Tool

DECLARATION = Declaration(
    domain="operations",
    routes=(
        Route("list_operations", "GET", "/api/operations", Scope.READ, "List the operations, newest first"),
        Route(
            "get_operation",
            "GET",
            "/api/operations/{operation_id}",
            Scope.READ,
            "Read an operation, at once or when it has ended",
        ),
        Route(
            "get_operation_audit",
            "GET",
            "/api/operations/{operation_id}/audit",
            Scope.READ,
            "Read who did what to an operation",
        ),
        Route(
            "retry_operation",
            "POST",
            "/api/operations/{operation_id}/retry",
            Scope.OPERATE,
            "Repeat a failed operation from where it stopped",
            202,
        ),
        Route(
            "cancel_operation",
            "POST",
            "/api/operations/{operation_id}/cancel",
            Scope.OPERATE,
            "Cancel an operation between two turns",
            202,
        ),
        Route("get_openapi", "GET", "/api/openapi.json", Scope.READ, "Read this API's OpenAPI document"),
    ),
    route_actions=("states:SendTaskSuccess", "states:StartExecution"),
    tools=(
        Tool(
            "operation_list",
            "list_operations",
            "List operations",
            "List what was begun, newest first; filter by cluster, status or kind.",
        ),
        Tool(
            "operation_get",
            "get_operation",
            "Read an operation",
            "Read how far an operation is. It is done only when its status is SUCCEEDED, FAILED or CANCELLED.",
            sends={"wait": 0},
        ),
        Tool(
            "operation_wait",
            "get_operation",
            "Wait for an operation",
            "Wait up to 20 seconds for an operation to end, then read it. Call it again until it has ended.",
            sends={"wait": 20},
        ),
        Tool(
            "operation_audit_get",
            "get_operation_audit",
            "Read an operation's audit",
            "Read who did what to an operation.",
            additional=True,
        ),
        Tool(
            "operation_retry",
            "retry_operation",
            "Retry an operation",
            "Repeat a failed or cancelled operation from where it stopped, after its cause was removed.",
        ),
        Tool(
            "operation_cancel",
            "cancel_operation",
            "Cancel an operation",
            "Ask a running operation to stop after its present step. What it made stays.",
        ),
    ),
)
