"""Looking at a cluster from inside, by its own API server: releases, operators, drivers, volumes and our rights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from functions.clusters.importing.models.found import Component, FoundVolume, Inside, Reach, Unknown
from functions.clusters.importing.rules import operators
from functions.core.documents import member
from functions.core.errors import StageFailed
from functions.core.tags import MANAGER
from functions.features.presence.rules import Present, webhooks_of
from functions.identity.rules import OPERATOR_GROUP
from functions.kubernetes_api import objects, releases
from functions.kubernetes_api.objects import (
    CLUSTER_ROLES,
    CSI_DRIVERS,
    CUSTOM_RESOURCE_DEFINITIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    NO_ENTRY,
    PERSISTENT_VOLUMES,
    VALIDATING_WEBHOOKS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from functions.features.presence.rules import Evidence
    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.objects import Object
    from functions.kubernetes_api.releases import Installed

Result = TypeVar("Result")

_DRIVERS: Final = {"s3.csi.aws.com": "aws-mountpoint-s3-csi-driver", "fsx.csi.aws.com": "aws-fsx-csi-driver"}
_RELEASES: Final = 100
_VOLUMES: Final = 100
_NEEDED: Final = ("dependencies", "kube-system")


class _Looking:
    """One look inside; `unknown` collects what the role may not see."""

    def __init__(self) -> None:
        self.unknown: list[Unknown] = []

    def ask(self, what: str, call: Callable[[], Result]) -> Result | None:
        """Make the calls of one side; None when a right is missing.

        Raises what says that the cluster does not answer, or does not know our role.
        """
        try:
            return call()
        except StageFailed as refused:
            if refused.cause is None or refused.cause.code == NO_ENTRY:
                raise
            self.unknown.append(Unknown(what=what, reason=refused.detail, code=refused.cause.code))
            return None


def look(client: ClusterClient, reach: Reach) -> Inside:
    """Look around. Raises StageFailed with K8S_ACCESS_ENTRY_MISSING or Unavailable when there is no way in."""
    looking = _Looking()
    return Inside(
        reach=reach,
        components=[
            *_releases(client, looking),
            *_operators(client, looking),
            *_self_managed(client, looking),
            *_drivers(client, looking),
            _rights(client, looking),
        ],
        volumes=looking.ask("volumes", lambda: list(_volumes(client))[:_VOLUMES]) or [],
        unknown=looking.unknown,
    )


def _releases(client: ClusterClient, looking: _Looking) -> list[Component]:
    name, namespace = _NEEDED
    found = looking.ask("helm_releases", lambda: releases.installed(client))
    if found is None:
        return [Component(kind="helm_release", name=name, namespace=namespace, presence="unknown")]
    listed = [_release(each) for each in found[:_RELEASES]]
    if any((each.name, each.namespace) == _NEEDED for each in listed):
        return listed
    return [*listed, Component(kind="helm_release", name=name, namespace=namespace, presence="absent")]


def _release(found: Installed) -> Component:
    ours = found.labels.get("managed-by") == MANAGER
    return Component(
        kind="helm_release",
        name=found.name,
        presence="present",
        namespace=found.namespace,
        version=f"{found.chart}-{found.version}" if found.chart else None,
        status=found.status,
        managed_by=MANAGER if ours else found.written_by,
        message=None if found.chart else "its secret could not be read, so its chart is unknown",
    )


def _operators(client: ClusterClient, looking: _Looking) -> Iterator[Component]:
    for name, known in operators.OPERATORS.items():
        seen = looking.ask("operators", lambda known=known: _seen(client, known))  # type: ignore[misc]  # bound now
        if seen is None:
            yield Component(kind="operator", name=name, presence="unknown")
        else:
            yield operators.operator_of(name, known, *seen)
    for name, evidence in operators.EVIDENCED.items():
        present = looking.ask("operators", lambda evidence=evidence: _present(client, evidence))  # type: ignore[misc]
        if present is None:
            yield Component(kind="operator", name=name, presence="unknown")
        else:
            yield operators.evidenced_operator(name, evidence, present)


def _seen(client: ClusterClient, known: operators.Known) -> tuple[tuple[Object, ...], bool]:
    controllers = tuple(objects.listed(client, DEPLOYMENTS, known.controller))
    return controllers, objects.get(client, CUSTOM_RESOURCE_DEFINITIONS, known.definition) is not None


def _present(client: ClusterClient, evidence: Evidence) -> Present:
    controllers = tuple(objects.listed(client, DEPLOYMENTS, evidence.controller))
    if not controllers:
        return Present((), frozenset(), frozenset())
    defined = (name for name in evidence.definitions if objects.get(client, CUSTOM_RESOURCE_DEFINITIONS, name))
    return Present(controllers, frozenset(defined), webhooks_of(objects.listed(client, VALIDATING_WEBHOOKS)))


def _self_managed(client: ClusterClient, looking: _Looking) -> Iterator[Component]:
    """Find the network plugin and the DNS of a cluster that has them without EKS's add-ons."""
    plugin = looking.ask("aws-node", lambda: objects.get(client, DAEMON_SETS, "aws-node", "kube-system"))
    if plugin is not None:
        yield operators.self_managed("vpc-cni", plugin)
    names = looking.ask("coredns", lambda: objects.get(client, DEPLOYMENTS, "coredns", "kube-system"))
    if names is not None:
        yield operators.self_managed("coredns", names)


def _drivers(client: ClusterClient, looking: _Looking) -> Iterator[Component]:
    for driver in _DRIVERS:
        before = len(looking.unknown)
        found = looking.ask("csi_drivers", lambda driver=driver: objects.get(client, CSI_DRIVERS, driver))  # type: ignore[misc]
        if len(looking.unknown) > before:
            yield Component(kind="csi_driver", name=driver, presence="unknown")
        elif found is None:
            yield Component(kind="csi_driver", name=driver, presence="absent")
        else:
            labels = member(member(found, "metadata"), "labels")
            owner = str(labels.get("app.kubernetes.io/managed-by") or "manifests")
            yield Component(kind="csi_driver", name=driver, presence="present", managed_by=owner)


def _rights(client: ClusterClient, looking: _Looking) -> Component:
    before = len(looking.unknown)
    found = looking.ask("cluster_role", lambda: objects.get(client, CLUSTER_ROLES, OPERATOR_GROUP))
    if len(looking.unknown) > before:
        return Component(kind="cluster_role", name=OPERATOR_GROUP, presence="unknown")
    return Component(kind="cluster_role", name=OPERATOR_GROUP, presence="present" if found else "absent")


def _volumes(client: ClusterClient) -> Iterator[FoundVolume]:
    for volume in objects.listed(client, PERSISTENT_VOLUMES):
        spec = member(volume, "spec")
        source, claim = member(spec, "csi"), member(spec, "claimRef")
        if source.get("driver") in _DRIVERS:
            bucket = member(source, "volumeAttributes").get("bucketName")
            yield FoundVolume(
                name=str(member(volume, "metadata").get("name")),
                driver=str(source["driver"]),
                handle=str(bucket or source.get("volumeHandle")),
                phase=str(member(volume, "status").get("phase")),
                claim=f"{claim.get('namespace')}/{claim.get('name')}" if claim else None,
            )
