"""The route that makes a namespace.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.core import application, mutations
from functions.core.application import IdempotencyKey
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.models import NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent
from functions.core.previews import Action, Change
from functions.identity.namespaces.models import CreateNamespace, NewNamespace

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]
_WHY: Final = "people work in it; one of the name that somebody else made is used as it is"


def create_namespace(
    tag: Tag,
    request: CreateNamespace,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to make a namespace."""
    wanted = NewNamespace(name=request.name, labels=request.labels)
    stage = f"namespace:{wanted.name}"
    asked = NewOperation(
        kind="create_namespace",
        cluster_tag=tag,
        actor=application.caller().actor,
        request=wanted.record(),
        stages=[mutations.planned("namespaces", stage)],
        scopes=[f"workload:namespace.{wanted.name}"],
        route=application.route(),
        idempotency_key=idempotency_key,
        audited=wanted.name,
    )
    change = Change(action=Action.CREATE, resource="Kubernetes namespace", name=wanted.name, reason=_WHY, stage=stage)
    return mutations.carry_out(
        asked,
        lambda: Intent(new=asked, changes=[change], cluster=spec_of(tag)),
        dry_run=dry_run,
        confirm=confirm,
    )
