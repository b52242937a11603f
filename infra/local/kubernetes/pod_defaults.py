"""What the API server fills in for a pod's spec and its containers."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text

_PROBE: JsonObject = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def fill_pod_spec(spec: JsonObject, restart: str = "Always") -> None:
    """Fill in a pod spec, in place; `restart` is the policy of a pod that names none, empty for no default."""
    if restart:
        spec.setdefault("restartPolicy", restart)
    spec.setdefault("dnsPolicy", "ClusterFirst")
    spec.setdefault("schedulerName", "default-scheduler")
    spec.setdefault("terminationGracePeriodSeconds", 30)
    spec.setdefault("securityContext", {})
    for container in (*objects(spec, "containers"), *objects(spec, "initContainers")):
        _fill_container(container)
    for volume in objects(spec, "volumes"):
        if set(volume) == {"name"}:
            volume["emptyDir"] = {}


def _fill_container(container: JsonObject) -> None:
    container.setdefault("imagePullPolicy", _pull_policy(text(container, "image")))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    resources = container.setdefault("resources", {})
    if isinstance(resources, dict):
        _fill_requests(resources)
    for port in objects(container, "ports"):
        port.setdefault("protocol", "TCP")
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        if probe in container:
            written = mapping(container, probe)
            for key, value in _PROBE.items():
                written.setdefault(key, value)


def _fill_requests(resources: JsonObject) -> None:
    limits = mapping(resources, "limits")
    if limits:
        requests = dict(mapping(resources, "requests"))
        resources["requests"] = {**{name: limit for name, limit in limits.items() if name not in requests}, **requests}


def _pull_policy(image: str) -> str:
    _, _, last = image.rpartition("/")
    tagged = ":" in last and not last.endswith(":latest")
    return "IfNotPresent" if tagged or "@" in image else "Always"
