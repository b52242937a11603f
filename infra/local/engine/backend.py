"""moto's backends behind plain HTTP messages, in process and without its global patches."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from importlib import import_module
from typing import Protocol
from urllib.parse import quote

from botocore.awsrequest import AWSPreparedRequest
from botocore.compat import HTTPHeaders
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.config import default_user_config

from infra.local.engine.patching import replace_global, wrap
from infra.local.engine.version import require_pinned_moto
from infra.local.messages import HttpRequest, HttpResponse

# What local-aws.md measured as good enough, by signing name; everything else is refused.
SERVICES = frozenset({"dynamodb", "ec2", "elasticloadbalancing", "iam", "logs", "s3", "secretsmanager", "states"})
_HOSTS = {"iam": "iam.amazonaws.com"}


class MotoEngine:
    """Answers the services that moto simulates well."""

    def __init__(self) -> None:
        require_pinned_moto()
        _load_what_is_needed()
        self._stubber = BotocoreStubber()
        self._turnstile = Turnstile()

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
        # Step Functions keeps its executions to itself, and a call to it may last.
        with nullcontext() if service == "states" else self._turnstile.passed():
            answer = self._stubber.process_request(prepared)
        if answer is None:
            raise LookupError(f"moto matches no backend for {prepared.url}")
        status, headers, body = answer
        content = body.encode() if isinstance(body, str) else body
        return HttpResponse(int(status), {str(k).lower(): str(v) for k, v in headers.items()}, bytes(content))

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Let no call change anything while a block runs."""
        with self._turnstile.closed():
            yield

    def _url(self, request: HttpRequest, service: str, region: str) -> str:
        host = request.headers.get("host", "").partition(":")[0]
        if not host.endswith(".amazonaws.com"):
            # An outside client may put an S3 bucket before the name of this endpoint.
            bucket = host.removesuffix(".localhost").removesuffix(".s3") if host.endswith(".localhost") else ""
            name = _HOSTS.get(service, f"{service}.{region}.amazonaws.com")
            host = f"{bucket}.{name}" if bucket and service == "s3" else name
        query = f"?{request.query}" if request.query else ""
        return f"https://{host}{quote(request.path, safe='/~')}{query}"


class Turnstile:
    """Lets calls pass side by side, and none but its closer's while it is closed; closes once those inside are through.

    Whoever closes it brings the world up to the clock meanwhile, and a stack that moves on calls the engine.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._closed = False
        self._closer: int | None = None

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Pass, as soon as it is open."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed or self._closer == threading.get_ident())
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Keep it closed while a block runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closed)
            self._closed, self._closer = True, threading.get_ident()
            self._changed.wait_for(lambda: not self._inside)
        try:
            yield
        finally:
            with self._changed:
                self._closed, self._closer = False, None
                self._changed.notify_all()


def _load_what_is_needed() -> None:
    # Foundation stacks attach AWS's managed policies; moto loads them only when asked, and then for every partition.
    default_user_config["iam"] = {"load_aws_managed_policies": True}
    backend = import_module("moto.iam.models").IAMBackend
    if not hasattr(backend._init_aws_policies, "one_partition"):
        wrap(backend, "_init_aws_policies", _of_one_partition)
    # Nothing here starts instances from images, and moto makes up 1,300 of them.
    os.environ["MOTO_EC2_LOAD_DEFAULT_AMIS"] = "false"
    # It keeps every object of a model that was ever made.
    import_module("moto.core.common_models").BaseModel.__new__ = staticmethod(_made)
    method_names = import_module("moto.core.utils").method_names_from_class
    replace_global(import_module("moto.core.responses"), "method_names_from_class", lru_cache(method_names))


def _made(cls: type, *_: object, **__: object) -> object:
    return object.__new__(cls)


class _Iam(Protocol):
    partition: str


def _of_one_partition(load: Callable[..., object]) -> Callable[..., object]:
    def policies(self: _Iam) -> object:
        return load(self) if self.partition == "aws" else []

    vars(policies)["one_partition"] = True
    return policies


def _headers(request: HttpRequest) -> HTTPHeaders:
    headers = HTTPHeaders()
    for name, value in request.headers.items():
        headers[name] = value
    return headers
