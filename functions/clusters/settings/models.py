"""Owner groups and company tags, as callers send them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from functions.core.requests import Wire, check_name

OWNER_GROUPS_LIMIT: Final = 20
# AWS allows 50 tags on a resource; the rest is for ours and the deployment's.
TAGS_LIMIT: Final = 30
# A token's list of groups is parted by spaces.
GROUP_PATTERN: Final = r"^[^\s,\[\]]+$"
GROUP_LIMIT: Final = 128
# Source: "Tag naming limits and requirements", AWS General Reference.
KEY_PATTERN: Final = r"^(?![Aa][Ww][Ss]:|instantstart:)(?=.*\S)[\w.:/=+\-@ ]+$"
KEY_LIMIT: Final = 128
# CloudFormation takes no empty one.
VALUE_PATTERN: Final = r"^(?=.*\S)[\w.:/=+\-@ ]+$"
VALUE_LIMIT: Final = 256


def check_group(value: str) -> str:
    """Refuse a name that no group of a token can have."""
    return check_name(value, "owner_group", GROUP_PATTERN, GROUP_LIMIT, "; it is the name of a group of sign-in")


def check_tags(value: dict[str, str]) -> dict[str, str]:
    """Refuse tags that AWS would refuse, or that would pass for ours."""
    if len(value) > TAGS_LIMIT:
        message = "has {count} tags; {limit} are possible beside those of the control plane"
        raise PydanticCustomError("tag_count", message, {"count": len(value), "limit": TAGS_LIMIT})
    if len({key.casefold() for key in value}) < len(value):
        raise PydanticCustomError("tag_key", "has keys that differ in case only, which IAM takes for one")
    for key, content in value.items():
        check_name(key, "tag_key", KEY_PATTERN, KEY_LIMIT, "; aws: and instantstart: are taken")
        check_name(content, "tag_value", VALUE_PATTERN, VALUE_LIMIT)
    return value


OwnerGroups = Annotated[
    list[Annotated[str, AfterValidator(check_group)]],
    Field(
        max_length=OWNER_GROUPS_LIMIT,
        description="The groups whose members may change the cluster; everybody with the scope when empty.",
    ),
]
CompanyTags = Annotated[
    dict[str, str],
    AfterValidator(check_tags),
    Field(description="AWS tags of all that is made for the cluster, beside those of the deployment."),
]


class UpdateCluster(Wire):
    """What is said about a cluster from now on; what is left out stays, what is sent takes the place of all before."""

    owner_groups: OwnerGroups | None = None
    company_tags: CompanyTags | None = None

    @model_validator(mode="after")
    def _says_something(self) -> UpdateCluster:
        if self.owner_groups is None and self.company_tags is None:
            message = "has to name what changes: owner_groups, company_tags or both"
            raise PydanticCustomError("nothing_to_change", message)
        return self
