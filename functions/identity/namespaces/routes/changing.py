"""The route that makes a namespace: what becomes of one of the name is asked of the cluster, within seconds.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import eks
from functions.core import application, failures, mutations
from functions.core.application import IdempotencyKey
from functions.core.cluster import ClusterSpec
from functions.core.errors import PreconditionFailed, StageFailed, Unavailable
from functions.core.findings import Finding, unchecked
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import JsonObject, NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent
from functions.identity.namespaces import rules
from functions.identity.namespaces.manifests import view
from functions.identity.namespaces.models import CreateNamespace, NamespaceView, NewNamespace
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import FIELD_MANAGER, NAMESPACES

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def create_namespace(
    tag: Tag,
    request: CreateNamespace,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to make a namespace."""
    wanted = NewNamespace(name=request.name, labels=request.labels)
    planned = {
        "stages": [mutations.planned("namespaces", f"{rules.STAGE}:{wanted.name}")],
        "audited": wanted.name,
    }
    scopes = [f"workload:namespace.{wanted.name}"]
    asked = mutations.asked("create_namespace", tag, wanted.record(), scopes, idempotency_key)
    asked = asked.model_copy(update=planned)
    return mutations.carry_out(
        asked, lambda: _intent(asked, wanted, mutations.owned(spec_of(tag))), dry_run=dry_run, confirm=confirm
    )


def _intent(asked: NewOperation, wanted: NewNamespace, spec: ClusterSpec) -> Intent:
    found, unseen = _look(spec, wanted.name)
    noticed = [*rules.findings(wanted, found), *unseen]
    return Intent(
        new=asked.model_copy(update={"findings": noticed}),
        changes=[rules.change(wanted, found, seen=not unseen)],
        findings=noticed,
        cluster=spec,
    )


def _look(spec: ClusterSpec, name: str) -> tuple[NamespaceView | None, list[Finding]]:
    """Read the namespace off the cluster; one that gives no answer leaves the check to the stage."""
    try:
        client = connection.connect(spec.names.eks_cluster, eks.api_server_of)
        document = objects.get(client, NAMESPACES, name)
    except (PreconditionFailed, StageFailed, Unavailable) as refused:
        application.warn(f"the namespace {name} of {spec.tag} is unchecked", refused)
        return None, [unchecked(rules.STAGE, refused.detail)]
    except (ClientError, BotoCoreError) as error:
        application.warn(f"the namespace {name} of {spec.tag} is unchecked", error)
        return None, [unchecked(rules.STAGE, failures.problem_of(error, spec.names.eks_cluster).detail)]
    return (_own(document, view(document, spec.tag)) if document else None), []


def _own(document: JsonObject, found: NamespaceView) -> NamespaceView:
    """Leave of a namespace's labels those that our field manager has written: no other is changed."""
    written = [key for key in found.labels if FIELD_MANAGER in objects.managers_of(document, "metadata", "labels", key)]
    return found.model_copy(update={"labels": {key: found.labels[key] for key in written}})
