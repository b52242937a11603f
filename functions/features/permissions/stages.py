"""Looking into an add-on's pods, where EKS says only that they are not ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.core import runtime
from functions.core.documents import member
from functions.core.errors import Cause, Layer, StageFailed
from functions.core.stage import Failed, Waiting
from functions.features.permissions.rules import SETTLING, STARTING, fault_in, name_of, runs_of, since, unready
from functions.features.rules import CONFLICT, waits_for_nodes
from functions.identity.chains.models import chains_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import PODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from functions.core.stage import Observation, StageContext
    from functions.features.permissions.rules import Fault
    from functions.kubernetes_api.connection import ClusterClient
    from functions.kubernetes_api.objects import Object

_POLL_SECONDS: Final = 30
# A fault of a role shows in every pod that has it.
_MOST_PODS: Final = 3
# While EKS works at an add-on its pods come and go; where it cannot reach the API server, nor can we.
_NO_TIME_TO_LOOK: Final = frozenset({CONFLICT, "ClusterUnreachable"})


def outlook(context: StageContext, status: str, issues: Mapping[str, str]) -> Observation | None:
    """Say what the pods of an add-on that have a role of ours show; None where they show nothing of their own."""
    if status in ("UPDATING", "DELETING") or not _NO_TIME_TO_LOOK.isdisjoint(issues):
        return None
    if status == "CREATING" and not issues:
        return None
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    pods = [pod for pod in _pods(client, context) if unready(pod, runtime.now())]
    for pod in pods[:_MOST_PODS]:
        if fault := fault_in(_lines(client, pod)):
            return _faulty(context, status, pod, fault)
    return _slow(context, status, pods[0]) if pods and waits_for_nodes(issues) else None


def _pods(client: ClusterClient, context: StageContext) -> Iterator[Object]:
    """List the pods that run as the add-on's service accounts."""
    for chain in chains_of(context.cluster).values():
        if chain.account_of == context.parameter:
            account = f"spec.serviceAccountName={chain.service_account}"
            yield from objects.listed(client, PODS, namespace=chain.namespace, field_selector=account)


def _lines(client: ClusterClient, pod: Object) -> Iterator[str]:
    metadata = member(pod, "metadata")
    for event in objects.events_of(client, str(metadata["uid"]), str(metadata["namespace"])):
        yield str(event.get("message") or "")
    for container, previous in runs_of(pod):
        yield from objects.tail_of(client, pod, container, previous).splitlines()


def _faulty(context: StageContext, status: str, pod: Object, fault: Fault) -> Observation:
    said = f"The add-on {context.parameter} is {status}, and {name_of(pod)} is not ready: {fault.words}"
    if runtime.now() - since(pod) < SETTLING:
        return Waiting(_POLL_SECONDS, f"{said} ({fault.code})")
    return Failed(
        StageFailed(
            f"{said}.",
            cause=Cause(layer=Layer.AWS, service="iam", code=fault.code, resource=name_of(pod)),
            remedy=f"Configure the dependencies again (POST /api/clusters/{context.cluster.tag}/dependencies): the "
            "identity chain repairs the role. A role that is not ours is to be repaired by its owner.",
        )
    )


def _slow(context: StageContext, status: str, pod: Object) -> Observation:
    """Tell a pod that has a node and does not get ready from one that has no node."""
    said = f"The add-on {context.parameter} is {status}: {name_of(pod)} has a node and is not ready"
    if runtime.now() - since(pod) < STARTING:
        return Waiting(_POLL_SECONDS, said)
    return Failed(
        StageFailed(
            f"{said} after {STARTING.total_seconds() / 60:.0f} minutes.",
            cause=Cause(layer=Layer.KUBERNETES, code="POD_NOT_READY", resource=name_of(pod)),
            remedy="Read the pod's events and log (kubectl describe pod, kubectl logs), remove the cause, "
            "then retry the operation.",
        )
    )
