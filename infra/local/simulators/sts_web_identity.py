"""Who a web identity token makes of its bearer: STS's checks of token, identity provider and trust, in STS's order."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from infra.local.simulators.neighbours import call, error_code, role_of
from infra.local.simulators.service import ServiceError, unverified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from infra.local.simulators.neighbours import ClientFactory
    from infra.local.simulators.service import JsonObject

ACTION = "sts:AssumeRoleWithWebIdentity"
_NO_JWT = "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)"
_NO_KEY = (
    "Couldn't retrieve verification key from your identity provider,  "
    "please reference AssumeRoleWithWebIdentity documentation for requirements"
)


@dataclass(frozen=True)
class WebIdentity:
    """The bearer of a token that a role trusts."""

    subject: str
    audience: str
    provider: str


class WebIdentities:
    """Judges tokens by the account's identity providers; `claims_of` verifies a token of an issuer it knows."""

    def __init__(
        self,
        now: Callable[[], datetime],
        account_id: str,
        iam: ClientFactory,
        claims_of: Callable[[str, str], Mapping[str, object] | None],
    ) -> None:
        self._now = now
        self._account_id = account_id
        self._iam = iam
        self._claims_of = claims_of

    def admit(self, role_arn: str, token: str) -> WebIdentity:
        """Say who may use the role; raises STS's errors."""
        issuer = str(_unverified_claims(token).get("iss", ""))
        provider, audiences = self._provider(issuer, role_arn)
        claims = self._claims_of(issuer, token)
        if claims is None:
            raise _invalid(_NO_KEY)
        audience = next((each for each in _listed(claims.get("aud")) if each in audiences), None)
        if audience is None:
            raise _invalid("Incorrect token audience")
        self._check_age(claims)
        subject = str(claims.get("sub", ""))
        role = role_of(self._iam(), role_arn)
        context = {f"{provider.partition('/')[2]}:{key}": value for key, value in (("sub", subject), ("aud", audience))}
        if role is None or not trusted(role["AssumeRolePolicyDocument"], provider, context):
            raise ServiceError("AccessDenied", f"Not authorized to perform {ACTION}", 403)
        return WebIdentity(subject, audience, provider)

    def _provider(self, issuer: str, role_arn: str) -> tuple[str, list[str]]:
        """Find the provider of an issuer in the account of the role."""
        fault = _invalid(f"No OpenIDConnect provider found in your account for {issuer}")
        account = role_arn.split(":")[4] if role_arn.count(":") >= 5 else ""
        if account != self._account_id:
            raise fault
        arn = f"arn:aws:iam::{account}:oidc-provider/{issuer.removeprefix('https://')}"
        try:
            found = call(self._iam(), "get_open_id_connect_provider", OpenIDConnectProviderArn=arn)
        except ClientError as error:
            if error_code(error) in ("NoSuchEntity", "ValidationError"):
                raise fault from error
            raise
        return arn, list(found["ClientIDList"])

    def _check_age(self, claims: Mapping[str, object]) -> None:
        now, expires = int(self._now().timestamp()), int(str(claims.get("exp", 0)))
        if now >= expires:
            at = [datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for moment in (now, expires)]
            message = f"Token expired: current date/time {at[0]} must be before the expiration date/time {at[1]}"
            raise ServiceError("ExpiredTokenException", message, 400)


def trusted(document: JsonObject, provider: str, context: Mapping[str, str]) -> bool:
    """Whether a trust policy lets a web identity in; what IAM knows and this does not is refused."""
    found = {statement["Effect"] for statement in _applying(document, provider, context)}
    return found == {"Allow"}


def _applying(document: JsonObject, provider: str, context: Mapping[str, str]) -> Iterator[JsonObject]:
    statements = document["Statement"]
    for statement in statements if isinstance(statements, list) else [statements]:
        if strange := statement.keys() - {"Sid", "Effect", "Principal", "Action", "Condition"}:
            raise unverified(f"a trust statement with {', '.join(sorted(strange))}")
        acts = any(_like(each.lower(), ACTION.lower()) for each in _listed(statement["Action"]))
        if acts and _names(statement["Principal"], provider) and _holds(statement.get("Condition", {}), context):
            yield statement


def _names(principal: Any, provider: str) -> bool:  # noqa: ANN401 - a document's part
    return principal == "*" or provider in _listed(principal.get("Federated"))


def _holds(condition: JsonObject, context: Mapping[str, str]) -> bool:
    """Every operator and key must hold, by any of its values; a key that the token lacks holds never."""
    compare = {"StringEquals": str.__eq__, "StringLike": _like}
    if strange := condition.keys() - compare.keys():
        raise unverified(f"the condition operator {', '.join(sorted(strange))} in a trust policy")
    return all(
        key in context and any(compare[operator](value, context[key]) for value in _listed(values))
        for operator, tests in condition.items()
        for key, values in tests.items()
    )


def _like(pattern: str, text: str) -> bool:
    wild = "".join({"*": ".*", "?": "."}.get(each) or re.escape(each) for each in pattern)
    return re.fullmatch(wild, text) is not None


def _listed(value: Any) -> list[str]:  # noqa: ANN401 - a document's part
    return [str(each) for each in value] if isinstance(value, list) else [] if value is None else [str(value)]


def _unverified_claims(token: str) -> JsonObject:
    parts = token.split(".")
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, IndexError):
        claims = None
    if len(parts) != 3 or not isinstance(claims, dict):
        raise _invalid(_NO_JWT)
    return claims


def _invalid(message: str) -> ServiceError:
    return ServiceError("InvalidIdentityToken", message, 400)
