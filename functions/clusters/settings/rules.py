"""What a change of a cluster's settings comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.previews import Action, Change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.clusters.settings.models import UpdateCluster
    from functions.core.cluster import ClusterSpec

STAGE = "company_tags"
# A resource has 50 tags at most; what was dropped so long ago has left the foundation with a repair or an upgrade.
_REMEMBERED = 200


def changed_members(request: UpdateCluster, spec: ClusterSpec) -> dict[str, JsonValue]:
    """Give the members of the desired state that change; empty when all is as it was."""
    changed: dict[str, JsonValue] = {}
    if request.owner_groups is not None and request.owner_groups != spec.owner_groups:
        changed["owner_groups"] = [*request.owner_groups]
    if request.company_tags is not None and request.company_tags != spec.company_tags:
        changed["company_tags"] = {**request.company_tags}
        changed["dropped_tags"] = [*_ever_dropped(request.company_tags, spec)]
    return changed


def dropped_keys(request: UpdateCluster, spec: ClusterSpec) -> list[str]:
    """Name the tags that the cluster no longer has."""
    return [] if request.company_tags is None else sorted(spec.company_tags.keys() - request.company_tags.keys())


def _ever_dropped(wanted: Mapping[str, str], spec: ClusterSpec) -> list[str]:
    """Name the tags that the cluster had once: a later repair or upgrade takes just these from the foundation."""
    had = dict.fromkeys([*spec.dropped_tags, *sorted(spec.company_tags)])
    return [key for key in had if key not in wanted][-_REMEMBERED:]


def changes(request: UpdateCluster, spec: ClusterSpec) -> list[Change]:
    """List what changes, with what it was."""
    changed = changed_members(request, spec)
    found: list[Change] = []
    if "owner_groups" in changed:
        before, after = _listed(spec.owner_groups), _listed(request.owner_groups or [])
        found.append(_change("owner groups", spec.tag, f"from {before} to {after}"))
    if "company_tags" in changed:
        reason = (
            f"from {_pairs(spec.company_tags)} to {_pairs(request.company_tags or {})}; on the EKS cluster and the "
            "HyperPod cluster at once, on the rest of the foundation with its next upgrade or repair, on everything "
            "else when it is made"
        )
        found.append(_change("company tags", spec.tag, reason))
    return found


def difference(
    wanted: Mapping[str, str], dropped: list[str], actual: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Say which tags a resource has to get, and which to lose."""
    missing = {key: value for key, value in wanted.items() if actual.get(key) != value}
    return missing, [key for key in dropped if key in actual and key not in wanted]


def _change(resource: str, name: str, reason: str) -> Change:
    return Change(action=Action.CHANGE, resource=resource, name=name, reason=reason, stage=STAGE)


def _listed(groups: list[str]) -> str:
    return ", ".join(groups) or "nobody in particular"


def _pairs(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(tags.items())) or "none"
