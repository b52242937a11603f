"""Whom an ARN means: roles and users of this account, named as EKS wants them.

Source: Amazon EKS user guide, "Create access entries": a role's ARN has its path; a session, the root user and groups
cannot be principals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from functions.core.errors import FieldError, InvalidRequest
from functions.identity.people.models import Principal, PrincipalKind

if TYPE_CHECKING:
    from typing import NoReturn

FIELD: Final = "principal_arn"
# IAM user guide, "IAM identifiers": names have letters, digits and +=,.@_-, paths any character from ! to ~.
_ARN: Final = re.compile(r"arn:(?P<partition>aws[a-z-]*):(?P<service>iam|sts)::(?P<account>\d{12}):(?P<rest>[!-~]+)")
_NAMED: Final = re.compile(r"(?P<type>role|user)/(?:[!-~]+/)?(?P<name>[\w+=,.@-]{1,64})")
_SESSION: Final = re.compile(r"assumed-role/(?P<role>[\w+=,.@-]{1,64})/[\w+=,.@-]{2,64}")
SSO_PATH: Final = "aws-reserved/sso.amazonaws.com/"
_SSO_NAME: Final = re.compile(r"AWSReservedSSO_(?P<set>[\w+=,.@-]{1,32})_[0-9a-f]{16}")
_SSO_FORM: Final = f"arn:aws:iam::<account>:role/{SSO_PATH}[<region>/]AWSReservedSSO_<permission set>_<suffix>"


def principal_of(arn: str, account: str) -> Principal:
    """Read an ARN that a caller sent; raises InvalidRequest saying what would be right."""
    if "*" in arn or "?" in arn:
        _refuse("has a wildcard; an access entry lets in one role or user", "Send one request for each.")
    found = _ARN.fullmatch(arn)
    if found is None:
        _refuse("is not the ARN of an IAM role or user", f"Send one like arn:aws:iam::{account}:role/<path><name>.")
    if found["account"] != account:
        why = f"is of account {found['account']}, and the cluster is in account {account}"
        _refuse(why, f"Make a role in {account} that the other account's people may assume, and grant that.")
    session = _SESSION.fullmatch(found["rest"]) if found["service"] == "sts" else None
    if session:
        return _role_of_session(session["role"], found["partition"], account)
    return _named(arn, found["service"], found["rest"])


def kind_of(arn: str) -> PrincipalKind:
    """Say what an access entry's principal is."""
    if f":role/{SSO_PATH}" in arn:
        return PrincipalKind.SSO
    return PrincipalKind.USER if ":user/" in arn else PrincipalKind.ROLE


def permission_set_of(arn: str) -> str | None:
    """Name the permission set behind the role of IAM Identity Center; None for any other principal."""
    found = _SSO_NAME.fullmatch(arn.rpartition("/")[2])
    return found["set"] if found and kind_of(arn) is PrincipalKind.SSO else None


def _role_of_session(role: str, partition: str, account: str) -> Principal:
    if _SSO_NAME.fullmatch(role):
        _refuse("is a session of IAM Identity Center, whose role has a path that the session does not tell", _sso())
    return Principal(f"arn:{partition}:iam::{account}:role/{role}", PrincipalKind.ROLE)


def _named(arn: str, service: str, rest: str) -> Principal:
    found = _NAMED.fullmatch(rest) if service == "iam" else None
    if found is None:
        _refuse(_why_not(rest), "Send the ARN of a role or user; people of a group share a role that they may assume.")
    if found["type"] == "role" and _SSO_NAME.fullmatch(found["name"]) and f"role/{SSO_PATH}" not in rest:
        _refuse("is a role of IAM Identity Center without its path", _sso())
    return Principal(arn, kind_of(arn))


def _why_not(rest: str) -> str:
    if rest == "root":
        return "is the account's root user, which nobody should work as and EKS lets in nowhere"
    if rest.startswith("group/"):
        return "is an IAM group, which is no principal"
    return f"ends in {rest}, which names no role or user"


def _sso() -> str:
    return f"Send the role as IAM lists it: {_SSO_FORM}."


def _refuse(why: str, remedy: str) -> NoReturn:
    raise InvalidRequest(f"{FIELD}: {why}", errors=[FieldError(field=FIELD, message=why)], remedy=remedy)
