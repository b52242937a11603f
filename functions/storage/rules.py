"""What the probe of a mount says: it works, it is on its way, or which link is broken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Layer, StageFailed
from functions.storage.manifests import S3_DRIVER

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.storage.manifests import Mount

Object = dict[str, "JsonValue"]

# The kubelet tries a mount again after up to two minutes, and a role's policy takes a while to spread.
SETTLING: Final = timedelta(minutes=4)
# Nodes are there when a mount is made; one may reboot, or be full until a workload ends.
SCHEDULING: Final = timedelta(minutes=16)
_WORDS: Final = 600
_PULL: Final = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "RegistryUnavailable"})
_MOUNT: Final = frozenset({"FailedMount", "FailedAttachVolume", "FailedMapVolume"})
_ACTIONS: Final = ("s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")


_LONGEST_POLL_SECONDS: Final = 10


@dataclass(frozen=True)
class Evidence:
    """What was found about a mount: its objects, what was reported about the probe, what the probe printed."""

    mount: Mount
    role: str
    pod: Object
    claim: Object
    driver_installed: bool
    events: tuple[Object, ...] = ()
    log: str = ""


@dataclass(frozen=True)
class BrokenLink:
    """A link that does not hold, and how long it may take to come right from a moment on."""

    problem: StageFailed
    since: datetime
    patience: timedelta = SETTLING

    @property
    def poll_seconds(self) -> int:
        """How long to leave it alone between two looks; what was in the way may be gone at any moment."""
        return min(int(self.patience.total_seconds()) // 4, _LONGEST_POLL_SECONDS)


def succeeded(pod: Object) -> bool:
    """Whether the probe has written, read and removed its marker."""
    return _member(pod, "status").get("phase") == "Succeeded"


def broken_link(evidence: Evidence) -> BrokenLink | None:
    """Name the first link that does not hold, from the driver over volume, scheduler and mount to the script."""
    status = _member(evidence.pod, "status")
    created = _moment(_member(evidence.pod, "metadata").get("creationTimestamp"))
    if status.get("phase") == "Failed":
        return BrokenLink(_exit(evidence), created, timedelta(0))
    if not evidence.driver_installed:
        return BrokenLink(_no_driver(evidence), created)
    if _member(evidence.claim, "status").get("phase") != "Bound":
        return BrokenLink(_unbound(evidence), created)
    scheduled = _condition(status, "PodScheduled")
    if scheduled.get("status") == "False":
        return BrokenLink(
            _unschedulable(evidence, str(scheduled.get("message") or "no reason given")), created, SCHEDULING
        )
    if status.get("phase") == "Running" or "startTime" not in status:
        return None
    started = _moment(status["startTime"])
    if waiting := _pull_error(status):
        return BrokenLink(_image(evidence, waiting), started)
    reported = [event for event in evidence.events if event.get("reason") in _MOUNT]
    return BrokenLink(_mount(evidence, max(reported, key=_seen)), started) if reported else None


def _problem(detail: str, remedy: str, cause: Cause) -> StageFailed:
    return StageFailed(detail, cause=cause, remedy=f"{remedy} Then retry the operation.")


def _kubernetes(code: str, resource: str, service: str | None = None) -> Cause:
    return Cause(layer=Layer.KUBERNETES, service=service, code=code, resource=resource)


def _no_driver(evidence: Evidence) -> StageFailed:
    return _problem(
        f"{_claim(evidence)} cannot be mounted: the CSI driver {S3_DRIVER} is not installed.",
        "Install the add-on aws-mountpoint-s3-csi-driver (the phase dependencies does).",
        _kubernetes("CSIDriverMissing", f"csidriver/{S3_DRIVER}", S3_DRIVER),
    )


def _unbound(evidence: Evidence) -> StageFailed:
    phase = _member(evidence.claim, "status").get("phase") or "absent"
    return _problem(
        f"{_claim(evidence)} is {phase}: it is not bound to {evidence.mount.volume}.",
        f"Look at `kubectl describe pv {evidence.mount.volume}`: a volume that another claim held is released by hand.",
        _kubernetes("VolumeNotBound", f"persistentvolume/{evidence.mount.volume}"),
    )


def _unschedulable(evidence: Evidence, words: str) -> StageFailed:
    return _problem(
        f"No node takes the probe of {_claim(evidence)}: {_short(words)}",
        "Free or add a node that pods can run on.",
        _kubernetes("Unschedulable", _pod(evidence)),
    )


def _image(evidence: Evidence, words: str) -> StageFailed:
    return _problem(
        f"The probe's image cannot be pulled: {_short(words)}",
        "Give the nodes a way to public.ecr.aws (NAT gateway, registry mirror).",
        _kubernetes("ImagePullFailed", _pod(evidence)),
    )


def _exit(evidence: Evidence) -> StageFailed:
    status = _member(evidence.pod, "status")
    denied = re.search(r"permission denied|not permitted|access ?denied", evidence.log, re.IGNORECASE)
    said = _short(evidence.log) or str(status.get("message") or "it printed nothing")
    code = _exit_code(status)
    how = f"ended with exit code {code}" if code is not None else f"was ended ({status.get('reason') or 'no reason'})"
    return _problem(
        f"The mount of {_claim(evidence)} stands, and its probe {how}: {said}",
        _grant(evidence, _ACTIONS) if denied else f"Read `kubectl describe pod` of {_pod(evidence)}.",
        _aws("AccessDenied", evidence) if denied else _kubernetes("ProbeFailed", _pod(evidence)),
    )


def _mount(evidence: Evidence, event: Object) -> StageFailed:
    words = str(event.get("message") or "")
    mount, detail = evidence.mount, f"{_claim(evidence)} cannot be mounted: {_short(words)}"
    if "list of registered CSI drivers" in words:
        node = str(_member(evidence.pod, "spec").get("nodeName"))
        remedy = f"See why no s3-csi-node pod of kube-system is ready on {node}."
        return _problem(detail, remedy, _kubernetes("CSIDriverNotOnNode", f"node/{node}", S3_DRIVER))
    if re.search(r"bucket does not exist|NoSuchBucket", words):
        return _problem(detail, f"Create the bucket {mount.bucket} in {mount.region}.", _aws("NoSuchBucket", evidence))
    if re.search(r"wrong region|PermanentRedirect", words, re.IGNORECASE):
        remedy = f"Use a bucket in {mount.region}: the volume mounts {mount.bucket} there."
        return _problem(detail, remedy, _aws("WrongRegion", evidence))
    if "No signing credentials" in words:
        remedy = (
            f"Associate kube-system/s3-csi-driver-sa with the role {evidence.role} (pod identity; the dependencies "
            "phase does), and restart the driver's pods if they are older than the association: "
            "kubectl rollout restart daemonset s3-csi-node -n kube-system."
        )
        cause = Cause(layer=Layer.AWS, service="iam", code="NoCredentials", resource=f"role/{evidence.role}")
        return _problem(detail, remedy, cause)
    if re.search(r"forbidden|access ?denied|not authorized|permission denied", words, re.IGNORECASE):
        named = tuple(dict.fromkeys(re.findall(r"perform: (s3:\w+)", words)))
        return _problem(detail, _grant(evidence, named or _ACTIONS), _aws("AccessDenied", evidence))
    reason = str(event.get("reason"))
    return _problem(detail, "Read the log of the s3-csi-node pod on the node.", _kubernetes(reason, _pod(evidence)))


def _grant(evidence: Evidence, actions: tuple[str, ...]) -> str:
    bucket = evidence.mount.bucket
    return (
        f"Allow the role {evidence.role} {', '.join(actions)} by ARN: ListBucket on the bucket {bucket} "
        f"(arn:<partition>:s3:::{bucket}), the others on its objects (…/*)."
    )


def _aws(code: str, evidence: Evidence) -> Cause:
    return Cause(layer=Layer.AWS, service="s3", code=code, resource=f"s3://{evidence.mount.bucket}")


def _claim(evidence: Evidence) -> str:
    mount = evidence.mount
    return f"Claim {mount.namespace}/{mount.claim} of s3://{mount.bucket}"


def _pod(evidence: Evidence) -> str:
    return f"{evidence.mount.namespace}/pod/{evidence.mount.probe}"


def _pull_error(status: Object) -> str:
    for container in _items(status, "containerStatuses"):
        waiting = _member(_member(container, "state"), "waiting")
        if waiting.get("reason") in _PULL:
            return f"{waiting['reason']}: {waiting.get('message') or ''}"
    return ""


def _exit_code(status: Object) -> int | None:
    for container in _items(status, "containerStatuses"):
        code = _member(_member(container, "state"), "terminated").get("exitCode")
        if isinstance(code, int) and status.get("reason") != "DeadlineExceeded":
            return code
    return None


def _condition(status: Object, kind: str) -> Object:
    return next((each for each in _items(status, "conditions") if each.get("type") == kind), {})


def _seen(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _moment(written: JsonValue) -> datetime:
    return datetime.fromisoformat(str(written)).astimezone(UTC)


def _short(words: str) -> str:
    """Keep the end of what was said: the cause comes last."""
    plain = " ".join(words.split())
    return plain if len(plain) <= _WORDS else f"…{plain[-_WORDS:]}"


def _member(document: Object, name: str) -> Object:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def _items(document: Object, name: str) -> list[Object]:
    value = document.get(name)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
