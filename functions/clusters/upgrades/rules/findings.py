"""What is noticed about an upgrade before it is begun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog import rules as catalog
from functions.clusters.upgrades.rules.versions import choices, minor_of, next_of
from functions.core.errors import AlreadyExists, DeploymentFault, InvalidRequest, PreconditionFailed, Unavailable
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.clusters.upgrades.models import (
        AddonFact,
        Compute,
        ControlPlane,
        GroupFact,
        Insight,
        Readiness,
        Rollout,
    )

VERSION: Final = "upgrade_version"
STATUS: Final = "upgrade_status"
INSIGHT: Final = "upgrade_insight"
ADDON: Final = "upgrade_addon"
NODES: Final = "upgrade_nodes"
IMAGE: Final = "upgrade_custom_image"
ALARM: Final = "upgrade_alarms"
NOTHING: Final = "upgrade_nothing_to_do"
_FIELD: Final = "kubernetes_version"
_CHANGING: Final = frozenset({"Creating", "Updating", "SystemUpdating", "Deleting"})


def of_version(present: str, target: str, offered: tuple[str, ...] | None) -> list[Finding]:
    """Judge the target by the version that the control plane has: one minor up, offered by EKS, known to HyperPod.

    What EKS offers is None where it did not tell: the rest is judged without.
    Source: Amazon EKS user guide, "Update existing cluster to new Kubernetes version".
    """
    message = _version_fault(present, target, offered)
    if message is None:
        return []
    allowed = choices(present, offered)
    newer = [version for version in allowed if version != present]
    remedy = f"Ask for {newer[0]}." if newer else f"Stay at {present} until a newer version is supported."
    return [
        Finding(
            check=VERSION,
            level=Level.ERROR,
            code=InvalidRequest.code,
            field=_FIELD,
            message=message,
            allowed=allowed,
            remedy=remedy,
        )
    ]


def _version_fault(present: str, target: str, offered: tuple[str, ...] | None) -> str | None:
    distance = minor_of(target) - minor_of(present)
    if distance < 0:
        return f"{target} is older than {present}, which the control plane has; EKS never goes back to an older version"
    if distance == 0:
        return None
    if offered is not None and target not in offered:
        return f"EKS offers no Kubernetes {target}"
    if target not in catalog.HYPERPOD_KUBERNETES_VERSIONS:
        newest = catalog.HYPERPOD_KUBERNETES_VERSIONS[-1]
        return f"HyperPod does not support Kubernetes {target}, as far as this release knows; {newest} is the newest"
    if distance > 1:
        return (
            f"{target} is {distance} minor versions above {present}, and EKS moves one at a time, each step with a "
            f"readiness of its own: {next_of(present)} comes first"
        )
    return None


def of_readiness(found: Readiness, target: str, rollout: Rollout) -> list[Finding]:
    """Judge everything else by what was gathered."""
    findings = [
        *_of_control_plane(found.control_plane, target),
        *_of_insights(found, target),
        *_of_addons(found, target),
        *(_of_compute(found.compute, rollout) if found.compute else ()),
    ]
    if nothing_to_do(found, target):
        findings.append(_nothing(found, target))
    return findings


def nothing_to_do(found: Readiness, target: str) -> bool:
    """Say whether control plane, add-ons and nodes are where the upgrade would bring them."""
    groups = found.compute.groups if found.compute else ()
    return (
        found.control_plane.version == target
        and found.settled in (None, target)
        and found.compute_known
        and found.addons is not None
        and all(addon.target in (None, addon.version) for addon in found.addons)
        and not any(group.behind for group in groups)
    )


def _nothing(found: Readiness, target: str) -> Finding:
    name, compute = found.control_plane.name, found.compute
    what = "control plane, add-ons and nodes" if compute else "control plane and add-ons"
    return Finding(
        check=NOTHING,
        level=Level.ERROR,
        code=AlreadyExists.code,
        resource=name,
        message=f"{name} is at Kubernetes {target} already: {what} are as an upgrade would make them",
        remedy="Nothing needs to be done; GET /api/clusters shows what there is.",
    )


def _of_control_plane(plane: ControlPlane, target: str) -> Iterator[Finding]:
    if plane.status == "ACTIVE":
        return
    if plane.moving_to == target:
        message = (
            f"{plane.name} is being updated to {target} already; the operation waits for it and goes on from there"
        )
        yield Finding(check=STATUS, level=Level.WARNING, message=message, resource=plane.name)
        return
    doing = f" to {plane.moving_to}" if plane.moving_to else ""
    yield _in_the_way(
        f"the EKS cluster {plane.name} is {plane.status}{doing}", plane.name, "Upgrade it once it is ACTIVE."
    )


def _of_insights(found: Readiness, target: str) -> Iterator[Finding]:
    if found.control_plane.version == target:
        # They speak of the version after this one.
        return
    for insight in found.insights or ():
        yield _of_insight(insight, found.control_plane.name)


def _of_insight(insight: Insight, cluster: str) -> Finding:
    used = f": {', '.join(insight.deprecated)}" if insight.deprecated else ""
    blocks = insight.status == "ERROR"
    return Finding(
        check=INSIGHT,
        level=Level.ERROR if blocks else Level.WARNING,
        code=PreconditionFailed.code if blocks else None,
        resource=cluster,
        message=f"EKS finds {cluster} not ready for the next version: {insight.name}: {insight.reason}{used}",
        remedy=insight.recommendation or "See the upgrade insights of the cluster in the EKS console.",
    )


def _of_addons(found: Readiness, target: str) -> Iterator[Finding]:
    """Judge the add-ons: the stages and versions of an upgrade are settled by them, so it is not begun without."""
    if found.addons is None:
        yield _unread_addons(found, target)
    yield from (_no_version(addon, target) for addon in found.addons or () if addon.target is None)


def _unread_addons(found: Readiness, target: str) -> Finding:
    """Say why the add-ons are not known; what is denied stays so until somebody grants it."""
    name, denied = found.control_plane.name, found.addons_denied
    unknown = f"which add-ons {name} has and which versions of them are for {target}"
    nothing = "an upgrade of them cannot be planned, and nothing was begun"
    said = f"{unknown} cannot be read, {denied}" if denied else f"EKS does not say at present {unknown}"
    granting = "Grant the action of that call to the control plane's role, then send the request again."
    return Finding(
        check=ADDON,
        level=Level.ERROR,
        code=DeploymentFault.code if denied else Unavailable.code,
        resource=name,
        message=f"{said}; {nothing}",
        remedy=granting if denied else "Send the request again in a moment.",
    )


def _no_version(addon: AddonFact, target: str) -> Finding:
    return _in_the_way(
        f"EKS offers no version of the add-on {addon.name} for Kubernetes {target}",
        addon.name,
        f"Remove the add-on {addon.name}, or wait until EKS offers it for {target}.",
        check=ADDON,
    )


def _of_compute(compute: Compute, rollout: Rollout) -> Iterator[Finding]:
    if compute.status != "InService":
        yield _in_the_way(f"the HyperPod cluster is {compute.status}", None, "Upgrade it once it is InService.")
    for group in compute.groups:
        if group.status in _CHANGING:
            yield _in_the_way(
                f"the instance group {group.name} is {group.status}", group.name, "Upgrade it once that has ended."
            )
        if group.custom and group.count:
            yield _custom(group)
    if nodes := sum(group.count for group in compute.groups if not group.custom):
        yield _disruption(nodes, rollout)
    if rollout.alarms:
        yield Finding(
            check=ALARM,
            level=Level.INFO,
            field="rollout.alarms",
            message="HyperPod reads the alarms with the groups' execution role, which needs cloudwatch:DescribeAlarms",
        )


def _custom(group: GroupFact) -> Finding:
    return Finding(
        check=IMAGE,
        level=Level.WARNING,
        resource=group.name,
        message=f"the instance group {group.name} has an image of your own and is left as it is, kubelets included",
        remedy="Build the image for the new version and update the group's software with it afterwards.",
    )


def _disruption(nodes: int, rollout: Rollout) -> Finding:
    """Say what an update of nodes does to what runs on them.

    Source: SageMaker developer guide, "Update the SageMaker HyperPod platform software".
    """
    return Finding(
        check=NODES,
        level=Level.WARNING,
        message=f"{nodes} {'node is' if nodes == 1 else 'nodes are'} updated, {rollout.words}: HyperPod drains no "
        "pods, nodes are NotReady for minutes, lifecycle scripts run again, and what is on root volumes is lost",
        remedy="End or checkpoint what runs on the nodes first; keep data in S3 or on FSx.",
    )


def _in_the_way(message: str, resource: str | None, remedy: str, check: str = STATUS) -> Finding:
    return Finding(
        check=check,
        level=Level.ERROR,
        code=PreconditionFailed.code,
        message=message,
        resource=resource,
        remedy=remedy,
    )
