"""What the console makes agents' configurations from: the same files, toolsets and tools as the gateway's."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest

from functions.core.caller import Claim
from functions.core.declaration import Scope
from infra import agent_templates
from mcp_gateway.selection import selected, selection_of
from mcp_gateway.skills import skills

ALL: Final = Claim(id="anybody", scopes=frozenset(Scope), client="console")
TEMPLATES: Final[dict[str, Any]] = agent_templates.templates()


def test_the_file_in_git_is_fresh_and_a_changed_one_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert agent_templates.main(["--check"]) == 0
    monkeypatch.setattr(agent_templates, "TARGET", tmp_path / "templates.json")
    assert (agent_templates.main(["--check"]), agent_templates.main([]), agent_templates.main(["--check"])) == (1, 0, 0)


@pytest.mark.parametrize(
    "query", ["", "toolsets=audit", "toolsets=identity,network", "toolsets=default,audit", "toolsets=all"]
)
def test_the_tools_of_several_toolsets_are_those_of_each(query: str) -> None:
    asked = query.removeprefix("toolsets=").split(",") if query else ["default"]
    joined = {name for toolset in asked for name in TEMPLATES["toolsets"][toolset]}
    assert joined == {tool.name for tool in selected(selection_of(query), ALL)}


def test_of_an_address_that_only_looks_exactly_the_reading_tools_are_left() -> None:
    reading = {tool["name"] for tool in TEMPLATES["tools"] if tool["reads"]}
    usual = {*TEMPLATES["toolsets"]["default"]}
    assert usual & reading == {tool.name for tool in selected(selection_of("readonly"), ALL)}


def test_every_mark_that_the_console_fills_in_stands_in_some_file() -> None:
    texts = [text for door in TEMPLATES["doors"].values() for text in door["files"].values()]
    marks = (agent_templates.ORIGIN, agent_templates.SIGNED_URL, agent_templates.CHOICES)
    for mark in (*marks, agent_templates.CLIENT_ID, agent_templates.REGION):
        assert any(mark in text for text in texts), mark


def test_all_skills_are_told() -> None:
    assert [skill["uri"] for skill in TEMPLATES["skills"]] == [skill.uri for skill in skills()]
