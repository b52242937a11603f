"""What is done to a pod through its subresources `binding` and `eviction`."""

from __future__ import annotations

from infra.local.kubernetes.call import Call, decode_object
from infra.local.kubernetes.deletion import DeleteOptions, pod_grace
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, mapping, objects, text, value_at
from infra.local.kubernetes.errors import BadRequest, Conflict, MethodNotAllowed
from infra.local.kubernetes.metadata import timestamp
from infra.local.messages import HttpResponse

_SUCCESS: JsonObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def bind(call: Call) -> HttpResponse:
    """Put a pod on the node that a Binding names.

    Raises NotFound, BadRequest without a node, and Conflict when the pod is on a node already.
    """
    if call.request.method != "POST":
        raise MethodNotAllowed()
    node = text(decode_object(call.request, call.media_type), "target", "name")
    if not node:
        raise BadRequest("target.name: Required value")
    at = timestamp(call.store.now())

    def assign(pod: JsonObject) -> None:
        known = text(pod, "spec", "nodeName")
        if known:
            why = f'pod {call.target.name} is already assigned to node "{known}"'
            raise Conflict("pods/binding", call.target.name, why=why)
        ensure_mapping(pod, "spec")["nodeName"] = node
        others = [c for c in objects(pod, "status", "conditions") if c.get("type") != "PodScheduled"]
        scheduled: JsonObject = {"type": "PodScheduled", "status": "True", "lastTransitionTime": at}
        ensure_mapping(pod, "status")["conditions"] = [*others, scheduled]

    call.store.modify(call.resource, call.target.name, assign, call.target.namespace)
    return HttpResponse.of_json(201, _SUCCESS)


def evict(call: Call) -> HttpResponse:
    """Delete a pod that an Eviction names; no disruption budget is looked at.

    Raises NotFound, and Conflict for a precondition that fails.
    """
    if call.request.method != "POST":
        raise MethodNotAllowed()
    options = mapping(decode_object(call.request, call.media_type), "deleteOptions")
    pod = call.store.get(call.resource, call.target.name, call.target.namespace)
    asked = value_at(options, "gracePeriodSeconds")
    deletion = DeleteOptions(
        uid=text(options, "preconditions", "uid"),
        version=text(options, "preconditions", "resourceVersion"),
        dry_run=call.dry_run,
        grace=min(pod_grace(pod), asked) if isinstance(asked, int) else pod_grace(pod),
    )
    call.store.delete(call.resource, call.target.name, call.target.namespace, deletion)
    return HttpResponse.of_json(201, _SUCCESS)
