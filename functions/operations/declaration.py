"""The operations domain: following, repeating and cancelling what was begun, and the description of the API itself."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope

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
)
