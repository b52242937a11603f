"""Which tools a caller sees, by the address it connects to and by what it may do."""

from __future__ import annotations

import pytest

from functions.core.caller import Claim
from functions.core.declaration import Scope
from functions.core.errors import InvalidRequest
from mcp_gateway.selection import may_use, names, selected, selection_of
from mcp_gateway.tools import GatewayTool, all_tools

READING = {name for name, tool in all_tools().items() if tool.method == "GET"}


def claim(*scopes: Scope) -> Claim:
    return Claim(id="ann", scopes=frozenset(scopes or Scope), client="test")


def listed(query: str = "", *scopes: Scope) -> list[GatewayTool]:
    return selected(selection_of(query), claim(*scopes))


def test_what_is_rarely_needed_is_listed_only_where_it_is_asked_for() -> None:
    usual = {tool.name for tool in listed()}
    assert usual == {name for name, tool in all_tools().items() if not tool.additional}
    assert {tool.name for tool in listed("toolsets=all")} == all_tools().keys()
    assert {tool.toolset for tool in listed("toolsets=audit,catalog")} == {"audit", "catalog", "operations"}
    assert usual < {tool.name for tool in listed("toolsets=default,audit")}


@pytest.mark.case(79)
@pytest.mark.parametrize(
    ("query", "among"), [("readonly", ""), ("readonly=true", ""), ("toolsets=all&readonly", "toolsets=all")]
)
def test_an_address_for_reading_has_the_reading_tools_and_no_other(query: str, among: str) -> None:
    assert {tool.name for tool in listed(query)} == {tool.name for tool in listed(among)} & READING


def test_readonly_can_be_said_not_to_be_meant() -> None:
    assert listed("readonly=false") == listed()


@pytest.mark.case(79)
def test_who_may_only_read_sees_what_reads_at_any_address() -> None:
    assert {tool.name for tool in listed("toolsets=all", Scope.READ)} == READING
    assert len(listed("toolsets=all", Scope.READ, Scope.OPERATE)) == len(all_tools())
    may = {name for name, tool in all_tools().items() if may_use(tool, selection_of(""), claim(Scope.READ))}
    assert may - READING == {"active_cluster_set"}, "which is a choice of the reader's own"


@pytest.mark.parametrize(
    ("query", "field", "allowed"),
    [
        ("toolsets=clusters,netwrok", "toolsets", names()),
        ("toolset=clusters", "parameter", ["toolsets", "readonly"]),
    ],
)
def test_an_address_that_asks_for_what_there_is_not_is_told_what_there_is(
    query: str, field: str, allowed: list[str]
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        selection_of(query)
    assert [(each.field, each.allowed) for each in refused.value.errors] == [(field, allowed)]
