"""Looking for what an add-on would install, before it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import eks
from functions.core.errors import Cause, Conflict, Layer
from functions.core.ledger.made import adopted
from functions.core.stage import Done
from functions.features.presence.rules import Copy, Present, external_copy, webhooks_of
from functions.features.rules import facts_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import CUSTOM_RESOURCE_DEFINITIONS, DEPLOYMENTS, VALIDATING_WEBHOOKS

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject
    from functions.core.stage import StageContext
    from functions.features.presence.rules import Evidence
    from functions.kubernetes_api.connection import ClusterClient


def external(context: StageContext) -> Copy | None:
    """Find a copy of the add-on's software that somebody else runs; None where none runs.

    Raises Conflict for one that lacks parts: it cannot be used, and a second controller would fight with it.
    """
    return external_of(context, context.parameter)


def external_of(context: StageContext, addon: str) -> Copy | None:
    """Find a copy of the software of an add-on that the stage is not named after. Raises what `external` raises."""
    evidence = facts_of(addon).evidence
    if evidence is None:
        return None
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    copy = external_copy(evidence, _present(client, evidence))
    if copy is not None and copy.missing:
        raise Conflict(
            f"{copy.controller} runs {addon}, and the cluster lacks {', '.join(copy.missing)} of it.",
            cause=Cause(layer=Layer.KUBERNETES, code="PARTIAL_COPY", resource=copy.controller),
            remedy="Complete that installation, or remove it so that the EKS add-on can be installed, "
            "then retry the operation.",
        )
    return copy


def used(context: StageContext, copy: Copy) -> Done:
    """Give the outcome of a stage that uses somebody else's copy as it is."""
    result: JsonObject = {"addon": context.parameter, "present": True, **adopted()}
    said = f"{context.parameter} is there already and not ours ({copy.manager}, {copy.controller}); it is left as it is"
    return Done({**result, "namespace": copy.namespace, "managed_by": copy.manager}, said)


def _present(client: ClusterClient, evidence: Evidence) -> Present:
    controllers = tuple(objects.listed(client, DEPLOYMENTS, evidence.controller))
    if not controllers:
        return Present((), frozenset(), frozenset())
    defined = (name for name in evidence.definitions if objects.get(client, CUSTOM_RESOURCE_DEFINITIONS, name))
    return Present(controllers, frozenset(defined), webhooks_of(objects.listed(client, VALIDATING_WEBHOOKS)))
