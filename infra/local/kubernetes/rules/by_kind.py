"""Which rules belong to which kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infra.local.kubernetes import resources as served
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, value_at
from infra.local.kubernetes.errors import Cause
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.rules import contents, pods, policies, rbac, services, storage, workloads
from infra.local.kubernetes.rules.definitions import definition_rules
from infra.local.kubernetes.schema import schema_of
from infra.local.kubernetes.structural import required_fields

Rules = Callable[[JsonObject, JsonObject | None], Iterator[Cause]]

_RULES: dict[tuple[str, str], Rules] = {
    served.PODS.key: pods.pod_rules,
    served.DEPLOYMENTS.key: workloads.workload_rules,
    served.DAEMON_SETS.key: workloads.workload_rules,
    served.REPLICA_SETS.key: workloads.workload_rules,
    served.STATEFUL_SETS.key: workloads.workload_rules,
    served.JOBS.key: workloads.job_rules,
    served.CRON_JOBS.key: workloads.cron_job_rules,
    served.SERVICES.key: services.service_rules,
    served.PERSISTENT_VOLUMES.key: storage.volume_rules,
    served.PERSISTENT_VOLUME_CLAIMS.key: storage.claim_rules,
    served.STORAGE_CLASSES.key: storage.storage_class_rules,
    served.CONFIG_MAPS.key: contents.config_map_rules,
    served.SECRETS.key: contents.secret_rules,
    served.ROLES.key: rbac.role_rules,
    served.CLUSTER_ROLES.key: rbac.role_rules,
    served.ROLE_BINDINGS.key: rbac.binding_rules,
    served.CLUSTER_ROLE_BINDINGS.key: rbac.binding_rules,
    served.NODES.key: policies.node_rules,
    served.PRIORITY_CLASSES.key: policies.priority_class_rules,
    served.CUSTOM_RESOURCE_DEFINITIONS.key: definition_rules,
    ("", "limitranges"): policies.quota_rules,
    ("policy", "poddisruptionbudgets"): policies.budget_rules,
    ("autoscaling", "horizontalpodautoscalers"): policies.autoscaler_rules,
}
_NEEDS_SPEC = frozenset({
    served.PODS.key, served.DEPLOYMENTS.key, served.DAEMON_SETS.key, served.REPLICA_SETS.key,
    served.STATEFUL_SETS.key, served.JOBS.key, served.CRON_JOBS.key, served.SERVICES.key,
    served.PERSISTENT_VOLUMES.key, served.PERSISTENT_VOLUME_CLAIMS.key, served.CUSTOM_RESOURCE_DEFINITIONS.key,
})  # fmt: skip
# The models call these required; the API server fills them in or takes them empty.
_NOT_REQUIRED = ("endpoints", "currentAverageUtilization", "metadata", "acceptedNames", "storedVersions")


def broken_rules(resource: Resource, document: JsonObject, before: JsonObject | None) -> list[Cause]:
    """Every rule that an object of a built-in kind breaks, given what it was before."""
    if resource.key in _NEEDS_SPEC and value_at(document, "spec") is None:
        ensure_mapping(document, "spec")
    wanted = {key: value for key, value in document.items() if key != "status"}
    causes = [
        cause for cause in required_fields(schema_of(resource), wanted) if not cause.field.endswith(_NOT_REQUIRED)
    ]
    rules = _RULES.get(resource.key)
    found = [*causes, *(rules(document, before) if rules else ())]
    return list({(cause.field, cause.reason): cause for cause in reversed(found)}.values())[::-1]
