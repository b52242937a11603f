"""What the audit domain adds to the product: who did what, to read and as files of days."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Tool

DECLARATION = Declaration(
    domain="audit",
    routes=(Route("list_audit", "GET", "/api/audit", Scope.ADMIN, "List who did what, newest first"),),
    tools=(
        Tool(
            "audit_list",
            "list_audit",
            "List the audit",
            "List who did what, newest first.",
            additional=True,
        ),
    ),
)
