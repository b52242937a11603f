"""The cluster's bucket as a claim that pods can mount, shown by a pod that does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from functions.aws import eks
from functions.core import detection, runtime
from functions.core.detection import Part
from functions.core.documents import member
from functions.core.errors import Cause, Conflict, Layer
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import MANAGER, labels_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import (
    CSI_DRIVERS,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    Object,
)
from functions.storage.drift.rules import KIND, drifts_of
from functions.storage.manifests import (
    PROBED,
    S3_DRIVER,
    Mount,
    persistent_volume,
    persistent_volume_claim,
    probe_pod,
)
from functions.storage.rules import Evidence, broken_link, succeeded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.drifts import Drift
    from functions.kubernetes_api.connection import ClusterClient

_POLL_SECONDS: Final = 5


class S3Mount:
    """A static volume of the bucket, its claim, and a pod that probes them once an operation.

    The claim remembers which operation has seen the mount work, so that the pod can go.
    """

    def apply(self, context: StageContext) -> Applied:
        """Apply volume, claim and, until it has gone through, the probe."""
        client, mount, operation = _client(context), _mount(context), context.operation.operation_id
        labels = labels_of(context.cluster, operation)
        if _cleared(client, mount):
            return Applied(f"{mount.volume} was left by a claim that is gone, and makes way")
        pod = _probe(client, mount)
        probed = _went_through(pod, operation) or _probed(client, mount, operation)
        notes = objects.apply(client, PERSISTENT_VOLUMES, persistent_volume(mount, labels))
        claim = persistent_volume_claim(mount, labels, operation if probed else "")
        notes += objects.apply(client, PERSISTENT_VOLUME_CLAIMS, claim)
        if pod is not None and (probed or _operation_of(pod) != operation):
            objects.delete(client, PODS, mount.probe, mount.namespace, str(member(pod, "metadata").get("uid")))
        elif not probed:
            notes += objects.apply(client, PODS, probe_pod(mount, labels, operation))
        return Applied(f"{mount.claim} claims s3://{mount.bucket}", _resources(mount), notes)

    def observe(self, context: StageContext) -> Observation:
        """Done when this operation's probe went through and is gone."""
        client, mount, operation = _client(context), _mount(context), context.operation.operation_id
        claim = objects.get(client, PERSISTENT_VOLUME_CLAIMS, mount.claim, mount.namespace)
        if claim is None:
            return Reapply(f"the claim {mount.claim} is gone")
        pod = _probe(client, mount)
        if _probed_by(claim) == operation and member(claim, "status").get("phase") == "Bound":
            return _finished(mount, pod)
        if pod is None:
            return Reapply(f"{mount.claim} is to be probed")
        if member(pod, "metadata").get("deletionTimestamp"):
            return Waiting(_POLL_SECONDS, "an earlier probe is going")
        if _operation_of(pod) != operation or succeeded(pod):
            return Reapply(f"the probe of {mount.claim} has ended")
        return _outlook(_evidence(client, context, pod, claim))


def _cleared(client: ClusterClient, mount: Mount) -> bool:
    """Delete a volume of ours that a deleted claim has left behind, and say whether there was one.

    It stays bound to that claim's uid for ever, so no other claim gets it. Its bucket is kept: a static volume is but a
    name for it. Source: Kubernetes documentation, "Persistent Volumes", reclaiming.
    """
    volume = objects.get(client, PERSISTENT_VOLUMES, mount.volume)
    if volume is None or member(volume, "status").get("phase") != "Released":
        return False
    if _labels(volume).get("app.kubernetes.io/managed-by") != MANAGER:
        return False
    objects.delete(client, PERSISTENT_VOLUMES, mount.volume, uid=str(member(volume, "metadata").get("uid")))
    return True


def _finished(mount: Mount, pod: Object | None) -> Observation:
    if pod is not None and member(pod, "metadata").get("deletionTimestamp"):
        return Waiting(_POLL_SECONDS, "the probe is going")
    if pod is not None:
        return Reapply("the probe is to go")
    result = {"claim": mount.claim, "namespace": mount.namespace, "bucket": mount.bucket}
    message = f"{mount.claim} is bound to s3://{mount.bucket}, and a pod wrote and read through it"
    return Done({**result, "probed": True}, message, _resources(mount))


def _outlook(evidence: Evidence) -> Observation:
    found = broken_link(evidence)
    if found is None:
        return Waiting(_POLL_SECONDS, f"a pod probes {evidence.mount.claim}", resources=_resources(evidence.mount))
    if runtime.now() - found.since < found.patience:
        return Waiting(found.poll_seconds, found.problem.detail, resources=_resources(evidence.mount))
    return Failed(found.problem)


def _evidence(client: ClusterClient, context: StageContext, pod: Object, claim: Object) -> Evidence:
    mount, ended = _mount(context), member(pod, "status").get("phase") == "Failed"
    return Evidence(
        mount=mount,
        role=context.cluster.names.s3_csi_role,
        pod=pod,
        claim=claim,
        driver_installed=objects.get(client, CSI_DRIVERS, S3_DRIVER) is not None,
        events=tuple(objects.events_of(client, str(member(pod, "metadata").get("uid")), mount.namespace)),
        log=objects.log_of(client, mount.probe, mount.namespace) if ended else "",
    )


def _client(context: StageContext) -> ClusterClient:
    return connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)


def _probe(client: ClusterClient, mount: Mount) -> Object | None:
    """Read the probe.

    Raises Conflict when a pod of its name is not ours.
    """
    pod = objects.get(client, PODS, mount.probe, mount.namespace)
    if pod is not None and _labels(pod).get("app.kubernetes.io/managed-by") != MANAGER:
        resource = f"{mount.namespace}/pod/{mount.probe}"
        raise Conflict(
            f"{resource} is not ours, and the probe of {mount.claim} needs its name.",
            cause=Cause(layer=Layer.KUBERNETES, code="AlreadyExists", resource=resource),
            remedy="Remove that pod, or mount the bucket under another name, then retry the operation.",
        )
    return pod


def _probed(client: ClusterClient, mount: Mount, operation: str) -> bool:
    claim = objects.get(client, PERSISTENT_VOLUME_CLAIMS, mount.claim, mount.namespace)
    return claim is not None and _probed_by(claim) == operation


def _probed_by(claim: Object) -> str:
    return str(member(member(claim, "metadata"), "annotations").get(PROBED) or "")


def _went_through(pod: Object | None, operation: str) -> bool:
    return pod is not None and _operation_of(pod) == operation and succeeded(pod)


def _operation_of(pod: Object) -> str:
    return str(_labels(pod).get("instantstart/operation") or "")


def _labels(pod: Object) -> Object:
    return member(member(pod, "metadata"), "labels")


def _mount(context: StageContext) -> Mount:
    """Read `<claim>`, in the namespace `default`, or `<namespace>/<claim>`."""
    namespace, _, claim = context.parameter.rpartition("/")
    return Mount(claim, namespace or "default", context.cluster.bucket, context.cluster.region)


def _resources(mount: Mount) -> tuple[str, ...]:
    return f"persistentvolume/{mount.volume}", f"{mount.namespace}/persistentvolumeclaim/{mount.claim}"


def _parts(context: StageContext) -> Iterator[Part]:
    cluster = context.cluster
    for each in cluster.mounts:
        place = each.name if each.namespace == "default" else f"{each.namespace}/{each.name}"
        mount = Mount(each.name, each.namespace, cluster.bucket, cluster.region)
        yield Part(f"{each.namespace}/{each.name}", KIND, (f"mount:{place}",), partial(_look, context, mount, place))


def _look(context: StageContext, mount: Mount, place: str) -> list[Drift]:
    client = _client(context)
    volume = objects.get(client, PERSISTENT_VOLUMES, mount.volume)
    claim = objects.get(client, PERSISTENT_VOLUME_CLAIMS, mount.claim, mount.namespace)
    return drifts_of(mount, f"mount:{place}", volume, claim)


STAGES: Behaviours = {"mount": S3Mount(), "mount_drift": detection.of(_parts)}
