"""The connections domain: WebSockets on which callers watch operations and clusters instead of asking again."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope

DECLARATION = Declaration(
    domain="connections",
    routes=(Route("create_ticket", "POST", "/api/tickets", Scope.READ, "Get a ticket for one WebSocket", 201),),
)
