"""Skills as an agent gets them by the protocol alone: each file is a resource, each skill a prompt.

A skill is a folder in `skills/` with a `SKILL.md` and what that refers to in `references/`. All are read once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mcp_types import GetPromptResult, Prompt, PromptArgument, PromptMessage, Resource, TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator

SKILLS: Final = Path(__file__).parents[1] / "skills"
MARKDOWN: Final = "text/markdown"
REQUEST: Final = "request"
_MAIN: Final = "SKILL.md"
_FRONT_MATTER: Final = re.compile(r"---\n(?P<fields>.*?)^---\n(?P<rest>.*)", re.DOTALL | re.MULTILINE)
# The part of YAML that means the same to whoever reads it: plain text in one line, and one level of nesting.
_OUTER: Final = re.compile(r"([a-z][a-z-]*):")
_FIELD: Final = re.compile(r"(?P<indent>  )?(?P<key>[a-z][a-z-]*): (?P<value>[A-Za-z0-9](?:(?!: | #).)*)")
_WRITTEN: Final = "write `key: plain text`, or `key:` and indented below it the same, without ': ' or ' #' in the text"
_HEADING: Final = re.compile(r"^# (?P<title>.+)$", re.MULTILINE)


class SkillFault(ValueError):
    """A file of a skill is not written as skills are; the message names the file and what is wrong."""


class UnknownSkill(LookupError):
    """No skill has the resource or the prompt that was asked for; the message names those that there are."""


@dataclass(frozen=True)
class Skill:
    """One skill: what its front matter and heading say, its instructions, and its files as they stand, by URI."""

    name: str
    title: str
    description: str
    instructions: str
    files: Mapping[str, str]

    @property
    def uri(self) -> str:
        """Name the file to begin with."""
        return f"skill://{self.name}/{_MAIN}"


@cache
def skills(folder: Path = SKILLS) -> tuple[Skill, ...]:
    """Read all skills of a folder, in the order of their names."""
    return tuple(_skill(page.parent) for page in sorted(folder.glob(f"*/{_MAIN}")))


def resources(folder: Path = SKILLS) -> list[Resource]:
    """List every file of every skill: of each skill the one to begin with first."""
    return [_resource(skill, uri, text) for skill in skills(folder) for uri, text in skill.files.items()]


def read(uri: str, folder: Path = SKILLS) -> str:
    """Give the text of a file. Raises UnknownSkill."""
    files = {uri: text for skill in skills(folder) for uri, text in skill.files.items()}
    if uri not in files:
        raise UnknownSkill(f"uri: there is no resource {uri}; resources/list names these: {', '.join(files)}.")
    return files[uri]


def prompts(folder: Path = SKILLS) -> list[Prompt]:
    """List one prompt for each skill."""
    argument = PromptArgument(name=REQUEST, description="What the person asked for, in their words.", required=False)
    return [
        Prompt(name=skill.name, title=skill.title, description=skill.description, arguments=[argument])
        for skill in skills(folder)
    ]


def prompt(name: str, arguments: Mapping[str, str] | None = None, folder: Path = SKILLS) -> GetPromptResult:
    """Give a skill's instructions, and behind them what the person asked for. Raises UnknownSkill."""
    known = {skill.name: skill for skill in skills(folder)}
    if name not in known:
        raise UnknownSkill(f"name: there is no prompt {name}; prompts/list names these: {', '.join(known)}.")
    if unknown := sorted({*(arguments or {})} - {REQUEST}):
        raise UnknownSkill(f"arguments: {', '.join(unknown)}: the prompt {name} has {REQUEST} and no other argument.")
    skill, request = known[name], (arguments or {}).get(REQUEST, "").strip()
    content = TextContent(text="\n\n".join(_told(skill, request)))
    return GetPromptResult(description=skill.description, messages=[PromptMessage(role="user", content=content)])


def front_matter(text: str, place: str) -> tuple[dict[str, str], str]:
    """Split a page into the fields of its front matter, nested ones as `outer.inner`, and the rest.

    Raises SkillFault.
    """
    found = _FRONT_MATTER.fullmatch(text)
    if found is None:
        raise SkillFault(f"{place}: begins with no front matter; put it between two lines of ---.")
    return dict(_fields(found["fields"], place)), found["rest"].strip()


def _fields(lines: str, place: str) -> Iterator[tuple[str, str]]:
    outer = ""
    for line in lines.splitlines():
        if opened := _OUTER.fullmatch(line):
            outer = f"{opened[1]}."
            continue
        found = _FIELD.fullmatch(line)
        if found is None or (found["indent"] and not outer):
            raise SkillFault(f"{place}: the front matter has {line!r}; {_WRITTEN}.")
        outer = outer if found["indent"] else ""
        yield f"{outer}{found['key']}", found["value"]


def _skill(folder: Path) -> Skill:
    main = folder / _MAIN
    pages = {f"skill://{folder.name}/{page.relative_to(folder).as_posix()}": page for page in _pages(folder)}
    files = {uri: page.read_text(encoding="utf-8") for uri, page in pages.items()}
    place = f"{folder.name}/{_MAIN}"
    fields, instructions = front_matter(main.read_text(encoding="utf-8"), place)
    heading = _HEADING.match(instructions)
    if fields.get("name") != folder.name or not fields.get("description") or heading is None:
        raise SkillFault(f"{place}: needs the name {folder.name}, a description, and `# a heading` below them.")
    return Skill(folder.name, heading["title"], fields["description"], instructions, files)


def _pages(folder: Path) -> list[Path]:
    return [folder / _MAIN, *sorted((folder / "references").glob("*.md"))]


def _resource(skill: Skill, uri: str, text: str) -> Resource:
    title, described = skill.title, skill.description
    if uri != skill.uri:
        heading = _HEADING.match(text)
        title, described = heading["title"] if heading else uri, f"What the skill {skill.name} refers to."
    size = len(text.encode())
    return Resource(
        name=uri.removeprefix("skill://"), title=title, uri=uri, description=described, mime_type=MARKDOWN, size=size
    )


def _told(skill: Skill, request: str) -> Iterator[str]:
    yield skill.instructions
    if len(skill.files) > 1:
        yield f"Links lead from {skill.uri}: read references/... as the resource skill://{skill.name}/references/..."
    if request:
        yield f"# The request\n\n{request}"
