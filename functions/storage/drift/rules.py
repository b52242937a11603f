"""How a mount differs from what was made: its volume, its claim, and whether they hold each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from functions.core.documents import member
from functions.core.drifts import ABSENT, Drift, drift
from functions.storage.manifests import persistent_volume, persistent_volume_claim

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.storage.manifests import Mount

    Object = dict[str, JsonValue]

KIND: Final = "mount"
# What decides where a mount leads and what it may do; the rest Kubernetes fills in.
_OF_VOLUME: Final = ("accessModes", "persistentVolumeReclaimPolicy", "mountOptions", "csi")


def drifts_of(mount: Mount, stage: str, volume: Object | None, claim: Object | None) -> list[Drift]:
    """List what differs of a mount, given its objects as they stand; None for what is gone."""
    found = _of_volume(mount, stage, volume)
    resource = f"{mount.namespace}/persistentvolumeclaim/{mount.claim}"
    if claim is None:
        return [*found, drift(resource, KIND, stage, expected="present", actual=ABSENT)]
    wanted = member(persistent_volume_claim(mount, {}), "spec").get("volumeName")
    actual = member(claim, "spec").get("volumeName")
    if actual != wanted:
        found.append(drift(resource, KIND, stage, "volumeName", expected=str(wanted), actual=str(actual)))
    phase = str(member(claim, "status").get("phase"))
    if phase != "Bound":
        found.append(drift(resource, KIND, stage, "phase", expected="Bound", actual=phase))
    return found


def _of_volume(mount: Mount, stage: str, volume: Object | None) -> list[Drift]:
    resource = f"persistentvolume/{mount.volume}"
    if volume is None:
        return [drift(resource, KIND, stage, expected="present", actual=ABSENT)]
    wanted, have = member(persistent_volume(mount, {}), "spec"), member(volume, "spec")
    return [
        drift(resource, KIND, stage, name, expected=json.dumps(wanted[name]), actual=json.dumps(have.get(name)))
        for name in _OF_VOLUME
        if have.get(name) != wanted[name]
    ]
