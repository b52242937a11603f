"""What Cognito writes into tokens, and what it asks the pre-token-generation function before.

Source: Cognito developer guide, "Understanding the access token" and "Pre token generation Lambda trigger".
"""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from infra.local.sign_in.clients import Client
    from infra.local.sign_in.grants import Grant
    from infra.local.sign_in.keys import Claims

LIFETIME: Final = timedelta(hours=1)


def of_person(grant: Grant, issuer: str, scopes: Sequence[str], moment: datetime) -> Claims:
    """Give the claims of a person's access token; the audience is named when the program asked for a resource."""
    claims: Claims = {
        "sub": grant.user.subject,
        "iss": issuer,
        "version": 2,
        "client_id": grant.client_id,
        "origin_jti": grant.origin_id,
        "event_id": str(uuid.uuid4()),
        "token_use": "access",
        "scope": " ".join(scopes),
        "auth_time": _seconds(grant.signed_in_at),
        "username": grant.user.name,
        **_times(moment),
    }
    audience: Claims = {} if grant.resource is None else {"aud": grant.resource}
    return claims | audience | _groups(grant)


def of_machine(client: Client, issuer: str, scopes: Sequence[str], moment: datetime) -> Claims:
    """Give the claims of a machine's access token, which names no person."""
    return {
        "sub": client.id,
        "token_use": "access",
        "scope": " ".join(scopes),
        "auth_time": _seconds(moment),
        "iss": issuer,
        "version": 2,
        "client_id": client.id,
        **_times(moment),
    }


def of_identity(grant: Grant, issuer: str, moment: datetime) -> Claims:
    """Give the claims of an ID token, which says who signed in and opens nothing."""
    claims: Claims = {
        "sub": grant.user.subject,
        "iss": issuer,
        "aud": grant.client_id,
        "cognito:username": grant.user.name,
        "origin_jti": grant.origin_id,
        "token_use": "id",
        "auth_time": _seconds(grant.signed_in_at),
        **_times(moment),
    }
    nonce: Claims = {} if grant.nonce is None else {"nonce": grant.nonce}
    return claims | nonce | _groups(grant)


def question(grant: Grant, source: str, region: str, pool: str) -> Claims:
    """Give the event of the trigger V2_0 for a token that is about to be made."""
    return {
        "version": "2",
        "triggerSource": f"TokenGeneration_{source}",
        "region": region,
        "userPoolId": pool,
        "userName": grant.user.name,
        "callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": grant.client_id},
        "request": {
            "userAttributes": {"sub": grant.user.subject, "cognito:user_status": "CONFIRMED"},
            "scopes": [*grant.scopes],
            "groupConfiguration": {
                "groupsToOverride": [*grant.user.groups],
                "iamRolesToOverride": [],
                "preferredRole": None,
            },
        },
        "response": {"claimsAndScopeOverrideDetails": None},
    }


def _groups(grant: Grant) -> Claims:
    groups: list[JsonValue] = [*grant.user.groups]
    return {"cognito:groups": groups} if groups else {}


def _times(moment: datetime) -> Claims:
    return {"iat": _seconds(moment), "exp": _seconds(moment + LIFETIME), "jti": str(uuid.uuid4())}


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())
