"""What follows from a look at an imported cluster: its desired state as it is, and what has changed since the last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.importing.models.found import Detected
from functions.core.cluster import ClusterNames, Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from pydantic import JsonValue

    from functions.clusters.importing.models.found import Component, FoundHyperPod, Inside, Outside
    from functions.core.cluster import ClusterSpec, DesiredGroup
    from functions.core.findings import Finding

_BUCKETS: Final = "sagemaker-"


@dataclass(frozen=True)
class Given:
    """What the caller named, for what was not found; a new name takes the place of an old one."""

    execution_role_arn: str | None = None
    bucket: str | None = None


def spec_changes(
    spec: ClusterSpec, outside: Outside, given: Given, *, made_hyperpod: bool = False
) -> dict[str, JsonValue]:
    """Give the members of the desired state that follow; a HyperPod cluster that was made here stays as asked for.

    One that others put in its place, as its tags tell, is taken as it is found.
    """
    groups = outside.groups
    role = _execution_role(spec, outside.hyperpod, given)
    changed = spec.model_copy(
        update={
            "names": _names(spec.names, outside, groups, role, given),
            "surroundings": Surroundings(
                eks_arn=outside.eks.arn,
                vpc_id=outside.eks.vpc_id,
                security_group_id=_security_group(outside, groups or ()),
                execution_role_arn=role,
            ),
        }
    )
    if made_hyperpod and outside.hyperpod_marked is not False:
        names = changed.names.model_copy(update={"hyperpod_cluster": spec.names.hyperpod_cluster})
        changed = changed.model_copy(update={"names": names})
    elif groups is not None:
        changed = changed.model_copy(update=_capacity(spec, outside, groups))
    before, after = spec.model_dump(mode="json"), changed.model_dump(mode="json")
    return {name: value for name, value in after.items() if value != before[name]}


def detected(outside: Outside, inside: Inside, findings: list[Finding], operation_id: str, at: datetime) -> Detected:
    """Put together what was found."""
    return Detected(
        detected_at=at,
        operation_id=operation_id,
        eks=outside.eks,
        network=outside.network,
        security_groups=outside.security_groups,
        hyperpod=outside.hyperpod,
        components=merged([*outside.components, *inside.components]),
        volumes=inside.volumes,
        reach=inside.reach,
        s3_driver_role_arn=outside.s3_driver_role_arn,
        findings=findings,
        unknown=[*outside.unknown, *inside.unknown],
    )


def merged(components: Sequence[Component]) -> list[Component]:
    """Keep one component of a kind and name: one that is there before one that is not, the first before a later one."""
    best: dict[tuple[str, str, str | None], Component] = {}
    for each in components:
        key = (each.kind, each.name, each.namespace if each.kind == "helm_release" else None)
        if key not in best or (each.presence == "present" and best[key].presence != "present"):
            best[key] = each
    return list(best.values())


def changes_since(before: Detected | None, now: Detected) -> list[str]:
    """Say in sentences what has changed between two looks; nothing for the first."""
    if before is None:
        return []
    return [
        *_eks_changes(before, now),
        *_group_changes(before.hyperpod, now.hyperpod),
        *_component_changes(before, now),
    ]


def _names(
    names: ClusterNames, outside: Outside, groups: Sequence[DesiredGroup] | None, role: str | None, given: Given
) -> ClusterNames:
    return names.model_copy(
        update={
            "hyperpod_cluster": outside.hyperpod.name if outside.hyperpod else names.hyperpod_cluster,
            "bucket": given.bucket or _bucket_of(groups or ()) or names.bucket,
            "control_plane_role": outside.eks.role_arn.rpartition("/")[2],
            "execution_role": role.rpartition("/")[2] if role else names.execution_role,
        }
    )


def _execution_role(spec: ClusterSpec, found: FoundHyperPod | None, given: Given) -> str | None:
    of_groups = next((group.execution_role_arn for group in found.groups), None) if found else None
    known = spec.surroundings.execution_role_arn if spec.surroundings else None
    return given.execution_role_arn or of_groups or known


def _bucket_of(groups: Sequence[DesiredGroup]) -> str | None:
    sources = (group.lifecycle.source_uri for group in groups if group.lifecycle)
    buckets = (source.removeprefix("s3://").partition("/")[0] for source in sources)
    return next((bucket for bucket in buckets if bucket.startswith(_BUCKETS)), None)


def _security_group(outside: Outside, groups: Sequence[DesiredGroup]) -> str:
    """Choose the group for instances: that of instances there are, else one that suits EFA, else the cluster's own."""
    used = next((each for group in groups for each in group.security_group_ids or ()), None)
    open_ones = {each.group_id for each in outside.security_groups if each.from_itself and each.to_itself}
    additional = (each for each in outside.eks.security_group_ids if each in open_ones)
    return used or next(additional, outside.eks.cluster_security_group_id)


def _capacity(spec: ClusterSpec, outside: Outside, groups: Sequence[DesiredGroup]) -> Mapping[str, object]:
    if outside.hyperpod is None:
        return {"instance_groups": [], "node_recovery": None}
    subnets = {each.subnet_id: each.availability_zone for each in (outside.network.subnets if outside.network else ())}
    zones = [subnets[group.subnet_id] for group in groups if group.subnet_id in subnets]
    return {
        "instance_groups": [*groups],
        "node_recovery": outside.hyperpod.node_recovery,
        "availability_zone": zones[0] if zones else spec.availability_zone,
    }


def _eks_changes(before: Detected, now: Detected) -> Iterator[str]:
    for what in ("version", "status", "authentication_mode", "public_endpoint", "vpc_id"):
        old, new = getattr(before.eks, what), getattr(now.eks, what)
        if old != new:
            yield f"EKS cluster {now.eks.name}: {what.replace('_', ' ')} {old} → {new}"
    if before.reach.reachable != now.reach.reachable:
        yield f"API server of {now.eks.name}: {before.reach.reason} → {now.reach.reason}"


def _group_changes(before: FoundHyperPod | None, now: FoundHyperPod | None) -> Iterator[str]:
    if (before and before.name) != (now and now.name):
        yield f"HyperPod cluster: {before.name if before else 'none'} → {now.name if now else 'none'}"
    old = {group.name: group for group in (before.groups if before else ())}
    new = {group.name: group for group in (now.groups if now else ())}
    for name in sorted(new.keys() - old.keys()):
        yield f"instance group {name} was added: {new[name].target} x {', '.join(new[name].instance_types)}"
    for name in sorted(old.keys() - new.keys()):
        yield f"instance group {name} is gone"
    for name in sorted(old.keys() & new.keys()):
        if old[name].target != new[name].target:
            yield f"instance group {name}: {old[name].target} → {new[name].target} instances"
        if old[name].instance_types != new[name].instance_types:
            listed = (", ".join(each.instance_types) for each in (old[name], new[name]))
            yield f"instance group {name}: {' → '.join(listed)}"


def _component_changes(before: Detected, now: Detected) -> Iterator[str]:
    old = {(each.kind, each.namespace, each.name): each for each in before.components}
    new = {(each.kind, each.namespace, each.name): each for each in now.components}
    for key in sorted(old.keys() | new.keys(), key=str):
        was, is_now = _told(old.get(key)), _told(new.get(key))
        if was != is_now:
            yield f"{key[0].replace('_', ' ')} {key[2]}: {was} → {is_now}"


def _told(component: Component | None) -> str:
    if component is None or component.presence == "absent":
        return "absent"
    if component.presence == "unknown":
        return "unknown"
    return " ".join(filter(None, [component.version, component.status])) or "present"
