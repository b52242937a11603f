"""Which fields a field selector may name, per resource; the API server refuses every other one."""

from __future__ import annotations

import re

from infra.local.kubernetes.documents import objects, text
from infra.local.kubernetes.errors import BadRequest
from infra.local.kubernetes.resources import Resource

_ALWAYS = ("metadata.name", "metadata.namespace")
_MORE: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "pods"): ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
                   "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName"),
    ("", "nodes"): ("spec.unschedulable",),
    ("", "namespaces"): ("status.phase",),
    ("", "secrets"): ("type",),
    ("", "services"): ("spec.clusterIP", "spec.type"),
    ("", "events"): ("involvedObject.kind", "involvedObject.namespace", "involvedObject.name", "involvedObject.uid",
                     "involvedObject.apiVersion", "involvedObject.resourceVersion", "involvedObject.fieldPath",
                     "reason", "reportingComponent", "source", "type"),
    ("apps", "replicasets"): ("status.replicas",),
    ("batch", "jobs"): ("status.successful",),
}  # fmt: skip


def require_supported(resource: Resource, selector: str) -> None:
    """Check the fields that a field selector names.

    Raises BadRequest for the first that this resource cannot be selected by.
    """
    declared = tuple(text(field, "jsonPath").lstrip(".") for field in objects(resource.definition, "selectableFields"))
    allowed = {*_ALWAYS, *_MORE.get(resource.key, ()), *declared}
    for term in filter(None, selector.split(",")):
        field = re.split("!=|==|=", term, maxsplit=1)[0].strip()
        if field not in allowed:
            raise BadRequest(f"field label not supported: {field}")
