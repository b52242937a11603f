"""Rules of pods and of the pod templates inside workloads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from infra.local.kubernetes.documents import JsonObject, copy_of, mapping, objects, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.names import broken_label_rules, broken_subdomain_rules, label_causes
from infra.local.kubernetes.rules.causes import (
    forbidden,
    invalid,
    named,
    not_negative,
    one_of,
    repeated,
    required,
    unsupported,
)
from infra.local.kubernetes.rules.containers import container_rules

_POLICIES = ("Always", "Never", "OnFailure")
_EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")
_DNS = ("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None")
_UPDATES = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def pod_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a pod must be, and what of it may change."""
    yield from pod_spec_rules("spec", mapping(document, "spec"))
    if before is not None and _fixed(before) != _fixed(document):
        yield forbidden("spec", _UPDATES)


def pod_spec_rules(path: str, spec: JsonObject, policies: Sequence[str] = _POLICIES) -> Iterator[Cause]:
    """What a pod's spec must be; `policies` are the restart policies allowed here."""
    containers, first = objects(spec, "containers"), objects(spec, "initContainers")
    if not containers and "containers" not in spec:
        yield required(f"{path}.containers")
    volumes = objects(spec, "volumes")
    yield from _volumes(f"{path}.volumes", volumes)
    names = {text(volume, "name") for volume in volumes}
    for part, listed in (("containers", containers), ("initContainers", first)):
        for index, container in enumerate(listed):
            yield from container_rules(f"{path}.{part}[{index}]", container, names)
    placed = [(f".containers{at}", name) for at, name in named(containers)]
    placed += [(f".initContainers{at}", name) for at, name in named(first)]
    yield from repeated(path, placed)
    yield from _policies(path, spec, policies)
    yield from _placement(path, spec)


def _policies(path: str, spec: JsonObject, policies: Sequence[str]) -> Iterator[Cause]:
    policy = spec.get("restartPolicy")
    if policy is not None and policy not in policies:
        yield unsupported(f"{path}.restartPolicy", policy, policies)
    yield from one_of(f"{path}.dnsPolicy", spec.get("dnsPolicy"), _DNS)
    yield from not_negative(f"{path}.terminationGracePeriodSeconds", spec.get("terminationGracePeriodSeconds"))
    deadline = spec.get("activeDeadlineSeconds")
    if isinstance(deadline, int) and deadline < 1:
        yield invalid(f"{path}.activeDeadlineSeconds", deadline, "must be between 1 and 2147483647, inclusive")
    account = text(spec, "serviceAccountName")
    for rule in broken_subdomain_rules(account) if account else ():
        yield invalid(f"{path}.serviceAccountName", account, rule)


def _placement(path: str, spec: JsonObject) -> Iterator[Cause]:
    yield from label_causes(f"{path}.nodeSelector", mapping(spec, "nodeSelector"))
    for index, toleration in enumerate(objects(spec, "tolerations")):
        yield from _toleration(f"{path}.tolerations[{index}]", toleration)
    for index, spread in enumerate(objects(spec, "topologySpreadConstraints")):
        at = f"{path}.topologySpreadConstraints[{index}]"
        skew = spread.get("maxSkew")
        if isinstance(skew, int) and skew < 1:
            yield invalid(f"{at}.maxSkew", skew, "must be greater than zero")
        action = spread.get("whenUnsatisfiable")
        yield from one_of(f"{at}.whenUnsatisfiable", action, ("DoNotSchedule", "ScheduleAnyway"))


def _toleration(path: str, toleration: JsonObject) -> Iterator[Cause]:
    operator, value = toleration.get("operator", "Equal"), toleration.get("value")
    if operator not in ("Equal", "Exists"):
        yield unsupported(f"{path}.operator", operator, ("Equal", "Exists"))
    if not toleration.get("key") and operator != "Exists":
        yield invalid(
            f"{path}.operator",
            operator,
            'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        )
    if operator == "Exists" and value:
        yield invalid(f"{path}.operator", value, "value must be empty when `operator` is 'Exists'")
    if toleration.get("effect"):
        yield from one_of(f"{path}.effect", toleration["effect"], _EFFECTS)


def _volumes(path: str, volumes: list[JsonObject]) -> Iterator[Cause]:
    for index, volume in enumerate(volumes):
        at = f"{path}[{index}]"
        name = text(volume, "name")
        for rule in broken_label_rules(name) if name else ():
            yield invalid(f"{at}.name", name, rule)
        sources = [key for key, value in volume.items() if key != "name" and value is not None]
        for extra in sources[1:]:
            yield forbidden(f"{at}.{extra}", "may not specify more than 1 volume type")
        if "hostPath" in volume and ".." in text(volume, "hostPath", "path").split("/"):
            yield invalid(f"{at}.hostPath.path", text(volume, "hostPath", "path"), "must not contain '..'")
    yield from repeated(path, named(volumes))


def _fixed(pod: JsonObject) -> JsonObject:
    """The part of a pod's spec that never changes."""
    spec = copy_of(mapping(pod, "spec"))
    for field in ("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "nodeName"):
        spec.pop(field, None)
    for container in (*objects(spec, "containers"), *objects(spec, "initContainers")):
        container.pop("image", None)
    return spec


def template_rules(
    path: str, template: JsonObject, policies: Sequence[str] = ("Always",)
) -> Iterator[Cause]:  # fmt: skip
    """What a workload's pod template must be."""
    yield from label_causes(f"{path}.metadata.labels", mapping(template, "metadata", "labels"))
    yield from pod_spec_rules(f"{path}.spec", mapping(template, "spec"), policies)


def is_bound(pod: JsonObject) -> bool:
    """Whether a pod is on a node."""
    return bool(value_at(pod, "spec", "nodeName"))
