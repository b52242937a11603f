"""Every error a caller can meet, as one tree; each class is one wire code and one status.

Problem
├── InvalidRequest        400 invalid_request      a field is malformed, unknown or impossible
│   └── InvalidPageToken  400 invalid_page_token   the token is not of this query, caller or deployment
├── Unauthenticated       401 unauthenticated
├── Forbidden             403 forbidden            the caller's scopes do not allow the route
├── NotFound              404 not_found
├── MethodNotAllowed      405 method_not_allowed   the path exists, and not for this method
├── Conflict              409 conflict             the state of the resource refuses the request
│   ├── AlreadyExists     409 already_exists
│   ├── OperationInProgress 409 operation_in_progress  another operation holds the scope
│   ├── Busy              409 busy                 AWS is changing the resource and refuses another change meanwhile
│   ├── Blocked           409 blocked              what others made stands in the way; `errors` names it
│   ├── PreconditionFailed  409 precondition_failed  an earlier stage has to be done first
│   ├── QuotaExceeded     409 quota_exceeded       an AWS quota refuses it
│   ├── ConfirmationRequired  409 confirmation_required  it destroys something and is not confirmed
│   └── PreviewOutdated   409 preview_outdated     what was confirmed is not what would happen now
├── IdempotencyKeyReused  422 idempotency_key_reused
├── Throttled             429 throttled
├── StageFailed           500 stage_failed         a stage met a fault of AWS or Kubernetes
├── OperationLost         500 operation_lost       the execution ended without a final record
├── DeploymentFault       500 deployment_fault     this deployment is incomplete or broken
│   └── ArtifactMissing   500 template_artifact_missing
└── Unavailable           503 unavailable          a dependency did not answer

The body is RFC 9457 (application/problem+json) with our members; the same object is an operation's `error`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from collections.abc import Sequence


class Layer(StrEnum):
    """Where the first cause of a problem lies."""

    CALLER = "caller"
    CONTROL_PLANE = "control_plane"
    AWS = "aws"
    HYPERPOD = "hyperpod"
    KUBERNETES = "kubernetes"


class FieldError(BaseModel):
    """One field of the request that is wrong, or one thing that stands in its way, and what would be right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    field: str
    message: str
    allowed: list[str] | None = None
    remedy: str | None = None


class Cause(BaseModel):
    """The first real cause: who refused which call on what."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layer: Layer
    service: str | None = None
    api_call: str | None = None
    code: str | None = None
    resource: str | None = None
    request_id: str | None = None


class ProblemBody(BaseModel):
    """The RFC 9457 body of every error answer and of a failed operation's `error`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    errors: list[FieldError] = []
    cause: Cause | None = None
    remedy: str | None = None
    retryable: bool = False
    operation_id: str | None = None
    request_id: str | None = None


class Problem(Exception):
    """Base of the tree; raised with a detail that names the resource, the cause and the remedy."""

    status = 500
    code = "internal"
    title = "Internal error"
    # Whether the same call may succeed unchanged, without anybody's doing.
    retryable = False

    def __init__(
        self,
        detail: str,
        *,
        errors: list[FieldError] | None = None,
        cause: Cause | None = None,
        remedy: str | None = None,
        retryable: bool | None = None,
        operation_id: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors or []
        self.cause = cause
        self.remedy = remedy
        self.operation_id = operation_id
        if retryable is not None:
            self.retryable = retryable

    def body(self, request_id: str | None = None) -> ProblemBody:
        """Give the wire form of the problem."""
        return ProblemBody(
            title=self.title,
            status=self.status,
            code=self.code,
            detail=self.detail,
            errors=self.errors,
            cause=self.cause,
            remedy=self.remedy,
            retryable=self.retryable,
            operation_id=self.operation_id,
            request_id=request_id,
        )


class InvalidRequest(Problem):
    """A field of the request is malformed, unknown or impossible."""

    status, code, title = 400, "invalid_request", "Invalid request"


class InvalidPageToken(InvalidRequest):
    """The page token was not made by this deployment for this query and caller."""

    code, title = "invalid_page_token", "Invalid page token"


class Unauthenticated(Problem):
    """The request carries no verified caller."""

    status, code, title = 401, "unauthenticated", "Not authenticated"


class Forbidden(Problem):
    """The caller's scopes do not allow the route."""

    status, code, title = 403, "forbidden", "Forbidden"


class NotFound(Problem):
    """The named resource does not exist."""

    status, code, title = 404, "not_found", "Not found"


class MethodNotAllowed(Problem):
    """The path exists, and not for this method."""

    status, code, title = 405, "method_not_allowed", "Method not allowed"

    def __init__(self, method: str, path: str, allowed: Sequence[str]) -> None:
        super().__init__(f"{path} does not take {method}; it takes {', '.join(allowed)}.")
        self.allowed = list(allowed)


class Conflict(Problem):
    """The state of the resource refuses the request."""

    status, code, title = 409, "conflict", "Conflict"


class AlreadyExists(Conflict):
    """A resource of that name exists."""

    code, title = "already_exists", "Already exists"


class OperationInProgress(Conflict):
    """Another operation holds the scope."""

    code, title, retryable = "operation_in_progress", "Operation in progress", True


class Busy(Conflict):
    """AWS is changing the resource and refuses another change meanwhile."""

    code, title, retryable = "busy", "Busy", True


class Blocked(Conflict):
    """What others made stands in the way; `errors` names each thing, whose it is and how it goes."""

    code, title = "blocked", "Blocked"


class PreconditionFailed(Conflict):
    """Something else has to be done first."""

    code, title = "precondition_failed", "Precondition failed"


class QuotaExceeded(Conflict):
    """An AWS quota refuses the request."""

    code, title = "quota_exceeded", "Quota exceeded"


class ConfirmationRequired(Conflict):
    """The request destroys something, and nobody has confirmed what."""

    code, title = "confirmation_required", "Confirmation required"


class PreviewOutdated(Conflict):
    """What was previewed and confirmed is not what would happen now."""

    code, title = "preview_outdated", "Preview outdated"


class IdempotencyKeyReused(Problem):
    """The idempotency key was used with another body."""

    status, code, title = 422, "idempotency_key_reused", "Idempotency key reused"


class Throttled(Problem):
    """Too many requests."""

    status, code, title, retryable = 429, "throttled", "Too many requests", True


class StageFailed(Problem):
    """A stage of an operation met a fault of AWS or Kubernetes."""

    code, title = "stage_failed", "Stage failed"


class OperationLost(Problem):
    """The execution of an operation ended without writing its final record."""

    code, title, retryable = "operation_lost", "Operation lost", True


class DeploymentFault(Problem):
    """This deployment is incomplete or broken; nothing the caller sends can help."""

    code, title = "deployment_fault", "Deployment fault"


class ArtifactMissing(DeploymentFault):
    """An artifact that the release ships is not in the artifact bucket."""

    code, title = "template_artifact_missing", "Template artifact missing"


class Unavailable(Problem):
    """A dependency did not answer in time."""

    status, code, title, retryable = 503, "unavailable", "Service unavailable", True
