"""Answers in the form the client accepts: objects, lists, tables or metadata only."""

from __future__ import annotations

from collections.abc import Sequence

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import JsonObject, text
from infra.local.kubernetes.errors import NotAcceptable
from infra.local.kubernetes.tables import partial_metadata, table
from infra.local.kubernetes.views import to_wire
from infra.local.messages import HttpResponse


def render_object(call: Call, stored: JsonObject, status: int = 200) -> HttpResponse:
    """Answer with one stored object."""
    return HttpResponse.of_json(status, represent(call, stored))


def represent(call: Call, stored: JsonObject) -> JsonObject:
    """One stored object in the accepted form.

    Raises NotAcceptable when the client does not accept JSON.
    """
    document = to_wire(call.resource, stored)
    match accepted_form(call):
        case "Table":
            metadata: JsonObject = {"resourceVersion": text(stored, "metadata", "resourceVersion")}
            return _table(call, [document], metadata)
        case "PartialObjectMetadata" | "PartialObjectMetadataList":
            return partial_metadata(document)
        case _:
            return document


def render_list(call: Call, stored: Sequence[JsonObject], metadata: JsonObject) -> HttpResponse:
    """Answer with a list of stored objects.

    Raises NotAcceptable when the client does not accept JSON.
    """
    documents = [to_wire(call.resource, item) for item in stored]
    resource = call.resource
    match accepted_form(call):
        case "Table":
            answer = _table(call, documents, metadata)
        case "PartialObjectMetadata" | "PartialObjectMetadataList":
            partial = [partial_metadata(document) for document in documents]
            answer = _list("PartialObjectMetadataList", "meta.k8s.io/v1", metadata, partial)
        case _:
            kind = resource.list_kind or f"{resource.kind}List"
            answer = _list(kind, resource.api_version, metadata, documents)
    return HttpResponse.of_json(200, answer)


def accepted_form(call: Call) -> str:
    """The form that the first usable clause of the Accept header asks for, empty for the plain object.

    Raises NotAcceptable when no clause allows JSON.
    """
    for clause in call.request.headers.get("accept", "*/*").split(","):
        media_type, *parameters = [part.strip() for part in clause.split(";")]
        if media_type in ("application/json", "application/*", "*/*"):
            return next((p.removeprefix("as=") for p in parameters if p.startswith("as=")), "")
    raise NotAcceptable()


def _table(call: Call, documents: Sequence[JsonObject], metadata: JsonObject) -> JsonObject:
    return table(call.resource, documents, call.store.now(), metadata, call.query.get("includeObject", "Metadata"))


def _list(kind: str, api_version: str, metadata: JsonObject, items: list[JsonObject]) -> JsonObject:
    return {"kind": kind, "apiVersion": api_version, "metadata": metadata, "items": items}
