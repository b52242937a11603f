"""The Lambda function that Cognito asks before it makes a token: it takes out what the owner's groups do not hold.

It never adds anything. What it cannot read it refuses, and then nobody signs in: a token that was not narrowed would
hold every scope that its client may ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from functions.core import settings
from functions.core.documents import member
from functions.identity.tokens.models import AccessTokenGeneration, Overrides, TokenEvent
from functions.identity.tokens.rules import suppressed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


class UnreadableTokenEvent(Exception):
    """What Cognito sent is no question about scopes; who signs in reads this message."""


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Answer one event of the pre-token-generation trigger with the scopes to leave out.

    Raises UnreadableTokenEvent, and DeploymentFault where it does not know which scopes are ours.
    """
    asked, console_url = _read(event), settings.required("CONSOLE_URL")
    overrides = Overrides(
        access_token_generation=AccessTokenGeneration(scopes_to_suppress=suppressed(asked, console_url)),
        group_override_details=asked.request.group_configuration,
    )
    answer = overrides.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {**event, "response": {**member(event, "response"), "claimsAndScopeOverrideDetails": answer}}


def _read(event: Mapping[str, JsonValue]) -> TokenEvent:
    try:
        return TokenEvent.model_validate(event)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise UnreadableTokenEvent(
            f"No token is made, because the event is not one that scopes can be taken out of ({wrong}). Let the user "
            "pool call this function as its pre-token-generation trigger V2_0 or V3_0."
        ) from None
