"""How single table cells are computed from an object."""

from __future__ import annotations

from datetime import datetime

from infra.local.kubernetes.documents import JsonObject, integer, mapping, objects, strings, text, value_at
from infra.local.kubernetes.metadata import is_deleting, parse_timestamp
from infra.local.kubernetes.quantities import short_duration

NONE = "<none>"
_UNKNOWN = "<unknown>"
_ACCESS_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_ROLE_PREFIX = "node-role.kubernetes.io/"


def age(document: JsonObject, now: datetime) -> str:
    """How long the object exists."""
    return _since(text(document, "metadata", "creationTimestamp"), now)


def phase(document: JsonObject) -> str:
    """The object's phase, or Terminating."""
    return "Terminating" if is_deleting(document) else text(document, "status", "phase")


def joined_labels(labels: JsonObject) -> str:
    """Labels as `a=b,c=d`."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items())) or NONE


def access_modes(document: JsonObject, part: str) -> str:
    """The short forms of a volume's or claim's access modes."""
    return ",".join(_ACCESS_MODES.get(mode, mode) for mode in strings(document, part, "accessModes"))


def condition(document: JsonObject, kind: str) -> str:
    """The status of one condition, empty when it is not reported."""
    return next((text(c, "status") for c in objects(document, "status", "conditions") if c.get("type") == kind), "")


def node_status(node: JsonObject) -> str:
    """Ready, NotReady or Unknown, and whether scheduling is disabled."""
    ready = {"True": "Ready", "False": "NotReady"}.get(condition(node, "Ready"), "Unknown")
    return f"{ready},SchedulingDisabled" if value_at(node, "spec", "unschedulable") else ready


def node_roles(node: JsonObject) -> str:
    """The roles that the node's labels name."""
    labels = mapping(node, "metadata", "labels")
    return ",".join(sorted(key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX))) or NONE


def node_address(node: JsonObject, kind: str) -> str:
    """One of the node's addresses."""
    return next((text(a, "address") for a in objects(node, "status", "addresses") if a.get("type") == kind), NONE)


def pod_ready(pod: JsonObject) -> str:
    """Ready containers of all containers."""
    ready = sum(1 for status in objects(pod, "status", "containerStatuses") if status.get("ready"))
    return f"{ready}/{len(objects(pod, 'spec', 'containers'))}"


def pod_status(pod: JsonObject) -> str:
    """The most telling of deletion, init progress, container reasons and phase."""
    if is_deleting(pod):
        return "Terminating"
    reasons = [_container_reason(status) for status in objects(pod, "status", "containerStatuses")]
    found = _init_reason(pod) or next((reason for reason in reasons if reason), "")
    return found or text(pod, "status", "reason") or text(pod, "status", "phase")


def pod_restarts(pod: JsonObject) -> str:
    """Restarts of all containers."""
    return str(sum(integer(status, "restartCount") for status in objects(pod, "status", "containerStatuses")))


def pod_spec(workload: JsonObject, *path: str) -> JsonObject:
    """A part of a workload's pod template's spec."""
    return mapping(workload, "spec", "template", "spec", *path)


def container_names(workload: JsonObject) -> str:
    """The names of a workload's containers."""
    return ",".join(text(container, "name") for container in objects(pod_spec(workload), "containers"))


def container_images(workload: JsonObject) -> str:
    """The images of a workload's containers."""
    return ",".join(text(container, "image") for container in objects(pod_spec(workload), "containers"))


def volume_claim(volume: JsonObject) -> str:
    """The claim a volume is bound or reserved to."""
    claim = mapping(volume, "spec", "claimRef")
    return f"{text(claim, 'namespace')}/{text(claim, 'name')}" if claim else ""


def service_external_ip(service: JsonObject) -> str:
    """The address of a load balancer, pending until it has one; the target of an external name."""
    kind = text(service, "spec", "type")
    if kind == "ExternalName":
        return text(service, "spec", "externalName")
    if kind != "LoadBalancer":
        return ",".join(strings(service, "spec", "externalIPs")) or NONE
    ingress = objects(service, "status", "loadBalancer", "ingress")
    return ",".join(text(item, "hostname") or text(item, "ip") for item in ingress) or "<pending>"


def service_ports(service: JsonObject) -> str:
    """Ports as `80/TCP` or `80:30080/TCP`."""
    return ",".join(_port(port) for port in objects(service, "spec", "ports")) or NONE


def job_status(job: JsonObject) -> str:
    """What the job's conditions say, else Running."""
    for kind in ("Complete", "Failed"):
        if condition(job, kind) == "True":
            return kind
    if is_deleting(job):
        return "Terminating"
    for kind in ("Suspended", "FailureTarget", "SuccessCriteriaMet"):
        if condition(job, kind) == "True":
            return kind
    return "Running"


def job_duration(job: JsonObject, now: datetime) -> str:
    """From start to completion, or until now."""
    started, completed = text(job, "status", "startTime"), text(job, "status", "completionTime")
    if not started:
        return ""
    return _since(started, parse_timestamp(completed) if completed else now)


def event_last_seen(event: JsonObject, now: datetime) -> str:
    """How long ago the event was last seen."""
    return _since(text(event, "lastTimestamp") or text(event, "eventTime") or _first_seen(event), now)


def event_first_seen(event: JsonObject, now: datetime) -> str:
    """How long ago the event was first seen."""
    return _since(_first_seen(event), now)


def event_object(event: JsonObject) -> str:
    """The object an event is about, as `kind/name`."""
    return f"{text(event, 'involvedObject', 'kind').lower()}/{text(event, 'involvedObject', 'name')}"


def _first_seen(event: JsonObject) -> str:
    return text(event, "firstTimestamp") or text(event, "eventTime")


def _since(written: str, now: datetime) -> str:
    return short_duration(now - parse_timestamp(written)) if written else _UNKNOWN


def _port(port: JsonObject) -> str:
    node_port = integer(port, "nodePort")
    numbers = f"{integer(port, 'port')}:{node_port}" if node_port else f"{integer(port, 'port')}"
    return f"{numbers}/{text(port, 'protocol') or 'TCP'}"


def _container_reason(status: JsonObject) -> str:
    waiting, terminated = mapping(status, "state", "waiting"), mapping(status, "state", "terminated")
    if terminated and not text(terminated, "reason"):
        return f"ExitCode:{integer(terminated, 'exitCode')}"
    return text(waiting, "reason") or text(terminated, "reason")


def _init_reason(pod: JsonObject) -> str:
    statuses = objects(pod, "status", "initContainerStatuses")
    for done, status in enumerate(statuses):
        if mapping(status, "state", "terminated") and not integer(status, "state", "terminated", "exitCode"):
            continue
        reason = _container_reason(status)
        return f"Init:{reason}" if reason not in ("", "PodInitializing") else f"Init:{done}/{len(statuses)}"
    return ""
