"""Error answers in a service's own wire protocol, for services that are simulated here or elsewhere or not at all."""

from __future__ import annotations

from functools import cache
from typing import Final
from xml.sax.saxutils import escape

from botocore.exceptions import UnknownServiceError

from infra.local.messages import HttpResponse
from infra.local.simulators.moto_codec import service_model
from infra.local.simulators.protocol import Protocol

# Signing names that are not botocore's name of the service.
_NAMES: Final = {"states": "stepfunctions", "monitoring": "cloudwatch", "elasticloadbalancing": "elbv2"}
_XML: Final = {
    "ec2": "<Response><Errors><Error>{error}</Error></Errors><RequestID>local</RequestID></Response>",
    "rest-xml": "<Error>{error}<RequestId>local</RequestId></Error>",
}


def refusal(service: str, code: str, message: str, status: int) -> HttpResponse:
    """Give an error answer that the service's clients can read; JSON for a service that botocore does not know."""
    name = _NAMES.get(service, service)
    protocol = _protocol_of(name)
    if protocol is None:
        return HttpResponse.of_json(status, {"__type": code, "message": message}, "application/x-amz-json-1.1")
    shape = _XML.get(protocol)
    if shape is None:
        return Protocol(name).error(code, message, status, {})
    body = shape.format(error=f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>")
    return HttpResponse(status, {"content-type": "text/xml"}, body.encode())


@cache
def _protocol_of(service: str) -> str | None:
    try:
        return str(service_model(service).protocol)
    except UnknownServiceError:
        return None
