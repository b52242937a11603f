"""The skills: written as the format has it, speaking of tools and fields that exist, and served by the protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
import yaml
from mcp_types import PromptMessage, TextContent

from functions.core.declaration import Route, Tool
from functions.diagnostics.models.answers import Name
from functions.entry.domains import DECLARATIONS
from infra import openapi
from mcp_gateway import skills
from mcp_gateway.skills import SKILLS, SkillFault, UnknownSkill

# Source: the Agent Skills specification (agentskills.io), whose validator refuses any other field.
FIELDS: Final = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
FOLDERS: Final = sorted(page.parent for page in SKILLS.glob("*/SKILL.md"))
PAGES: Final = sorted(page for folder in FOLDERS for page in folder.rglob("*.md"))
ROUTES: Final = {route.operation_id: route for each in DECLARATIONS for route in each.routes}
TOOLS: Final = {tool.name: tool for each in DECLARATIONS for tool in each.tools}
LINK: Final = re.compile(r"\]\(([^)]+)\)")
API: Final = json.loads(openapi.TARGET.read_text(encoding="utf-8"))
# What the API does not describe: an argument that the gateway makes of a header, and a field of a creation's result.
BESIDE: Final = {"idempotency_key", "node_status", "our_addresses", *map(str, Name)}


def of_page(page: Path) -> str:
    return page.relative_to(SKILLS).as_posix()


def route_of(tool: Tool) -> Route:
    return ROUTES[tool.operation_id]


def quoted(page: Path) -> set[str]:
    """Every word of code that could be a tool or a field; of a path to a field its parts."""
    spans = re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8"))
    return {word for span in spans for word in re.findall(r"[a-z]+(?:_[a-z]+)+", span)}


def described(node: object) -> Iterator[str]:
    """Every field, parameter and constant that a part of the API's description knows."""
    if isinstance(node, dict):
        yield from (key for key, child in node.items() if isinstance(child, dict))
        yield from (value for value in (node.get("name"), *node.get("enum", ())) if isinstance(value, str))
        yield from chain.from_iterable(map(described, node.values()))
    elif isinstance(node, list):
        yield from chain.from_iterable(map(described, node))


def put(folder: Path, skill: str, front: str, body: str = "# Title\n\nText.") -> None:
    (folder / skill / "references").mkdir(parents=True)
    (folder / skill / "SKILL.md").write_text(f"---\n{front}---\n\n{body}\n", encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_skill_is_written_as_the_format_has_it(folder: Path) -> None:
    text = (folder / "SKILL.md").read_text(encoding="utf-8")
    fields = yaml.safe_load(text.split("---\n")[1])
    assert fields.keys() <= FIELDS
    assert fields["name"] == folder.name
    assert NAME.fullmatch(folder.name) and len(folder.name) <= 64
    assert 0 < len(fields["description"]) <= 1024
    assert re.fullmatch(r"\d+\.\d+\.\d+", fields["metadata"]["version"])
    assert text.count("\n") < 200


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_description_says_when_the_skill_is_meant_and_when_not(folder: Path) -> None:
    fields, _ = skills.front_matter((folder / "SKILL.md").read_text(encoding="utf-8"), folder.name)
    assert re.search(r"\bUse ", fields["description"]) and re.search(r"\bNot ", fields["description"])


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_a_skill_speaks_of_tools_and_fields_that_exist(page: Path) -> None:
    assert quoted(page) - TOOLS.keys() - {*described(API)} - BESIDE == set()


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_where_something_is_begun_the_same_page_says_how_its_end_is_learned(page: Path) -> None:
    begins = [name for name in quoted(page) & TOOLS.keys() if route_of(TOOLS[name]).success == 202]
    assert not begins or "operation_wait" in quoted(page)


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_where_something_is_destroyed_the_same_page_says_that_a_preview_is_confirmed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    destroys = [name for name in quoted(page) & TOOLS.keys() if TOOLS[name].destroys]
    assert not destroys or ("dry_run" in quoted(page) and "`confirm`" in text)


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_every_link_leads_to_a_page_of_the_same_skill(page: Path) -> None:
    folder = SKILLS / page.relative_to(SKILLS).parts[0]
    targets = [(page.parent / link).resolve() for link in LINK.findall(page.read_text(encoding="utf-8"))]
    assert [target for target in targets if not target.is_file() or not target.is_relative_to(folder)] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_page_of_a_skill_can_be_reached_from_its_beginning(folder: Path) -> None:
    reached: set[Path] = set()
    ahead = [folder / "SKILL.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        links = {(page.parent / link).resolve() for link in LINK.findall(page.read_text(encoding="utf-8"))}
        ahead.extend(links - reached)
    assert reached == {page for page in PAGES if page.is_relative_to(folder)}


def test_our_front_matter_means_the_same_to_us_as_to_yaml() -> None:
    for folder in FOLDERS:
        text = (folder / "SKILL.md").read_text(encoding="utf-8")
        read = yaml.safe_load(text.split("---\n")[1])
        nested = {f"metadata.{key}": value for key, value in read.pop("metadata", {}).items()}
        assert skills.front_matter(text, folder.name)[0] == read | nested


@pytest.mark.parametrize(
    "front",
    [
        "name: a\ndescription: one: two\n",
        "name: a\ndescription: text # comment\n",
        "name: a\ndescription: 'text'\n",
        "name: a\ndescription: >\n  text\n",
        "  name: a\n",
        "name a\n",
        "name: b\ndescription: Text.\n",
        "name: a\n",
    ],
)
def test_front_matter_that_could_mean_something_else_is_refused(tmp_path: Path, front: str) -> None:
    put(tmp_path, "a", front)
    with pytest.raises(SkillFault, match=r"^a/SKILL\.md: "):
        skills.skills(tmp_path)


@pytest.mark.parametrize("text", ["", "# Title\n", "---\nname: a\n", "\n---\nname: a\n---\n# Title\n"])
def test_a_page_without_front_matter_is_refused(text: str) -> None:
    with pytest.raises(SkillFault, match=r"^a/SKILL\.md: begins with no front matter"):
        skills.front_matter(text, "a/SKILL.md")


def test_a_skill_without_a_heading_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "a", "name: a\ndescription: Text.\n", "Text without a title.")
    with pytest.raises(SkillFault, match="a heading"):
        skills.skills(tmp_path)


def test_every_file_of_every_skill_is_a_resource_and_nothing_else_is() -> None:
    listed = skills.resources()
    pages = {f"skill://{of_page(page)}": page for page in PAGES}
    assert {resource.uri: resource.size for resource in listed} == {
        uri: page.stat().st_size for uri, page in pages.items()
    }
    assert {resource.mime_type for resource in listed} == {"text/markdown"}
    assert {uri: skills.read(uri) for uri in pages} == {
        uri: page.read_text(encoding="utf-8") for uri, page in pages.items()
    }


def test_resources_come_in_the_same_order_each_skill_with_its_beginning_first() -> None:
    uris = [resource.uri for resource in skills.resources()]
    assert uris == sorted(uris, key=lambda uri: (uri.split("/")[2], not uri.endswith("/SKILL.md"), uri))
    assert [prompt.name for prompt in skills.prompts()] == [folder.name for folder in FOLDERS]


def test_a_skill_is_listed_by_its_heading_and_description(tmp_path: Path) -> None:
    put(tmp_path, "a", "name: a\ndescription: Text.\nmetadata:\n  version: 1.0.0\n", "# Do it\n\nGo.")
    (tmp_path / "a/references/b.md").write_text("# More\n\nÖ.\n", encoding="utf-8")
    main, more = [resource.model_dump(exclude_none=True, by_alias=True) for resource in skills.resources(tmp_path)]
    assert (main["name"], main["title"], main["description"]) == ("a/SKILL.md", "Do it", "Text.")
    assert (more["uri"], more["title"], more["size"]) == ("skill://a/references/b.md", "More", 12)
    assert [prompt.model_dump(exclude_none=True) for prompt in skills.prompts(tmp_path)] == [
        {
            "name": "a",
            "title": "Do it",
            "description": "Text.",
            "arguments": [
                {
                    "name": "request",
                    "description": "What the person asked for, in their words.",
                    "required": False,
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    "uri", ["skill://create-cluster", "skill://create-cluster/../README.md", "file:///SKILL.md", ""]
)
def test_a_file_that_no_skill_has_is_not_given(uri: str) -> None:
    with pytest.raises(UnknownSkill, match=r"skill://create-cluster/SKILL\.md"):
        skills.read(uri)


def test_a_prompt_gives_the_instructions_and_then_what_the_person_asked_for(tmp_path: Path) -> None:
    put(tmp_path, "a", "name: a\ndescription: Text.\n", "# Do it\n\nGo.")
    given = skills.prompt("a", {"request": " one g6 "}, tmp_path)
    told = TextContent(text="# Do it\n\nGo.\n\n# The request\n\none g6")
    assert (given.description, given.messages) == ("Text.", [PromptMessage(role="user", content=told)])


@pytest.mark.parametrize("arguments", [None, {}, {"request": ""}])
def test_a_prompt_without_a_request_is_the_instructions_alone(tmp_path: Path, arguments: dict[str, str] | None) -> None:
    put(tmp_path, "a", "name: a\ndescription: Text.\n", "# Do it\n\nGo.")
    assert skills.prompt("a", arguments, tmp_path).messages[0].content == TextContent(text="# Do it\n\nGo.")


def test_a_prompt_says_where_its_links_lead_to() -> None:
    content = skills.prompt("delete-cluster").messages[0].content
    assert isinstance(content, TextContent) and "skill://delete-cluster/references/" in content.text


def test_a_prompt_that_there_is_not_and_an_argument_that_it_has_not_are_refused() -> None:
    with pytest.raises(UnknownSkill, match="create-cluster"):
        skills.prompt("create_cluster")
    with pytest.raises(UnknownSkill, match="request"):
        skills.prompt("create-cluster", {"tag": "a"})
