"""EC2's lists of instance types: moto gives them whole, EC2 in pages.

DescribeInstanceTypes gives at most 100 a page and DescribeInstanceTypeOfferings 1,000, and a request has at most 200
values of filters (Amazon EC2 API reference, both operations and "Pagination"; user guide, "List and filter").
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, Protocol

from moto.core.responses import ActionResult

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto

FILTER_VALUES: Final = 200
_SMALLEST: Final = 5
_LISTS: Final = (
    ("describe_instance_types", "InstanceTypes", 100),
    ("describe_instance_type_offerings", "InstanceTypeOfferings", 1_000),
)


class _Request(Protocol):
    def _get_param(self, name: str) -> str | int | None: ...

    def _filters_from_querystring(self) -> dict[str, list[str]]: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    responses = import_module("moto.ec2.responses.instances").InstanceResponse
    for operation, member, largest in _LISTS:
        if getattr(responses, operation).__module__ != __name__:
            wrap(responses, operation, _paged(member, largest))


def _paged(member: str, largest: int) -> Callable[[Callable[..., object]], Callable[..., object]]:
    def around(describe: Callable[..., object]) -> Callable[..., object]:
        def page(self: _Request) -> object:
            _refuse_many_values(self._filters_from_querystring())
            start, size = _start(self._get_param("NextToken")), _size(self._get_param("MaxResults"), largest)
            answer = describe(self)
            if not isinstance(answer, ActionResult) or not isinstance(answer.result, dict):
                return answer
            items, end = answer.result[member], start + size
            following = {"NextToken": f"page-{end}"} if end < len(items) else {}
            return ActionResult({member: items[start:end], **following})

        return page

    return around


def _start(token: str | int | None) -> int:
    if token is None:
        return 0
    word, _, number = str(token).partition("-")
    if word != "page" or not number.isdigit():
        raise _refusal("InvalidParameterValue", f"The token '{token}' is invalid")
    return int(number)


def _size(asked: str | int | None, largest: int) -> int:
    if asked is None:
        return largest
    if not _SMALLEST <= int(asked) <= largest:
        message = f"Value ( {asked} ) for parameter maxResults is invalid. Expecting a value between {_SMALLEST} and"
        raise _refusal("InvalidParameterValue", f"{message} {largest}.")
    return int(asked)


def _refuse_many_values(filters: dict[str, list[str]]) -> None:
    if sum(map(len, (filters or {}).values())) > FILTER_VALUES:
        message = f"The maximum number of filter values specified on a single call is {FILTER_VALUES}"
        raise _refusal("FilterLimitExceeded", message)


def _refusal(code: str, message: str) -> Exception:
    error: Exception = import_module("moto.ec2.exceptions").EC2ClientError(code, message)
    return error
