"""Access of people as callers ask for it and read it, and as EKS has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from functions.clusters.models import KubernetesName
from functions.core.cluster import DesiredAccess
from functions.core.requests import Wire

Permission = Literal["view", "edit", "admin", "cluster_admin"]
NAMESPACES_LIMIT: Final = 100
ARN_LIMIT: Final = 2048


class Owner(StrEnum):
    """Who made an access entry: the control plane for itself or for people, AWS for nodes, or somebody else."""

    CONTROL_PLANE = "control_plane"
    PEOPLE = "people"
    AWS = "aws"
    SOMEBODY_ELSE = "somebody_else"


class PrincipalKind(StrEnum):
    """What an access entry lets in; `sso` is the role of a permission set of IAM Identity Center."""

    ROLE = "role"
    USER = "user"
    SSO = "sso"


def check_namespaces(value: list[str]) -> list[str]:
    """Refuse a list that names a namespace twice."""
    if len(set(value)) < len(value):
        raise PydanticCustomError("namespaces", "names a namespace twice")
    return value


Namespaces = Annotated[
    list[KubernetesName],
    Field(min_length=1, max_length=NAMESPACES_LIMIT),
    AfterValidator(check_namespaces),
]


class GrantAccess(Wire):
    """Who may do what from now on, in the whole cluster or in some namespaces; a grant there takes an earlier's place.

    `take_over` lets the request change an access entry that somebody else has made.
    """

    principal_arn: str = Field(max_length=ARN_LIMIT, description="The ARN of an IAM role (with its path) or user.")
    permission: Permission
    namespaces: Namespaces | None = None
    take_over: bool = False

    @field_validator("namespaces")
    @classmethod
    def _fits_the_permission(cls, namespaces: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if namespaces is not None and info.data.get("permission") == "cluster_admin":
            raise PydanticCustomError(
                "namespaces", "has to be left out with cluster_admin, which holds for the whole cluster; admin does not"
            )
        return namespaces


class AccessChange(BaseModel):
    """A change as its operation keeps it; without a permission access is taken back."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    principal_arn: str
    permission: Permission | None = None
    namespaces: list[str] | None = None
    take_over: bool = False

    def record(self) -> dict[str, JsonValue]:
        """Give the operation's request."""
        return self.model_dump(mode="json", exclude_none=True)


@dataclass(frozen=True)
class Principal:
    """Whom IAM knows by an ARN, as EKS wants it named."""

    arn: str
    kind: PrincipalKind


@dataclass(frozen=True)
class Association:
    """An access policy of an entry; without namespaces it holds in the whole cluster."""

    policy_arn: str
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """An access entry as EKS has it."""

    principal_arn: str
    arn: str
    type: str
    groups: tuple[str, ...]
    tags: Mapping[str, str]
    associations: tuple[Association, ...]


@dataclass(frozen=True)
class Door:
    """How a cluster lets people in: its status and authentication mode; both empty when there is no such cluster."""

    eks_cluster: str
    status: str
    authentication_mode: str


@dataclass(frozen=True)
class Plan:
    """What has to be done for an access to become as asked: `wanted` is what it will be."""

    wanted: DesiredAccess
    creates: bool
    adopts: bool
    removes: bool
    associate: tuple[Association, ...]
    dissociate: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Say whether all is as asked."""
        return not (self.creates or self.adopts or self.removes or self.associate or self.dissociate)


class Record(BaseModel):
    """Base of what is answered."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Granted(Record):
    """One access policy of an entry; `permission` is null for a policy that is not granted here."""

    permission: Permission | None
    policy_arn: str
    namespaces: list[str] | None


class AccessView(Record):
    """One access entry: whom it lets in, by what, and who made it.

    `as_granted` says whether EKS still has what was granted here last; null where nothing was.
    """

    principal_arn: str
    kind: PrincipalKind
    permission_set: str | None
    type: str
    made_by: Owner
    as_granted: bool | None
    granted: list[Granted]
    kubernetes_groups: list[str]


class AccessPage(Record):
    """One page of access entries, in EKS's order."""

    entries: list[AccessView]
    next_token: str | None = None
