"""moto's backends behind plain HTTP messages, in process and without its global patches."""

from __future__ import annotations

from urllib.parse import quote

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.config import default_user_config

from infra.local.engine.version import require_pinned_moto
from infra.local.messages import HttpRequest, HttpResponse

# What local-aws.md measured as good enough, by signing name; everything else is refused.
SERVICES = frozenset({"dynamodb", "ec2", "iam", "s3", "states", "logs"})
_HOSTS = {"iam": "iam.amazonaws.com"}


class MotoEngine:
    """Answers the services that moto simulates well."""

    def __init__(self) -> None:
        require_pinned_moto()
        # Foundation stacks attach AWS's managed policies; moto loads them only when asked.
        default_user_config["iam"] = {"load_aws_managed_policies": True}
        self._stubber = BotocoreStubber()

    def serves(self, service: str) -> bool:
        """Say whether moto answers for a service."""
        return service in SERVICES

    def handle(self, request: HttpRequest, service: str, region: str) -> HttpResponse:
        """Answer one request."""
        prepared = AWSPreparedRequest(
            method=request.method,
            url=self._url(request, service, region),
            headers=_headers(request),
            body=request.body,
            stream_output=False,
        )
        answer = self._stubber.process_request(prepared)
        if answer is None:
            raise LookupError(f"moto matches no backend for {prepared.url}")
        status, headers, body = answer
        content = body.encode() if isinstance(body, str) else body
        return HttpResponse(int(status), {str(k).lower(): str(v) for k, v in headers.items()}, bytes(content))

    def _url(self, request: HttpRequest, service: str, region: str) -> str:
        host = request.headers.get("host", "")
        if not host.endswith(".amazonaws.com"):
            host = _HOSTS.get(service, f"{service}.{region}.amazonaws.com")
        query = f"?{request.query}" if request.query else ""
        return f"https://{host}{quote(request.path, safe='/~')}{query}"


def _headers(request: HttpRequest) -> HTTPHeaders:
    headers = HTTPHeaders()
    for name, value in request.headers.items():
        headers[name] = value
    return headers
