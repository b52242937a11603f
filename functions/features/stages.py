"""EKS add-ons, one stage each; what lacks nodes to run on stands until the first node comes."""

from __future__ import annotations

from typing import Final

from functions.aws import cloudformation, eks
from functions.core.errors import Cause, Layer, Problem
from functions.core.failures import failure
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import tags_of
from functions.features.rules import broken, stands, waits_for_nodes

_POLL_SECONDS: Final = 15
_S3_DRIVER: Final = "aws-mountpoint-s3-csi-driver"
# Source: Amazon EKS user guide, "Mountpoint for Amazon S3 CSI driver": its service account.
_S3_DRIVER_ACCOUNT: Final = "s3-csi-driver-sa"


class Addon:
    """The add-on that the stage's parameter names."""

    def apply(self, context: StageContext) -> Applied:
        """Install the add-on unless it is there; one whose creation failed only comes right after a deletion."""
        cluster, name = context.cluster.names.eks_cluster, context.parameter
        found = eks.describe_addon(cluster, name)
        if found is not None and found.status == "CREATE_FAILED":
            eks.delete_addon(cluster, name)
            return Applied(f"clearing away {name}, whose creation failed before")
        if found is not None:
            return Applied(f"{name} {found.version} is installed", (found.arn,))
        token = f"{context.operation.operation_id}-{context.stage.number}-{context.stage.attempt}"
        tags = tags_of(context.cluster, context.operation.operation_id)
        eks.create_addon(cluster, name, token, tags, _identity(context))
        return Applied(f"installing {name}")

    def observe(self, context: StageContext) -> Observation:
        """Done when the add-on is active, or lacks nothing but nodes."""
        name = context.parameter
        found = eks.describe_addon(context.cluster.names.eks_cluster, name)
        if found is None:
            return Reapply(f"{name} is not installed")
        if stands(found.status, found.issues):
            note = ", waiting for its first node" if waits_for_nodes(found.issues) else ""
            result = {"addon": name, "version": found.version, "status": found.status}
            return Done(result, f"{name} {found.version} is {found.status}{note}", (found.arn,))
        if broken(found.status, found.issues):
            return Failed(_broken(found))
        return Waiting(_POLL_SECONDS, f"{name} {found.status}", resources=(found.arn,))


def _identity(context: StageContext) -> dict[str, str]:
    if context.parameter != _S3_DRIVER:
        return {}
    return {_S3_DRIVER_ACCOUNT: cloudformation.outputs_of(context.cluster.names.stack)["S3CsiRoleArn"]}


def _broken(addon: eks.Addon) -> Problem:
    code, message = next(iter(addon.issues.items()), (addon.status, "EKS gives no reason"))
    cause = Cause(layer=Layer.AWS, service="eks", api_call="DescribeAddon", code=code, resource=addon.arn)
    return failure(f"The add-on {addon.name} is {addon.status}: {message}", cause)


STAGES: Behaviours = {"addon": Addon()}
