"""The cluster's bucket as a claim that pods can mount."""

from __future__ import annotations

from typing import Final

from functions.aws import eks
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext, Waiting
from functions.core.tags import labels_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, member
from functions.storage.manifests import Mount, persistent_volume, persistent_volume_claim

_POLL_SECONDS: Final = 5


class S3Mount:
    """A static volume of the bucket, and its claim."""

    def apply(self, context: StageContext) -> Applied:
        """Apply both objects, full intent."""
        client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
        mount = _mount(context)
        labels = labels_of(context.cluster, context.operation.operation_id)
        objects.apply(client, PERSISTENT_VOLUMES, persistent_volume(mount, labels))
        objects.apply(client, PERSISTENT_VOLUME_CLAIMS, persistent_volume_claim(mount, labels))
        return Applied(f"{mount.claim} claims s3://{mount.bucket}", _resources(mount))

    def observe(self, context: StageContext) -> Observation:
        """Done when the claim is bound."""
        client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
        mount = _mount(context)
        claim = objects.get(client, PERSISTENT_VOLUME_CLAIMS, mount.claim, mount.namespace)
        if claim is None:
            return Reapply(f"the claim {mount.claim} is gone")
        phase = str(member(claim, "status").get("phase") or "Pending")
        if phase != "Bound":
            return Waiting(_POLL_SECONDS, f"{mount.claim} is {phase}", resources=_resources(mount))
        result = {"claim": mount.claim, "namespace": mount.namespace, "bucket": mount.bucket}
        return Done(result, f"{mount.claim} is bound to s3://{mount.bucket}", _resources(mount))


def _mount(context: StageContext) -> Mount:
    """Read `<claim>`, in the namespace `default`, or `<namespace>/<claim>`."""
    namespace, _, claim = context.parameter.rpartition("/")
    return Mount(claim, namespace or "default", context.cluster.names.bucket, context.cluster.region)


def _resources(mount: Mount) -> tuple[str, ...]:
    return f"persistentvolume/{mount.volume}", f"{mount.namespace}/persistentvolumeclaim/{mount.claim}"


STAGES: Behaviours = {"mount": S3Mount()}
