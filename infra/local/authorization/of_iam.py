"""What IAM is asked for calls of its own: roles with their boundary and tags, identity providers, policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from infra.local.authorization.asking import Unknown, service_role, tagged, tags_of, to_be_tagged
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_ON_ROLES: Final = (
    "AttachRolePolicy",
    "DeleteRole",
    "DeleteRolePermissionsBoundary",
    "DeleteRolePolicy",
    "DetachRolePolicy",
    "GetRole",
    "GetRolePolicy",
    "ListAttachedRolePolicies",
    "ListRolePolicies",
    "PutRolePermissionsBoundary",
    "PutRolePolicy",
    "TagRole",
    "UntagRole",
    "UpdateAssumeRolePolicy",
)
_ON_PROVIDERS: Final = (
    "AddClientIDToOpenIDConnectProvider",
    "DeleteOpenIDConnectProvider",
    "GetOpenIDConnectProvider",
    "ListOpenIDConnectProviderTags",
    "RemoveClientIDFromOpenIDConnectProvider",
    "TagOpenIDConnectProvider",
    "UntagOpenIDConnectProvider",
    "UpdateOpenIDConnectProviderThumbprint",
)


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    action = f"iam:{call.operation}"
    if call.operation in _ON_ROLES:
        yield _on_role(call, live)
    elif call.operation == "CreateRole":
        yield from _new_role(call, live)
    elif call.operation == "CreateServiceLinkedRole":
        service = call.text("AWSServiceName")
        yield service_role(live, service, "AWSServiceRole")
    elif call.operation == "CreateOpenIDConnectProvider":
        yield from _new_provider(call, live)
    elif call.operation in _ON_PROVIDERS:
        yield Asked(action, call.text("OpenIDConnectProviderArn"), _sent_tags(call))
    elif call.operation in ("GetPolicy", "GetPolicyVersion"):
        yield Asked(action, call.text("PolicyArn"))
    else:
        raise Unknown(call.operation)


def _sent_tags(call: Call) -> dict[str, Sequence[str]]:
    keys = call.parameters.get("TagKeys")
    return to_be_tagged(tags_of(call.rows("Tags"))) | ({"aws:TagKeys": tuple(keys)} if keys else {})


def _on_role(call: Call, live: Live) -> Asked:
    name = call.text("RoleName")
    found = live.role(name)
    context = _sent_tags(call)
    if found is not None:
        context |= tagged(found.tags) | tagged(found.tags, "iam")
    # A new boundary is judged by itself, not by the one that it replaces.
    boundary = call.text("PermissionsBoundary") or (found.boundary if found else "")
    context |= {"iam:PermissionsBoundary": (boundary,)} if boundary else {}
    context |= {"iam:PolicyARN": (call.text("PolicyArn"),)} if call.text("PolicyArn") else {}
    arn = found.arn if found else live.place.arn("iam", f"role/{name}", region=False)
    return Asked(f"iam:{call.operation}", arn, context)


def _new_role(call: Call, live: Live) -> Iterator[Asked]:
    arn = live.place.arn("iam", f"role{call.text('Path') or '/'}{call.text('RoleName')}", region=False)
    boundary, tags = call.text("PermissionsBoundary"), _sent_tags(call)
    bounded: dict[str, Sequence[str]] = {"iam:PermissionsBoundary": (boundary,)} if boundary else {}
    yield Asked("iam:CreateRole", arn, {**tags, **bounded})
    if tags:
        yield Asked("iam:TagRole", arn, tags)


def _new_provider(call: Call, live: Live) -> Iterator[Asked]:
    host = call.text("Url").removeprefix("https://")
    arn, tags = live.place.arn("iam", f"oidc-provider/{host}", region=False), _sent_tags(call)
    yield Asked("iam:CreateOpenIDConnectProvider", arn, tags)
    if tags:
        yield Asked("iam:TagOpenIDConnectProvider", arn, tags)
