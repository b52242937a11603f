"""The tools of a release: what agents see of each, and which request to the API it stands for.

`data/catalogue.json` is written from the domains' declarations and the API's description by
`python -m infra.tool_catalogue`, so that the gateway starts without loading any domain.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter

from functions.core.declaration import Scope

CATALOGUE: Final = Path(__file__).with_name("data") / "catalogue.json"
STATUS_TOOL: Final = "operation_wait"
# By which a caller tells two equal requests apart; a header of the API.
KEY_ARGUMENT: Final = "idempotency_key"
TOKEN_ARGUMENT: Final = "next_token"
# What the API tells of an operation, and an agent has no use for.
UNTOLD: Final = ("account_id", "actor", "region", "request", "scopes", "updated_at", "version")


class Place(StrEnum):
    """Where in a request an argument goes."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    BODY = "body"
    # The API gives all rows at once; the gateway gives them in pieces.
    GATEWAY = "gateway"


class GatewayTool(BaseModel):
    """One tool; `places` says where each of its arguments goes, `rows` which member of an answer is a list.

    `begins` says that it answers with an operation, or with a preview of one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    operation_id: str
    toolset: str
    title: str
    description: str
    method: str
    path: str
    scope: Scope
    places: dict[str, Place]
    sends: dict[str, int]
    begins: bool
    destroys: bool
    repeats: bool
    additional: bool
    rows: str | None
    input_schema: dict[str, JsonValue]
    output_schema: dict[str, JsonValue]

    @property
    def reads(self) -> bool:
        """Say whether it changes nothing."""
        return self.method == "GET"


_TOOLS: Final = TypeAdapter(list[GatewayTool])


@cache
def all_tools() -> dict[str, GatewayTool]:
    """Give the tools by name, in the order in which agents see them."""
    return {tool.name: tool for tool in _TOOLS.validate_json(CATALOGUE.read_bytes())}
