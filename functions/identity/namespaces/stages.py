"""Namespaces, made once: one that somebody else made is used as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks
from functions.core.errors import Cause, Conflict, Layer
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import labels_of
from functions.identity.namespaces import rules
from functions.identity.namespaces.manifests import namespace, view
from functions.identity.namespaces.models import NewNamespace
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import NAMESPACES

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject
    from functions.identity.namespaces.models import NamespaceView
    from functions.kubernetes_api.connection import ClusterClient


class Namespace:
    """The namespace that the operation names."""

    def apply(self, context: StageContext) -> Applied:
        """Apply it, full intent; leave one alone that is not ours."""
        wanted, client = _wanted(context), _client(context)
        found = _found(client, wanted.name, context.cluster.tag)
        where = (f"namespace/{wanted.name}",)
        if found is not None and rules.is_going(found):
            raise _going(wanted.name)
        if found is not None and not found.ours:
            note = f"{where[0]} was there and is not ours: it is used as it is, and its labels are not changed"
            return Applied("namespace already present", where, (note,))
        ours = labels_of(context.cluster, context.operation.operation_id)
        notes = objects.apply(client, NAMESPACES, namespace(wanted.name, wanted.labels, ours))
        return Applied("namespace changed" if found else "namespace created", where, notes)

    def observe(self, context: StageContext) -> Observation:
        """Done when it is there, and as wanted if it is ours."""
        wanted = _wanted(context)
        found = _found(_client(context), wanted.name, context.cluster.tag)
        if found is None or (found.ours and not wanted.labels.items() <= found.labels.items()):
            return Reapply(f"the namespace {wanted.name} is not as wanted")
        if rules.is_going(found):
            raise _going(wanted.name)
        result: JsonObject = {"namespace": found.name, "ours": found.ours, "labels": {**found.labels}}
        return Done(result, context.stage.message or "namespace present", (f"namespace/{found.name}",))


def _wanted(context: StageContext) -> NewNamespace:
    return NewNamespace.model_validate(context.operation.request)


def _client(context: StageContext) -> ClusterClient:
    return connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)


def _found(client: ClusterClient, name: str, tag: str) -> NamespaceView | None:
    document = objects.get(client, NAMESPACES, name)
    return view(document, tag) if document else None


def _going(name: str) -> Conflict:
    return Conflict(
        f"The namespace {name} is being deleted.",
        cause=Cause(layer=Layer.KUBERNETES, code="Terminating", resource=f"namespace/{name}"),
        remedy=f"Wait until it is gone (kubectl get namespace {name}), then retry the operation.",
        retryable=True,
    )


STAGES: Behaviours = {rules.STAGE: Namespace()}
