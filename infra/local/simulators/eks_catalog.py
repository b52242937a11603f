"""Kubernetes versions and add-ons that the EKS simulator offers, from `data/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject

_DATA = Path(__file__).parent / "data"


@dataclass(frozen=True)
class OfferedVersion:
    """A Kubernetes version and its support dates."""

    name: str
    released: datetime
    standard_until: datetime
    extended_until: datetime

    def described(self, now: datetime, default: str) -> JsonObject:
        """ClusterVersionInformation."""
        standard = now < self.standard_until
        return {
            "clusterVersion": self.name,
            "clusterType": "eks",
            "defaultPlatformVersion": "eks.1",
            "defaultVersion": self.name == default,
            "releaseDate": self.released,
            "endOfStandardSupportDate": self.standard_until,
            "endOfExtendedSupportDate": self.extended_until,
            "status": "standard-support" if standard else "extended-support",
            "versionStatus": "STANDARD_SUPPORT" if standard else "EXTENDED_SUPPORT",
            "kubernetesPatchVersion": f"{self.name}.0",
        }


@dataclass(frozen=True)
class OfferedAddon:
    """An add-on: where it lives, what it needs, which versions suit which cluster version (newest first).

    `without_pod_identity` are the versions that refuse associations in CreateAddon (case 34 of the case log).
    """

    name: str
    type: str
    namespace: str
    owner: str
    needs_node: bool
    requires: tuple[str, ...]
    requires_iam: bool
    cluster_versions: tuple[str, ...]
    version_patterns: tuple[str, ...]
    without_pod_identity: frozenset[str] = frozenset()

    def versions(self, cluster_version: str) -> list[str]:
        """Versions for a cluster version, the default first; none when the add-on does not support it."""
        if cluster_version not in self.cluster_versions:
            return []
        return [pattern.format(cluster=cluster_version) for pattern in self.version_patterns]

    def described(self, cluster_versions: list[str]) -> JsonObject:
        """AddonInfo over some cluster versions."""
        suited: dict[str, list[tuple[str, bool]]] = {}
        for cluster_version in cluster_versions:
            for index, version in enumerate(self.versions(cluster_version)):
                suited.setdefault(version, []).append((cluster_version, index == 0))
        return {
            "addonName": self.name,
            "type": self.type,
            "publisher": "eks" if self.owner == "aws" else self.owner,
            "owner": self.owner,
            "defaultNamespace": self.namespace,
            "addonVersions": [self._version_info(version, clusters) for version, clusters in suited.items()],
        }

    def _version_info(self, version: str, clusters: list[tuple[str, bool]]) -> JsonObject:
        return {
            "addonVersion": version,
            "architecture": ["amd64", "arm64"],
            "computeTypes": ["ec2", "hybrid"],
            "requiresConfiguration": False,
            "requiresIamPermissions": self.requires_iam,
            "compatibilities": [
                {"clusterVersion": name, "platformVersions": ["*"], "defaultVersion": default}
                for name, default in clusters
            ],
        }


def _date(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _versions(document: JsonObject) -> dict[str, OfferedVersion]:
    return {name: OfferedVersion(name, *map(_date, dates)) for name, dates in document["versions"].items()}


def _addon(name: str, facts: JsonObject) -> OfferedAddon:
    return OfferedAddon(
        name=name,
        type=facts["type"],
        namespace=facts["namespace"],
        owner=facts.get("owner", "aws"),
        needs_node=facts["needs_node"],
        requires=tuple(facts.get("requires", ())),
        requires_iam=facts.get("requires_iam", False),
        cluster_versions=tuple(facts.get("cluster_versions", VERSIONS)),
        version_patterns=tuple(facts["versions"]),
        without_pod_identity=frozenset(facts.get("without_pod_identity", ())),
    )


_VERSION_DOCUMENT: JsonObject = json.loads((_DATA / "eks_versions.json").read_text())
DEFAULT_VERSION: str = _VERSION_DOCUMENT["default"]
VERSIONS = _versions(_VERSION_DOCUMENT)
ADDONS = {
    name: _addon(name, facts) for name, facts in json.loads((_DATA / "eks_addons.json").read_text())["addons"].items()
}
ADDON_SCHEMAS: dict[str, JsonObject] = json.loads((_DATA / "eks_addon_schemas.json").read_text())["schemas"]
