"""Rules of deployments, daemon sets, replica sets, stateful sets, jobs and cron jobs."""

from __future__ import annotations

from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, objects, string_map, text, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.names import label_causes
from infra.local.kubernetes.rules.causes import forbidden, invalid, not_negative, one_of, required, unchanged
from infra.local.kubernetes.rules.pods import template_rules

_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_JOB_POLICIES = ("OnFailure", "Never")
_STATEFUL_MAY_CHANGE = (
    "replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
)  # fmt: skip
_STATEFUL_RULE = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def workload_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a deployment, daemon set, replica set or stateful set must be."""
    spec = mapping(document, "spec")
    for count in ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"):
        yield from not_negative(f"spec.{count}", spec.get(count))
    yield from _selector(document)
    yield from template_rules("spec.template", mapping(spec, "template"))
    yield from _strategy(text(document, "kind"), spec)
    if before is None:
        return
    if text(document, "kind") == "StatefulSet":
        if _without(before, _STATEFUL_MAY_CHANGE) != _without(document, _STATEFUL_MAY_CHANGE):
            yield forbidden("spec", _STATEFUL_RULE)
    else:
        yield from unchanged("spec.selector", before, document, "spec", "selector")


def _selector(document: JsonObject) -> Iterator[Cause]:
    selector = value_at(document, "spec", "selector")
    if not isinstance(selector, dict):
        yield required("spec.selector")
        return
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        kind = text(document, "kind").lower()
        yield invalid("spec.selector", selector, f"empty selector is invalid for {kind}")
        return
    yield from label_causes("spec.selector.matchLabels", mapping(selector, "matchLabels"))
    for index, term in enumerate(objects(selector, "matchExpressions")):
        at = f"spec.selector.matchExpressions[{index}].operator"
        if term.get("operator") not in _OPERATORS:
            yield invalid(at, term.get("operator"), "not a valid selector operator")
    labels = string_map(document, "spec", "template", "metadata", "labels")
    if not mapping(selector, "matchLabels").items() <= labels.items():
        yield invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")


def _strategy(kind: str, spec: JsonObject) -> Iterator[Cause]:
    if kind != "Deployment":
        return
    strategy = mapping(spec, "strategy")
    yield from one_of("spec.strategy.type", strategy.get("type"), ("Recreate", "RollingUpdate"))
    rolling = mapping(strategy, "rollingUpdate")
    if strategy.get("type") == "Recreate" and rolling:
        yield forbidden("spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    if rolling.get("maxUnavailable") in (0, "0%") and rolling.get("maxSurge") in (0, "0%"):
        field = "spec.strategy.rollingUpdate.maxUnavailable"
        yield invalid(field, rolling["maxUnavailable"], "may not be 0 when `maxSurge` is 0")


def job_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a job must be; its template never changes."""
    yield from job_spec_rules("spec", mapping(document, "spec"))
    if before is None:
        return
    for field in ("template", "selector", "completionMode"):
        if not (field == "template" and _may_change_template(before)):
            yield from unchanged(f"spec.{field}", before, document, "spec", field)
    yield from unchanged("spec.completions", before, document, "spec", "completions")


def _may_change_template(job: JsonObject) -> bool:
    return bool(value_at(job, "spec", "suspend")) and not value_at(job, "status", "startTime")


def job_spec_rules(path: str, spec: JsonObject) -> Iterator[Cause]:
    """What a job's spec must be, also inside a cron job."""
    counts = ("parallelism", "completions", "backoffLimit", "ttlSecondsAfterFinished", "activeDeadlineSeconds")
    for count in counts:
        yield from not_negative(f"{path}.{count}", spec.get(count))
    yield from one_of(f"{path}.completionMode", spec.get("completionMode"), ("Indexed", "NonIndexed"))
    template = mapping(spec, "template")
    if template and value_at(template, "spec", "restartPolicy") in (None, "", "Always"):
        yield required(f"{path}.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"')
    yield from template_rules(f"{path}.template", template, ("Always", *_JOB_POLICIES))


def cron_job_rules(document: JsonObject, before: JsonObject | None) -> Iterator[Cause]:
    """What a cron job must be."""
    schedule = text(document, "spec", "schedule")
    fields = schedule.split()
    if schedule and not schedule.startswith(("@", "TZ", "CRON_TZ")) and len(fields) != 5:
        yield invalid("spec.schedule", schedule, f"Expected exactly 5 fields, found {len(fields)}: {schedule}")
    policy = value_at(document, "spec", "concurrencyPolicy")
    yield from one_of("spec.concurrencyPolicy", policy, ("Allow", "Forbid", "Replace"))
    yield from job_spec_rules("spec.jobTemplate.spec", mapping(document, "spec", "jobTemplate", "spec"))


def _without(document: JsonObject, fields: tuple[str, ...]) -> JsonObject:
    return {key: value for key, value in mapping(document, "spec").items() if key not in fields}
