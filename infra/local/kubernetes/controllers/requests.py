"""What pods request and nodes offer, as whole numbers: thousandths of a core, bytes, devices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text
from infra.local.kubernetes.quantities import parse_quantity


@dataclass
class Usage:
    """What the pods of a node request together, and how many they are."""

    pods: int = 0
    amounts: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, requests: Iterable[Mapping[str, int]]) -> Usage:
        """The sum of several pods."""
        usage = cls()
        for request in requests:
            usage.pods += 1
            for name, amount in request.items():
                usage.amounts[name] = usage.amounts.get(name, 0) + amount
        return usage


class PodRequests:
    """The requests of pods, computed once per pod."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, int]] = {}

    def of(self, pod: JsonObject) -> dict[str, int]:
        """What one pod requests."""
        uid = text(pod, "metadata", "uid")
        if uid not in self._known:
            self._known[uid] = pod_requests(pod)
        return self._known[uid]


def pod_requests(pod: JsonObject) -> dict[str, int]:
    """The larger of the containers together and the largest init container, plus the overhead."""
    init = objects(pod, "spec", "initContainers")
    sidecars = [container for container in init if text(container, "restartPolicy") == "Always"]
    together: dict[str, int] = {}
    for container in (*objects(pod, "spec", "containers"), *sidecars):
        for name, amount in container_requests(container).items():
            together[name] = together.get(name, 0) + amount
    for container in init:
        for name, amount in container_requests(container).items():
            together[name] = max(together.get(name, 0), amount)
    for name, amount in amounts(mapping(pod, "spec", "overhead")).items():
        together[name] = together.get(name, 0) + amount
    return together


def container_requests(container: JsonObject) -> dict[str, int]:
    """A container's requests; a limit without a request is one."""
    limits, requests = mapping(container, "resources", "limits"), mapping(container, "resources", "requests")
    return amounts({**limits, **requests})


def amounts(resources: Mapping[str, object]) -> dict[str, int]:
    """Quantities by resource name as whole numbers; what is no quantity counts nothing."""
    return {name: _amount(name, str(written)) for name, written in resources.items()}


def quality_of_service(pod: JsonObject) -> str:
    """Guaranteed, Burstable or BestEffort, by the cpu and memory of all containers."""
    containers = [*objects(pod, "spec", "containers"), *objects(pod, "spec", "initContainers")]
    parts = [(mapping(c, "resources", "requests"), mapping(c, "resources", "limits")) for c in containers]
    if not any(_basic(requests) or _basic(limits) for requests, limits in parts):
        return "BestEffort"
    guaranteed = all(
        set(_basic(limits)) == {"cpu", "memory"} and _basic({**limits, **requests}) == _basic(limits)
        for requests, limits in parts
    )
    return "Guaranteed" if guaranteed else "Burstable"


def _basic(resources: JsonObject) -> dict[str, int]:
    kept = amounts({name: amount for name, amount in resources.items() if name in ("cpu", "memory")})
    return {name: amount for name, amount in kept.items() if amount}


@lru_cache(maxsize=4096)
def _amount(name: str, written: str) -> int:
    try:
        number = parse_quantity(written)
    except ValueError:
        return 0
    return int(number * 1000) if name == "cpu" else int(number)
