"""Errors of the Kubernetes API, each a `Status` body.

StatusError
├── BadRequest            400  the request cannot be read
├── Unauthorized          401  no known identity behind the token
├── NotFound              404  object or resource does not exist
├── MethodNotAllowed      405  the resource does not support the verb
├── NotAcceptable         406  no format the client accepts
├── AlreadyExists         409  create of an existing name
├── Conflict              409  stale resourceVersion or failed precondition
├── Expired               410  the history asked for is gone
├── UnsupportedMediaType  415  body in a format that is not accepted
└── Invalid               422  the object or patch breaks a rule
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from infra.local.kubernetes.documents import JsonObject

JSON_BODIES = ("application/json", "application/yaml")


@dataclass(frozen=True)
class Cause:
    """One broken field: `reason` is the API's enum, e.g. FieldValueRequired."""

    reason: str
    field: str
    message: str


class StatusError(Exception):
    """Raised when a request ends in a failure `Status`; the subclasses say which."""

    code = 500
    reason = "InternalError"

    def __init__(self, message: str, details: JsonObject | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def body(self) -> JsonObject:
        """The `Status` document clients receive."""
        status: JsonObject = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": self.message,
            "reason": self.reason,
            "code": self.code,
        }
        return status if self.details is None else {**status, "details": self.details}


class BadRequest(StatusError):
    """Raised when a request cannot be read."""

    code, reason = 400, "BadRequest"


class Unauthorized(StatusError):
    """Raised when no identity stands behind the token."""

    code, reason = 401, "Unauthorized"

    def __init__(self) -> None:
        super().__init__("Unauthorized")


class NotFound(StatusError):
    """Raised when an object, or with no arguments a resource, does not exist."""

    code, reason = 404, "NotFound"

    def __init__(self, plural: str = "", name: str = "", group: str = "") -> None:
        if not plural:
            super().__init__("the server could not find the requested resource", {})
            return
        super().__init__(f'{qualified(plural, group)} "{name}" not found', _details(name, group, plural))


class MethodNotAllowed(StatusError):
    """Raised when a resource does not support the verb."""

    code, reason = 405, "MethodNotAllowed"

    def __init__(self) -> None:
        super().__init__("the server does not allow this method on the requested resource", {})


class NotAcceptable(StatusError):
    """Raised when the client accepts none of the formats served."""

    code, reason = 406, "NotAcceptable"

    def __init__(self) -> None:
        super().__init__(f"only the following media types are accepted: {', '.join(JSON_BODIES)}")


class AlreadyExists(StatusError):
    """Raised when an object of that name exists."""

    code, reason = 409, "AlreadyExists"

    def __init__(self, plural: str, name: str, group: str = "") -> None:
        super().__init__(f'{qualified(plural, group)} "{name}" already exists', _details(name, group, plural))


class Conflict(StatusError):
    """Raised when a resourceVersion is stale or a precondition fails."""

    code, reason = 409, "Conflict"

    def __init__(self, plural: str, name: str, group: str = "", why: str = "") -> None:
        why = why or "the object has been modified; please apply your changes to the latest version and try again"
        message = f'Operation cannot be fulfilled on {qualified(plural, group)} "{name}": {why}'
        super().__init__(message, _details(name, group, plural))


class Expired(StatusError):
    """Raised when the changes after a resourceVersion are no longer known."""

    code, reason = 410, "Expired"

    def __init__(self, asked: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {asked} ({oldest})")


class UnsupportedMediaType(StatusError):
    """Raised when a body is in a format that is not accepted."""

    code, reason = 415, "UnsupportedMediaType"

    def __init__(self, accepted: Sequence[str] = JSON_BODIES) -> None:
        listed = ", ".join(accepted)
        super().__init__(f"the body of the request was in an unknown format - accepted media types include: {listed}")


class Invalid(StatusError):
    """Raised when an object breaks a rule; lists each broken field."""

    code, reason = 422, "Invalid"

    def __init__(self, kind: str, name: str, group: str, causes: Sequence[Cause]) -> None:
        found = [f"{cause.field}: {cause.message}" for cause in causes]
        listed = found[0] if len(found) == 1 else f"[{', '.join(found)}]"
        listed_causes = [{"reason": c.reason, "message": c.message, "field": c.field} for c in causes]
        details: JsonObject = {**_details(name, group, kind), "causes": listed_causes}
        super().__init__(f'{qualified(kind, group)} "{name}" is invalid: {listed}', details)


def qualified(plural: str, group: str) -> str:
    """A resource or kind as messages name it: `deployments.apps`, and plain `pods` for the core group."""
    return f"{plural}.{group}" if group else plural


def _details(name: str, group: str, kind: str) -> JsonObject:
    details: JsonObject = {"name": name, "kind": kind}
    return {**details, "group": group} if group else details
