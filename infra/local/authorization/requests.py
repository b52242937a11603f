"""Everything that IAM is asked for a call: its own action, those of its parts, and those that go along with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from infra.local.authorization import (
    of_cloudformation,
    of_dynamodb,
    of_ec2,
    of_eks,
    of_iam,
    of_s3,
    of_sagemaker,
)
from infra.local.authorization.asking import Unknown
from infra.local.authorization.of_others import OTHERS, Asking, awaiting
from infra.privilege import authorization

if TYPE_CHECKING:
    from infra.local.authorization.evaluation import Asked
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_ASKING: Final[Mapping[str, Asking]] = {
    **OTHERS,
    "cloudformation": of_cloudformation.asked,
    "dynamodb": of_dynamodb.asked,
    "ec2": of_ec2.asked,
    "eks": of_eks.asked,
    "iam": of_iam.asked,
    "s3": of_s3.asked,
    "sagemaker": of_sagemaker.asked,
}
# Keys of resources, which the reference lists with these and not with actions.
_ANYWHERE: Final = ("aws:resourcetag/", "iam:resourcetag/")


def asked(call: Call, live: Live, *, by_machine: bool = False) -> list[Asked]:
    """Say what is asked of IAM for a call, a state machine's own calls among them; raises asking.Unknown.

    Only context keys that AWS documents for the action, or for the type of the resource, are in it.
    """
    if call.service not in _ASKING:
        raise Unknown(f"{call.service} {call.operation}")
    found = [*_ASKING[call.service](call, live)]
    if by_machine and call.operation == "StartExecution":
        found += awaiting(call.text("stateMachineArn"), live)
    return [_documented(each) for each in found]


def _documented(asked: Asked) -> Asked:
    known = authorization.load().actions.get(asked.action)
    if known is None:
        return replace(asked, context={})
    kinds = [kind for kind in known.resource_types if known_for(kind, asked.resource)]
    keys = {key.lower() for key in (*known.condition_keys, *(key for kind in kinds for key in kind.condition_keys))}
    return replace(asked, context={key: value for key, value in asked.context.items() if _is_known(key.lower(), keys)})


def known_for(kind: authorization.ResourceType, resource: str) -> bool:
    """Say whether a resource is of a type."""
    return authorization.Action("", "", (kind,), (), ()).is_for(resource)


def _is_known(key: str, documented: set[str]) -> bool:
    if key.startswith(_ANYWHERE):
        return True
    name, slash, _ = key.partition("/")
    return (f"{name}/${{tagkey}}" if slash else key) in documented


def services() -> Sequence[str]:
    """List the services of which it is known what IAM is asked, by their signing names."""
    return sorted(_ASKING)
