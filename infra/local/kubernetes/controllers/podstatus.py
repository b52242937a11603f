"""What a pod's status says as a whole: conditions and phase, from its containers."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.controllers.conditions import find_condition, with_condition
from infra.local.kubernetes.controllers.containers import Slot, ended
from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, text

_SANDBOX = "PodReadyToStartContainers"
_ORDER = (_SANDBOX, "Initialized", "Ready", "ContainersReady", "PodScheduled")


def slots_of(pod: JsonObject) -> tuple[list[Slot], list[Slot]]:
    """A pod's init containers and containers."""
    policy = text(pod, "spec", "restartPolicy") or "Always"
    init = [
        Slot(spec, True, "Always" if text(spec, "restartPolicy") == "Always" else policy)
        for spec in objects(pod, "spec", "initContainers")
    ]
    return init, [Slot(spec, False, policy) for spec in objects(pod, "spec", "containers")]


def summarized(pod: JsonObject, status: JsonObject, sandbox: bool, now: datetime) -> JsonObject:
    """The status with phase and conditions that follow from its containers."""
    init, main = slots_of(pod)
    phase = _phase(init, main, status)
    conditions = objects(status, "conditions")
    conditions = with_condition(
        conditions, _SANDBOX, sandbox and phase not in ("Succeeded", "Failed"), now, more=_PROBED
    )
    conditions = _initialized(init, status, phase, conditions, now)
    conditions = _ready(pod, main, status, phase, conditions, now)
    if not find_condition(conditions, "PodScheduled"):
        conditions = with_condition(conditions, "PodScheduled", True, now, more=_PROBED)
    return {**status, "phase": phase, "conditions": sorted(conditions, key=_rank)}


_PROBED: JsonObject = {"lastProbeTime": None}


def _rank(condition: JsonObject) -> int:
    kind = text(condition, "type")
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _phase(init: list[Slot], main: list[Slot], status: JsonObject) -> str:
    over = [ended(s) for s in objects(status, "containerStatuses")]
    states = [mapping(s, "state") for s in objects(status, "containerStatuses")]
    for slot, done in zip(init, objects(status, "initContainerStatuses"), strict=False):
        if "terminated" in mapping(done, "state") and integer(ended(done), "exitCode") and slot.policy == "Never":
            return "Failed"
    if not initialized(init, status) or not states:
        return "Pending"
    if any("waiting" in state and not done for state, done in zip(states, over, strict=True)):
        return "Pending"
    if any("running" in state for state in states):
        return "Running"
    policy = main[0].policy if main else "Always"
    codes = [integer(done, "exitCode") for done in over]
    if policy == "Always" or (policy == "OnFailure" and any(codes)):
        return "Running"
    return "Failed" if any(codes) else "Succeeded"


def initialized(init: list[Slot], status: JsonObject) -> bool:
    """Whether every init container is done; one that restarts always need only have started."""
    statuses = objects(status, "initContainerStatuses")
    return len(statuses) == len(init) and all(is_done(slot, s) for slot, s in zip(init, statuses, strict=True))


def is_done(slot: Slot, status: JsonObject) -> bool:
    """Whether the containers after an init container may start."""
    if text(slot.spec, "restartPolicy") == "Always":
        return bool(status.get("started"))
    return "terminated" in mapping(status, "state") and not integer(ended(status), "exitCode")


def _initialized(
    init: list[Slot], status: JsonObject, phase: str, conditions: list[JsonObject], now: datetime
) -> list[JsonObject]:  # fmt: skip
    if initialized(init, status):
        return with_condition(conditions, "Initialized", True, now, more=_PROBED)
    statuses = objects(status, "initContainerStatuses")
    waiting = [slot.name for slot, s in zip(init, statuses, strict=False) if not is_done(slot, s)]
    message = f"containers with incomplete status: [{' '.join(waiting)}]"
    return with_condition(conditions, "Initialized", False, now, "ContainersNotInitialized", message, more=_PROBED)


def _ready(
    pod: JsonObject, main: list[Slot], status: JsonObject, phase: str, conditions: list[JsonObject], now: datetime
) -> list[JsonObject]:  # fmt: skip
    unready = [text(s, "name") for s in objects(status, "containerStatuses") if not s.get("ready")]
    gates = [text(gate, "conditionType") for gate in objects(pod, "spec", "readinessGates")]
    closed = [gate for gate in gates if find_condition(conditions, gate).get("status") != "True"]
    if phase == "Succeeded":
        ready, reason, message = False, "PodCompleted", ""
    elif phase == "Failed":
        ready, reason, message = False, "PodFailed", ""
    else:
        ready = not unready and bool(main)
        reason = "" if ready else "ContainersNotReady"
        message = "" if ready else f"containers with unready status: [{' '.join(unready)}]"
    conditions = with_condition(conditions, "ContainersReady", ready, now, reason, message, more=_PROBED)
    if ready and closed:
        ready, reason = False, "ReadinessGatesNotReady"
        message = f'corresponding condition of pod readiness gate "{closed[0]}" does not exist.'
    return with_condition(conditions, "Ready", ready, now, reason, message, more=_PROBED)


def failed(status: JsonObject, reason: str, message: str) -> JsonObject:
    """A status of a pod that was given up as a whole."""
    return {**status, "phase": "Failed", "reason": reason, "message": message}
