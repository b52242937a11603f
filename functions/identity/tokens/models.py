"""What Cognito asks before it makes a token, and what it is told: the pre-token-generation trigger, V2_0 and V3_0."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

# Attributes of people stand in the event: what is wrong with it is told without them.
_OF_COGNITO = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, hide_input_in_errors=True)


class Source(StrEnum):
    """What a token is made after, as far as it matters here."""

    MACHINE = "TokenGeneration_ClientCredentials"


class GroupConfiguration(BaseModel):
    """The groups of whoever signs in; their IAM roles are none of ours."""

    model_config = _OF_COGNITO

    groups_to_override: tuple[str, ...] | None = None
    iam_roles_to_override: tuple[str, ...] | None = None
    preferred_role: str | None = None


class TokenRequest(BaseModel):
    """What the token would hold. Events without scopes are of V1_0, whose answer could not take any away."""

    model_config = _OF_COGNITO

    scopes: tuple[str, ...]
    group_configuration: GroupConfiguration | None = None


class TokenEvent(BaseModel):
    """One token that is about to be made; everything else of the event goes back as it came."""

    model_config = _OF_COGNITO

    version: Literal["2", "3"]
    trigger_source: str = Field(pattern=r"^TokenGeneration_\w+$")
    request: TokenRequest

    @property
    def is_of_a_machine(self) -> bool:
        """Say whether a program signs in by itself, which has no groups."""
        return self.trigger_source == Source.MACHINE

    @property
    def groups(self) -> tuple[str, ...]:
        """Name the groups of whoever signs in."""
        configuration = self.request.group_configuration
        return (configuration and configuration.groups_to_override) or ()


class AccessTokenGeneration(BaseModel):
    """How the access token is to differ."""

    model_config = _OF_COGNITO

    scopes_to_suppress: tuple[str, ...]


class Overrides(BaseModel):
    """The answer. Cognito reads groups that are left out as groups to leave out, so they are said again."""

    model_config = _OF_COGNITO

    access_token_generation: AccessTokenGeneration
    group_override_details: GroupConfiguration | None
