"""The route that changes what is said about a cluster.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import TYPE_CHECKING, Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.clusters import records
from functions.clusters.settings import rules
from functions.clusters.settings.models import UpdateCluster
from functions.core import mutations
from functions.core.application import IdempotencyKey
from functions.core.ledger.models import NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def update_cluster(
    tag: Tag,
    request: UpdateCluster,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Change a cluster's owner groups and company tags."""
    sent: JsonObject = request.model_dump(mode="json", exclude_unset=True)
    asked = mutations.asked("update_cluster", tag, sent, ["settings"], idempotency_key)
    return mutations.carry_out(asked, lambda: _intent(asked, request), dry_run=dry_run, confirm=confirm)


def _intent(asked: NewOperation, request: UpdateCluster) -> Intent:
    spec = mutations.owned(records.read(asked.cluster_tag).spec)
    dropped: JsonObject = {"dropped_tags": [*rules.dropped_keys(request, spec)]}
    changed = {
        "request": asked.request | dropped,
        "stages": [mutations.planned("settings", rules.STAGE)],
        "changed_cluster": rules.changed_members(request, spec) or None,
        "cluster_version": spec.version,
    }
    return Intent(
        new=asked.model_copy(update=changed),
        changes=rules.changes(request, spec),
        read={"spec": spec.version},
        cluster=spec,
    )
