"""One container's life: waiting for its image, running, ending, backing off, running again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

from infra.local.kubernetes.controllers.behaviours import Behaviour
from infra.local.kubernetes.controllers.mounts import config_problem
from infra.local.kubernetes.controllers.plan import KILLED, Plan, plan_of
from infra.local.kubernetes.controllers.sync import PodSync
from infra.local.kubernetes.controllers.times import later, moment_at
from infra.local.kubernetes.documents import JsonObject, integer, mapping, text
from infra.local.kubernetes.metadata import timestamp

_FIRST_BACKOFF, _LONGEST_BACKOFF = 10, 300
_STEADY_SECONDS = 600
_MOST_STEPS = 40
"""After a long jump of the clock not every restart of a crash loop is played."""


@dataclass(frozen=True)
class Slot:
    """A container of a pod: its spec, whether it is an init container, when it runs again."""

    spec: JsonObject
    init: bool
    policy: str

    @property
    def name(self) -> str:
        """The container's name."""
        return text(self.spec, "name")


def initial(slot: Slot, reason: str) -> JsonObject:
    """The status of a container nothing was done for yet."""
    return {
        "name": slot.name, "image": text(slot.spec, "image"), "imageID": "", "lastState": {}, "ready": False,
        "started": False, "restartCount": 0, "state": {"waiting": {"reason": reason}},
    }  # fmt: skip


def advance(sync: PodSync, slot: Slot, status: JsonObject, may_start: datetime) -> JsonObject:
    """The container's status now, having started no earlier than `may_start`."""
    for _ in range(_MOST_STEPS):
        following = _step(sync, slot, status, may_start)
        if following is None:
            break
        status = following
    return _observed(sync, slot, status)


def ended(status: JsonObject) -> JsonObject:
    """How a container's last run ended, empty while it runs or before it has run."""
    state = mapping(status, "state")
    return mapping(state, "terminated") or (
        mapping(status, "lastState", "terminated") if "running" not in state else {}
    )


def stopped(slot: Slot, status: JsonObject, at: datetime) -> JsonObject:
    """The status of a container that was told to end."""
    running = mapping(status, "state", "running")
    if not running:
        return {**status, "ready": False, "started": False}
    return _terminated(status, {"exitCode": KILLED, "reason": "Error"}, text(running, "startedAt"), at)


def _step(sync: PodSync, slot: Slot, status: JsonObject, may_start: datetime) -> JsonObject | None:
    state = mapping(status, "state")
    if "running" in state:
        return _end(sync, slot, status)
    if ended(status):
        return _restart(sync, slot, status)
    return _start(sync, slot, status, may_start)


def _start(sync: PodSync, slot: Slot, status: JsonObject, may_start: datetime) -> JsonObject | None:
    behaviour = sync.behaviour(slot.spec, 0, slot.init)
    if behaviour.pull_error:
        return _fail_to_pull(sync, slot, status, behaviour, may_start)
    if problem := config_problem(sync.cluster, sync.pod, slot.spec):
        return _waiting(sync, status, "CreateContainerConfigError", problem, "Failed", f"Error: {problem}")
    image, present = text(slot.spec, "image"), sync.image_present(slot.spec)
    moment = later(may_start, 1 if present else behaviour.pull_seconds)
    if not present:
        sync.event("Pulling", f'Pulling image "{image}"')
    if moment > sync.now:
        sync.wake_at(moment)
        return None
    pulled = f'Successfully pulled image "{image}" in {behaviour.pull_seconds}s'
    sync.event("Pulled", f'Container image "{image}" already present on machine' if present else pulled)
    return _running(sync, slot, status, moment)


def _running(sync: PodSync, slot: Slot, status: JsonObject, at: datetime) -> JsonObject:
    again = integer(status, "restartCount") > 0
    sync.event("Created", f"Created container: {slot.name}", again=again)
    sync.event("Started", f"Started container {slot.name}", again=again)
    identity = f"{text(sync.pod, 'metadata', 'uid')}/{slot.name}/{integer(status, 'restartCount')}"
    return {
        **status,
        "containerID": f"containerd://{hashlib.sha256(identity.encode()).hexdigest()}",
        "imageID": f"{text(slot.spec, 'image')}@sha256:{hashlib.sha256(text(slot.spec, 'image').encode()).hexdigest()}",
        "state": {"running": {"startedAt": timestamp(at)}},
    }


def _end(sync: PodSync, slot: Slot, status: JsonObject) -> JsonObject | None:
    started = moment_at(status, "state", "running", "startedAt") or sync.now
    behaviour, plan = _course(sync, slot, status)
    _report_probes(sync, slot, plan, started)
    if plan.ends_after is None or later(started, plan.ends_after) > sync.now:
        for after in plan.changes():
            sync.wake_at(later(started, after))
        return None
    how: JsonObject = {"exitCode": plan.exit_code, "reason": behaviour.reason or _reason(plan.exit_code)}
    if behaviour.message:
        how["message"] = behaviour.message
    return _terminated(status, how, timestamp(started), later(started, plan.ends_after))


def _reason(exit_code: int) -> str:
    return "Error" if exit_code else "Completed"


def _course(sync: PodSync, slot: Slot, status: JsonObject) -> tuple[Behaviour, Plan]:
    behaviour = sync.behaviour(slot.spec, integer(status, "restartCount"), slot.init)
    return behaviour, plan_of(slot.spec, behaviour)


def _report_probes(sync: PodSync, slot: Slot, plan: Plan, started: datetime) -> None:
    for after, complaint in plan.unhealthy:
        if later(started, after) <= sync.now and (plan.ends_after is None or after <= plan.ends_after):
            sync.event("Unhealthy", complaint, "Warning")
    if plan.killed_by and plan.ends_after is not None and later(started, plan.ends_after) <= sync.now:
        sync.event("Killing", f"Container {slot.name} failed {plan.killed_by} probe, will be restarted")


def _terminated(status: JsonObject, how: JsonObject, started: str, at: datetime) -> JsonObject:
    over: JsonObject = {**how, "startedAt": started, "finishedAt": timestamp(at)}
    if identity := text(status, "containerID"):
        over["containerID"] = identity
    return {**status, "state": {"terminated": over}, "ready": False, "started": False}


def _restart(sync: PodSync, slot: Slot, status: JsonObject) -> JsonObject | None:
    over = ended(status)
    if not _runs_again(slot, integer(over, "exitCode")):
        return None
    finished = moment_at(over, "finishedAt") or sync.now
    delay = _backoff(integer(status, "restartCount"), over)
    if later(finished, delay) <= sync.now:
        renewed: JsonObject = {
            **status, "lastState": {"terminated": over}, "restartCount": integer(status, "restartCount") + 1,
        }  # fmt: skip
        sync.event("Pulled", f'Container image "{text(slot.spec, "image")}" already present on machine', again=True)
        return _running(sync, slot, renewed, later(finished, delay))
    sync.wake_at(later(finished, delay))
    if delay < _FIRST_BACKOFF or text(status, "state", "waiting", "reason") == "CrashLoopBackOff":
        return None
    said = f"ack-off {_written(delay)} restarting failed container={slot.name} pod={sync.full_name}"
    sync.event("BackOff", f"Back-off restarting failed container {slot.name} in pod {sync.full_name}", "Warning", True)
    waiting = {"reason": "CrashLoopBackOff", "message": f"b{said}"}
    return {**status, "state": {"waiting": waiting}, "lastState": {"terminated": over}}


def _runs_again(slot: Slot, exit_code: int) -> bool:
    if slot.policy == "Always":
        return not slot.init or exit_code != 0 or text(slot.spec, "restartPolicy") == "Always"
    return slot.policy == "OnFailure" and exit_code != 0


def _backoff(restarts: int, over: JsonObject) -> int:
    """The first restart comes at once, then ten seconds, doubling; a long good run starts over."""
    if restarts == 0:
        return 1
    started, finished = moment_at(over, "startedAt"), moment_at(over, "finishedAt")
    if started and finished and (finished - started).total_seconds() >= _STEADY_SECONDS:
        return _FIRST_BACKOFF
    return min(_FIRST_BACKOFF << min(restarts - 1, 10), _LONGEST_BACKOFF)


def _written(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}m{rest}s" if minutes else f"{seconds}s"


def _fail_to_pull(
    sync: PodSync, slot: Slot, status: JsonObject, behaviour: Behaviour, may_start: datetime
) -> JsonObject | None:  # fmt: skip
    image = text(slot.spec, "image")
    if behaviour.pull_error == "invalid reference format":
        unreadable = f'couldn\'t parse image name "{image}": {behaviour.pull_error}'
        why = f'Failed to apply default image tag "{image}": {unreadable}'
        return _waiting(sync, status, "InvalidImageName", why, "InspectFailed", why)
    why = f'Failed to pull image "{image}": {behaviour.pull_error}'
    sync.event("Pulling", f'Pulling image "{image}"')
    first, backing_off = later(may_start, 1), later(may_start, 3)
    for moment in (first, backing_off, _next_pull(sync.now, first)):
        sync.wake_at(moment)
    if sync.now < first:
        return None
    sync.event("Failed", "Error: ErrImagePull", "Warning")
    if sync.now < backing_off:
        return _waiting(sync, status, "ErrImagePull", behaviour.pull_error, "Failed", why)
    sync.event("Failed", why, "Warning")
    sync.event("Failed", "Error: ImagePullBackOff", "Warning")
    back_off = f'Back-off pulling image "{image}"'
    message = f"{back_off}: ErrImagePull: {behaviour.pull_error}"
    return _waiting(sync, status, "ImagePullBackOff", message, "BackOff", back_off)


def _next_pull(now: datetime, first: datetime) -> datetime:
    """When the image is tried again: ten seconds after the first failure, then doubling up to five minutes."""
    moment, delay = first, _FIRST_BACKOFF
    while moment <= now:
        moment, delay = later(moment, delay), min(delay * 2, _LONGEST_BACKOFF)
        if delay == _LONGEST_BACKOFF and moment <= now:
            return later(now, _LONGEST_BACKOFF)
    return moment


def _waiting(
    sync: PodSync, status: JsonObject, reason: str, message: str, event: str, said: str
) -> JsonObject | None:  # fmt: skip
    sync.event(event, said, "Normal" if event == "BackOff" else "Warning")
    state: JsonObject = {"waiting": {"reason": reason, "message": message}}
    return None if mapping(status, "state") == state else {**status, "state": state}


def _observed(sync: PodSync, slot: Slot, status: JsonObject) -> JsonObject:
    """The status with what the probes say now."""
    started = moment_at(status, "state", "running", "startedAt")
    if started is None:
        done = slot.init and "terminated" in mapping(status, "state") and not integer(ended(status), "exitCode")
        return {**status, "ready": done, "started": False}
    plan, elapsed = _course(sync, slot, status)[1], (sync.now - started).total_seconds()
    return {**status, "ready": plan.is_ready(elapsed), "started": plan.is_started(elapsed)}
