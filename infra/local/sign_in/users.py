"""Who can sign in on this machine: a file of people and their groups that its owner may change."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from functions.core.groups import SCOPES_OF_GROUPS

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "users.json"


class User(BaseModel):
    """One person of this machine; groups beside those of the user pool may own clusters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    groups: tuple[str, ...] = ()

    @property
    def subject(self) -> str:
        """Give the id that does not change with the name's spelling on a page."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"local:{self.name}"))


class Users(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    users: tuple[User, ...] = Field(min_length=1)


class BadUsers(Exception):
    """The file of users cannot be read; the message says where and what is wrong."""


def kept_in(directory: Path) -> tuple[User, ...]:
    """Read the users of a directory, after having written one for each group where there is no file yet."""
    path = directory / NAME
    if not path.exists():
        path.write_text(_usual().model_dump_json(indent=2) + "\n", encoding="utf-8")
    try:
        return Users.model_validate_json(path.read_bytes()).users
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise BadUsers(f"{path} is no list of users ({wrong}). Mend it, or delete it and start again.") from error


def _usual() -> Users:
    return Users(users=tuple(User(name=_member(group), groups=(group,)) for group in SCOPES_OF_GROUPS))


def _member(group: str) -> str:
    """Call the one user of a group by what the group's members are: `reader`."""
    return group.rpartition("-")[2].removesuffix("s")
