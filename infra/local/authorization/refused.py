"""The answer to a call that is denied, in each service's own code and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.refusals import refusal

if TYPE_CHECKING:
    from infra.local.authorization.guard import Denial
    from infra.local.messages import HttpRequest, HttpResponse

# Source: the services' lists of common errors. The rest speak JSON and call it AccessDeniedException.
_CODES: Final = {
    "cloudformation": "AccessDenied",
    "ec2": "UnauthorizedOperation",
    "iam": "AccessDenied",
    "s3": "AccessDenied",
    "sts": "AccessDenied",
}
# Services of the JSON protocols without paths answer every fault of the caller with this status.
_BAD_REQUESTS: Final = ("dynamodb", "logs", "sagemaker", "secretsmanager", "servicequotas", "states")


def code(service: str) -> str:
    """Give the code with which a service, by its signing name, refuses what is denied."""
    return _CODES.get(service, "AccessDeniedException")


def answer(denial: Denial, service: str, principal: str, request: HttpRequest) -> HttpResponse:
    """Refuse a call of a principal, by the ARN of its session."""
    if denial.unverified:
        return refusal(service, "UnverifiedOperation", f"unverified: {denial.unverified}", 501)
    message = denial.message(principal)
    if service == "ec2":
        message = f"You are not authorized to perform this operation. {message}"
    if service == "s3":
        message = message.replace(denial.asked.resource, f'"{denial.asked.resource}"', 1)
    status = 400 if service in _BAD_REQUESTS else 403
    response = refusal(service, code(service), message, status)
    if request.method == "HEAD":
        response.body = b""
    return response
