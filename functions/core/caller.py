"""Who calls, through which door, and what the caller may do.

Two doors lead here. The public one puts the claims of a verified token into the event; its caller is whom the token
names. The internal one is signed with IAM and open to the gateway's role only; that role says for whom it calls in the
header `x-instantstart-caller`, which means nothing in an event from any other door.

A token's scopes count as far as its owner's groups hold them. The user pool's trigger takes the others out before; a
pool that has no trigger leaves all in, and then this is the only lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from functions.core.declaration import Scope
from functions.core.errors import Forbidden, Unauthenticated
from functions.core.groups import SCOPES_OF_MACHINES, scopes_of
from functions.core.ledger.models import Actor, Channel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

CALLER_HEADER: Final = "x-instantstart-caller"
SCOPE_PREFIX: Final = "instantstart/"


class Claim(BaseModel):
    """What the gateway says about the caller it acts for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    scopes: frozenset[Scope]
    groups: tuple[str, ...] = ()
    client: str


class Caller(Claim):
    """A verified caller; `id` keys what belongs to a person, `client` is the program in between."""

    channel: Channel

    @property
    def actor(self) -> Actor:
        """Give the caller as the ledger names it."""
        return Actor(id=self.id, channel=self.channel, client=self.client)

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the caller's token holds the scope."""
        if scope not in self.scopes:
            raise Forbidden(
                f"The route needs the scope {SCOPE_PREFIX}{scope}, which the token of {self.id} does not hold.",
                remedy=f"Ask an administrator for a group that grants {scope}, then sign in again to get a new token.",
            )

    def owns(self, owner_groups: Sequence[str]) -> bool:
        """Say whether the caller is in an owner group of a cluster that has any, or an administrator."""
        return not owner_groups or Scope.ADMIN in self.scopes or bool(set(owner_groups) & set(self.groups))

    def require_owner(self, cluster_tag: str, owner_groups: Sequence[str]) -> None:
        """Raise Forbidden unless the caller is in an owner group of a cluster that has any, or an administrator."""
        if self.owns(owner_groups):
            return
        raise Forbidden(
            f"Cluster {cluster_tag} belongs to {', '.join(owner_groups)}; {self.id} is in none of these groups.",
            remedy="Ask an administrator for membership in an owner group, then sign in again to get a new token.",
        )


def caller_of(
    event: Mapping[str, JsonValue],
    console_client_id: str | None,
    gateway_role_arn: str | None = None,
    machine_client_id: str | None = None,
) -> Caller:
    """Read the caller from an HTTP API event; raise Unauthenticated when it names none.

    What came through the internal door, and not from the gateway's role, is Forbidden. `machine_client_id` is the one
    program that signs in for itself: it has no groups.
    """
    authorizer = _object(_object(event.get("requestContext")).get("authorizer"))
    if claims := _object(_object(authorizer.get("jwt")).get("claims")):
        return _from_token(claims, console_client_id, machine_client_id)
    if signed := _object(authorizer.get("iam")):
        _require_gateway(_text(signed.get("userArn")), gateway_role_arn)
        return _from_gateway(_text(_object(event.get("headers")).get(CALLER_HEADER)))
    raise Unauthenticated("The request carries no verified token.", remedy="Sign in and send the access token.")


def claim_of_token(claims: Mapping[str, JsonValue], scope_prefix: str, machine_client_id: str | None) -> Claim:
    """Read who a verified token is of, and which scopes it holds whose names begin with `scope_prefix`.

    Raises Unauthenticated for a token that names nobody.
    """
    identity, client = _text(claims.get("sub") or claims.get("username")), _text(claims.get("client_id"))
    if not identity or not client:
        raise Unauthenticated("The token names no subject or client.", remedy="Send an access token, not an ID token.")
    granted, groups = _text(claims.get("scope")).split(), _list(claims.get("cognito:groups"))
    held = SCOPES_OF_MACHINES if client == machine_client_id else scopes_of(groups)
    scopes = frozenset(scope for scope in held if f"{scope_prefix}{scope}" in granted)
    return Claim(id=identity, scopes=scopes, groups=groups, client=client)


def _from_token(
    claims: Mapping[str, JsonValue], console_client_id: str | None, machine_client_id: str | None
) -> Caller:
    claim = claim_of_token(claims, SCOPE_PREFIX, machine_client_id)
    channel = Channel.CONSOLE if claim.client == console_client_id else Channel.REST
    return Caller(**claim.model_dump(), channel=channel)


def _require_gateway(user_arn: str, role_arn: str | None) -> None:
    """Refuse other roles than the gateway's, even where a policy lets them in: they would choose who they are.

    A session's ARN names its role without the path.
    """
    if role_arn is not None:
        _, partition, _, _, account, role = role_arn.split(":", 5)
        if user_arn.startswith(f"arn:{partition}:sts::{account}:assumed-role/{role.rpartition('/')[2]}/"):
            return
    raise Forbidden(
        f"The internal door is for the gateway's role; {user_arn or 'nobody known'} signed the request.",
        remedy="Sign in and call the public address with an access token.",
    )


def _from_gateway(header: str) -> Caller:
    try:
        claim = Claim.model_validate_json(header)
    except ValidationError as error:
        raise Unauthenticated(f"The internal door needs a caller in {CALLER_HEADER}.") from error
    return Caller(**claim.model_dump(), channel=Channel.AGENT)


def _list(claim: JsonValue) -> tuple[str, ...]:
    # HTTP APIs write a claim that is a list as text: "[admins operators]".
    return tuple(_text(claim).strip("[]").replace(",", " ").split())


def _object(value: JsonValue) -> dict[str, JsonValue]:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
