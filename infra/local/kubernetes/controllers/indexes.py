"""The indexes of an Indexed Job: which are done, which are missing, what a pod of one is called."""

from __future__ import annotations

from collections.abc import Iterable

from infra.local.kubernetes.controllers.pods import Extras
from infra.local.kubernetes.documents import JsonObject, integer, mapping, name_of, objects, string_map, text
from infra.local.kubernetes.metadata import is_deleting

INDEX = "batch.kubernetes.io/job-completion-index"


def index_of(pod: JsonObject) -> int | None:
    """The completion index of a pod, None when it has none."""
    written = string_map(pod, "metadata", "annotations").get(INDEX, "")
    return int(written) if written.isdigit() else None


def completed_indexes(job: JsonObject, pods: Iterable[JsonObject]) -> set[int]:
    """The indexes of which a pod succeeded, those whose pod is gone included."""
    done = {
        index for pod in pods if text(pod, "status", "phase") == "Succeeded" and (index := index_of(pod)) is not None
    }
    return {index for index in done | _read(text(job, "status", "completedIndexes")) if index < _completions(job)}


def missing_indexes(job: JsonObject, pods: Iterable[JsonObject]) -> list[int]:
    """The indexes that are neither done nor being worked on, the lowest first."""
    known = list(pods)
    running = {index_of(pod) for pod in known if text(pod, "status", "phase") != "Failed" and not is_deleting(pod)}
    taken = running | completed_indexes(job, known)
    return [index for index in range(_completions(job)) if index not in taken]


def written(indexes: Iterable[int]) -> str:
    """Indexes as a Job's status has them: `0,2-4`."""
    runs: list[list[int]] = []
    for index in sorted(indexes):
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def pod_extras(job: JsonObject, index: int) -> Extras:
    """What the pod of an index gets besides the template."""
    spec = mapping(job, "spec", "template", "spec")
    variable: JsonObject = {
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}},
    }
    parts = {
        part: [{**container, "env": [*objects(container, "env"), variable]} for container in objects(spec, part)]
        for part in ("containers", "initContainers")
    }
    hostname = f"{name_of(job)}-{index}"
    return Extras(
        labels={INDEX: str(index)},
        annotations={INDEX: str(index)},
        spec={"hostname": hostname, **{part: containers for part, containers in parts.items() if containers}},
        prefix=f"{hostname}-",
    )


def _completions(job: JsonObject) -> int:
    return integer(job, "spec", "completions")


def _read(indexes: str) -> set[int]:
    found: set[int] = set()
    for run in filter(None, indexes.split(",")):
        first, _, last = run.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found
