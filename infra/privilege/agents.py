"""What the role of an agent has to be allowed, by whoever owns it: to speak to the gateway, and to call no route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.functions import INVOKE_API
from infra.privilege.documents import Document, Statement
from infra.topology import MCP_ROUTES

if TYPE_CHECKING:
    from infra.release import Place


def document(place: Place) -> Document:
    """Give the policy; the query of an address, such as its toolsets, is no part of what IAM is asked about.

    Methods are listed: IAM's `*` crosses slashes, so in their place it would also mean `DELETE/api/clusters`.
    """
    addresses = tuple(place.internal_route(route.method, route.path) for route in MCP_ROUTES)
    return Document((Statement("SpeakToGateway", (INVOKE_API,), addresses),))
