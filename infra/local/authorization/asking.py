"""What the modules of the services share: the context keys of tags, and the roles that are passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live


class Unknown(Exception):
    """An operation of which nothing here says what IAM is asked for it."""


def tags_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Give tags that are written as keys and values."""
    return {str(row["Key"]): str(row.get("Value", "")) for row in rows}


def to_be_tagged(tags: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Give the context keys of tags that a request sends; none where it sends none."""
    keys: dict[str, Sequence[str]] = {f"aws:RequestTag/{key}": (value,) for key, value in tags.items()}
    return keys | ({"aws:TagKeys": tuple(tags)} if tags else {})


def tagged(tags: Mapping[str, str], prefix: str = "aws") -> dict[str, Sequence[str]]:
    """Give the context keys of tags that a resource has."""
    return {f"{prefix}:ResourceTag/{key}": (value,) for key, value in tags.items()}


def passing(arns: Iterable[object], service: str) -> Iterator[Asked]:
    """Ask to pass roles to a service, each once; what was not sent is not passed."""
    for arn in sorted({str(each) for each in arns if each}):
        yield Asked("iam:PassRole", arn, {"iam:PassedToService": (f"{service}.amazonaws.com",)})


def service_role(live: Live, service: str, name: str) -> Asked:
    """Ask to make the role that a service works with."""
    role = live.place.arn("iam", f"role/aws-service-role/{service}/{name}", region=False)
    return Asked("iam:CreateServiceLinkedRole", role, {"iam:AWSServiceName": (service,)})
