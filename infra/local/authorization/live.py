"""What IAM knows of the resources that a request names: their ARNs, tags, boundaries and accounts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, cast

from moto.backends import get_backend

if TYPE_CHECKING:
    from infra.release import Place


@dataclass(frozen=True)
class RoleFacts:
    """A role that is there; `boundary` is empty where it has none."""

    arn: str
    boundary: str
    tags: Mapping[str, str]


class World(Protocol):
    """What the simulators know, each answer empty for what is not there."""

    def hyperpod_cluster(self, name_or_arn: str) -> tuple[str, str]:
        """Give the ARNs of a HyperPod cluster and of its EKS cluster."""

    def stack(self, name_or_id: str) -> str:
        """Give the id of a stack."""

    def eks_part(self, cluster: str, kind: str, name: str) -> str:
        """Give the ARN of an `addon`, `access-entry` or `podidentityassociation`, by its name in its cluster."""


class NoWorld:
    """A world without simulators: what they would know has made-up ids."""

    def hyperpod_cluster(self, name_or_arn: str) -> tuple[str, str]:
        """Know nothing."""
        return "", ""

    def stack(self, name_or_id: str) -> str:
        """Know nothing."""
        return ""

    def eks_part(self, cluster: str, kind: str, name: str) -> str:
        """Know nothing."""
        return ""


@dataclass(frozen=True)
class Live:
    """Looks at what there is in one account and region, in the simulators and straight in the engine."""

    place: Place
    world: World

    def ec2_tags(self, resource_id: str) -> Mapping[str, str]:
        """Give the tags of an EC2 resource."""
        return dict(self._ec2().tags.get(resource_id, {}))

    def association(self, association_id: str) -> Iterator[str]:
        """Name the route table and the subnet of an association."""
        for table in self._ec2().route_tables.values():
            for each in table.associations:
                if each["RouteTableAssociationId"] == association_id:
                    yield table.id
                    # The main table of a VPC is associated with no subnet of its own.
                    yield from [each["SubnetId"]] if "SubnetId" in each else []

    def role(self, name: str) -> RoleFacts | None:
        """Give a role by its name."""
        backend = cast("_Iam", self._backend("iam", self.place.partition))
        found = next((role for role in backend.roles.values() if role.name == name), None)
        if found is None:
            return None
        # The engine keeps those of a new role as a list, and those that are put on it later as a map.
        tags = found.tags.values() if isinstance(found.tags, Mapping) else found.tags
        return RoleFacts(found.arn, found.permissions_boundary_arn or "", {tag["Key"]: tag["Value"] for tag in tags})

    def bucket_account(self, name: str) -> str:
        """Name the account of a bucket; empty for one that is not there."""
        if name in cast("_S3", self._backend("s3", self.place.partition)).buckets:
            return self.place.account
        accounts: Mapping[str, tuple[str, str]] = vars(_backends("s3")).get("bucket_accounts", {})
        account = accounts[name][1] if name in accounts else ""
        return "" if account == self.place.account else account

    def _ec2(self) -> _Ec2:
        return cast("_Ec2", self._backend("ec2", self.place.region))

    def _backend(self, service: str, region: str) -> object:
        return _backends(service)[self.place.account][region]


def _backends(service: str) -> Mapping[str, Mapping[str, object]]:
    backend_of = cast("Callable[[str], Mapping[str, Mapping[str, object]]]", get_backend)
    return backend_of(service)


class _Table(Protocol):
    id: str
    associations: Sequence[Mapping[str, str]]


class _Ec2(Protocol):
    tags: Mapping[str, Mapping[str, str]]
    route_tables: Mapping[str, _Table]


class _Role(Protocol):
    name: str
    arn: str
    permissions_boundary_arn: str | None
    tags: Mapping[str, Mapping[str, str]] | Sequence[Mapping[str, str]]


class _S3(Protocol):
    buckets: Mapping[str, object]


class _Iam(Protocol):
    roles: Mapping[str, _Role]
