"""The roles of functions in the component tests: a request's calls are judged by the policy of who answers it."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from infra.local.authorization import refused
from infra.local.authorization.guard import Guard
from infra.local.authorization.live import Live, NoWorld
from infra.local.messages import HttpRequest
from infra.release import Place
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from botocore.model import OperationModel

ACCOUNT = "123456789012"
PLACE = Place(ACCOUNT, "us-west-2")
_ACTING: list[str] = []


@cache
def guard() -> Guard:
    return Guard(TOPOLOGY, Live(PLACE, NoWorld()))


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """Judge the calls of a block, in whatever threads it makes them, by a role; a test's own calls are nobody's."""
    _ACTING.append(role)
    try:
        yield
    finally:
        _ACTING.remove(role)


def judged(model: OperationModel, params: dict[str, Any]) -> tuple[SimpleNamespace, dict[str, Any]] | None:
    """What botocore takes for the answer to a call that is denied; None where it may be made."""
    if not _ACTING:
        return None
    role, service = _ACTING[-1], str(model.service_model.signing_name)
    denial = guard().denial(role, service, _sent(params))
    if denial is None:
        return None
    principal = f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/local"
    if denial.unverified:
        return _answer(501, "UnverifiedOperation", denial.unverified)
    return _answer(403, refused.code(service), denial.message(principal))


def _answer(status: int, code: str, message: str) -> tuple[SimpleNamespace, dict[str, Any]]:
    told = {"Error": {"Code": code, "Message": message}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return SimpleNamespace(status_code=status), told


def _sent(params: dict[str, Any]) -> HttpRequest:
    url, body = urlsplit(params["url"]), params["body"]
    headers = {name.lower(): str(value) for name, value in params["headers"].items()} | {"host": url.netloc}
    text = urlencode(body) if isinstance(body, dict) else body or b""
    return HttpRequest(params["method"], url.path, url.query, headers, text.encode() if isinstance(text, str) else text)
