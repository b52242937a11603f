"""Whom a role's trust policy lets assume it: principals of AWS, by account, ARN and the conditions on the ARN.

Source: IAM user guide, "AWS JSON policy elements: Principal" and "aws:PrincipalArn".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from infra.local.simulators.service import unverified

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.local.simulators.service import JsonObject, Principal

ACTION: Final = "sts:AssumeRole"
_KNOWN_MEMBERS: Final = frozenset({"Sid", "Effect", "Principal", "Action", "Condition"})
_PRINCIPAL_ARN: Final = "aws:principalarn"


def admits(document: JsonObject, caller: Principal) -> bool:
    """Whether a trust policy lets a caller in; what IAM knows and this does not is refused."""
    statements = document["Statement"]
    applying = [
        statement["Effect"]
        for statement in (statements if isinstance(statements, list) else [statements])
        if _applies(statement, caller)
    ]
    return bool(applying) and "Deny" not in applying


def _applies(statement: JsonObject, caller: Principal) -> bool:
    if strange := statement.keys() - _KNOWN_MEMBERS:
        raise unverified(f"a trust statement with {', '.join(sorted(strange))}")
    acts = any(_like(each.lower(), ACTION.lower()) for each in _listed(statement["Action"]))
    return acts and _names(statement["Principal"], caller) and _holds(statement.get("Condition", {}), caller)


def _names(principal: Any, caller: Principal) -> bool:  # noqa: ANN401 - a document's part
    if principal == "*":
        return True
    whole_account = (f"arn:aws:iam::{caller.account_id}:root", caller.account_id, "*")
    named = _listed(principal.get("AWS"))
    return any(each in (*whole_account, caller.arn, _principal_arn(caller)) for each in named)


def _principal_arn(caller: Principal) -> str:
    """The ARN by which conditions know a caller: a session's role, anybody else himself."""
    return caller.role_arn or caller.arn


def _holds(condition: JsonObject, caller: Principal) -> bool:
    compare: dict[str, Callable[[str, str], bool]] = {
        "StringEquals": str.__eq__,
        "StringLike": _like,
        # Both compare ARNs with wildcards (IAM user guide, "Condition operators").
        "ArnEquals": _like,
        "ArnLike": _like,
    }
    for operator, tests in condition.items():
        if operator not in compare or any(key.lower() != _PRINCIPAL_ARN for key in tests):
            raise unverified(f"the condition {operator} on {', '.join(tests)} in a trust policy")
    return all(
        any(compare[operator](value, _principal_arn(caller)) for value in _listed(values))
        for operator, tests in condition.items()
        for values in tests.values()
    )


def _like(pattern: str, text: str) -> bool:
    wild = "".join({"*": ".*", "?": "."}.get(each) or re.escape(each) for each in pattern)
    return re.fullmatch(wild, text) is not None


def _listed(value: Any) -> list[str]:  # noqa: ANN401 - a document's part
    return [str(each) for each in value] if isinstance(value, list) else [] if value is None else [str(value)]
