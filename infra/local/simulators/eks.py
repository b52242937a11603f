"""The EKS simulator: the service that puts clusters, add-ons, access entries and pod identities together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from infra.local.simulators.eks_access import AccessEntries
from infra.local.simulators.eks_access_mode import AccessModes
from infra.local.simulators.eks_addon_offers import AddonOffers
from infra.local.simulators.eks_addons import Addons
from infra.local.simulators.eks_clusters import Clusters
from infra.local.simulators.eks_identities import PodIdentities
from infra.local.simulators.eks_insights import Insights
from infra.local.simulators.eks_records import (
    CREATION,
    DELETION,
    AccessEntryRecord,
    ClusterRecord,
    EksHost,
    EksRecords,
    EksState,
)
from infra.local.simulators.eks_updates import Updates
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime


@dataclass(frozen=True)
class EksView:
    """What HyperPod asks about the EKS cluster it shall run on."""

    name: str
    arn: str
    status: str
    authentication_mode: str
    version: str
    vpc_id: str


class Eks(Service):
    """Amazon EKS of one account and region."""

    name: ClassVar[str] = "eks"
    validation_code: ClassVar[str] = "InvalidParameterException"
    records: EksRecords

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str, host: EksHost) -> None:
        super().__init__(now, account_id, region)
        self._state = EksState(now, account_id, region, host)
        self.records = self._state.records
        self._access = AccessEntries(self._state)
        self._modes = AccessModes(self._state)
        self._identities = PodIdentities(self._state)
        self._addons = Addons(self._state, self._identities)
        self._offers = AddonOffers()
        self._clusters = Clusters(self._state, self._access.admit_creator)
        self.insights = Insights(self._state)
        self.updates = Updates(self._state, self.insights)

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The EKS operations that are simulated."""
        return {
            "CreateCluster": self._clusters.create,
            "DescribeCluster": self._clusters.describe,
            "ListClusters": self._clusters.list_all,
            "DeleteCluster": self._clusters.delete,
            "UpdateClusterConfig": self._modes.update,
            "DescribeClusterVersions": self._clusters.describe_versions,
            "UpdateClusterVersion": self.updates.update_version,
            "DescribeUpdate": self.updates.describe,
            "ListUpdates": self.updates.list_all,
            "ListInsights": self.insights.list_all,
            "DescribeInsight": self.insights.describe,
            "CreateAddon": self._addons.create,
            "DescribeAddon": self._addons.describe,
            "ListAddons": self._addons.list_all,
            "DeleteAddon": self._addons.delete,
            "UpdateAddon": self._addons.update,
            "DescribeAddonVersions": self._offers.describe_versions,
            "DescribeAddonConfiguration": self._offers.describe_configuration,
            "CreateAccessEntry": self._access.create,
            "DescribeAccessEntry": self._access.describe,
            "ListAccessEntries": self._access.list_all,
            "UpdateAccessEntry": self._access.update,
            "DeleteAccessEntry": self._access.delete,
            "AssociateAccessPolicy": self._access.associate,
            "DisassociateAccessPolicy": self._access.disassociate,
            "ListAssociatedAccessPolicies": self._access.list_associated,
            "CreatePodIdentityAssociation": self._identities.create,
            "DescribePodIdentityAssociation": self._identities.describe,
            "ListPodIdentityAssociations": self._identities.list_all,
            "UpdatePodIdentityAssociation": self._identities.update,
            "DeletePodIdentityAssociation": self._identities.delete,
            "TagResource": self._tag,
            "UntagResource": self._untag,
            "ListTagsForResource": self._list_tags,
        }

    @property
    def unsupported_zone_ids(self) -> set[str]:
        """Zones that refuse a control plane; change the set to simulate another one."""
        return self.records.unsupported_zone_ids

    def settle(self) -> None:
        """Bring clusters and add-ons up to the clock and tell the host what became of them."""
        self._clusters.settle()
        self.updates.settle()
        self._modes.settle()
        self._addons.settle()

    def deadlines(self) -> Iterator[datetime]:
        """Moments, past and future, at which something changes by itself."""
        for cluster in self.records.clusters.values():
            yield cluster.deleted_at + DELETION if cluster.deleted_at else cluster.created_at + CREATION
            if cluster.running_update:
                yield cluster.running_update.due
            if cluster.access_update:
                yield cluster.access_update.due()
            for addon in cluster.addons.values():
                yield addon.due()

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot."""
        super().restore(state)
        self._state.records = self.records

    def view(self, cluster_arn: str) -> EksView | None:
        """A cluster as HyperPod sees it."""
        for cluster in self.records.clusters.values():
            if cluster.arn == cluster_arn:
                status, mode = cluster.status(self.now()), cluster.authentication_mode
                return EksView(cluster.name, cluster.arn, status, mode, cluster.version, cluster.vpc_id)
        return None

    def admit_nodes(self, cluster_name: str, role_arn: str) -> None:
        """Make the HYPERPOD_LINUX access entry of an execution role, unless it exists."""
        self._access.admit_nodes(cluster_name, role_arn)

    def access_entry(self, cluster_name: str, principal_arn: str) -> AccessEntryRecord | None:
        """How a principal gets into a cluster, if it does: what the Kubernetes endpoint authorises by."""
        cluster = self.records.clusters.get(cluster_name)
        return cluster.entries.get(principal_arn) if cluster else None

    def _tags(self, arn: str) -> dict[str, str]:
        for cluster in self.records.clusters.values():
            for owner in _tagged(cluster):
                if owner[0] == arn:
                    return owner[1]
        raise ServiceError("NotFoundException", f"Resource not found: {arn}", 404)

    def _tag(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        self._tags(params["resourceArn"]).update(params["tags"])
        return {}

    def _untag(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        tags = self._tags(params["resourceArn"])
        for key in params["tagKeys"]:
            tags.pop(key, None)
        return {}

    def _list_tags(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        return {"tags": dict(self._tags(params["resourceArn"]))}


def _tagged(cluster: ClusterRecord) -> Iterator[tuple[str, dict[str, str]]]:
    yield cluster.arn, cluster.tags
    for addon in cluster.addons.values():
        yield addon.arn, addon.tags
    for entry in cluster.entries.values():
        yield entry.arn, entry.tags
    for association in cluster.associations.values():
        yield association.arn, association.tags
