"""Looking at the HyperPod cluster and its lifecycle script, and bringing the cluster's groups back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from functions.aws import artifacts, hyperpod, hyperpod_mending
from functions.capacity.rules import drifts
from functions.capacity.stages.building import new_cluster
from functions.capacity.stages.lifecycle_scripts import SCRIPT_KEY, source_key
from functions.core import settings
from functions.core.detection import Part
from functions.core.drifts import ABSENT, Drift, drift, theirs
from functions.core.errors import Cause, Conflict, Layer
from functions.core.stage import Applied
from functions.core.tags import marked, marks_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.stage import StageContext

_SCRIPTS = "lifecycle_scripts"


def parts(context: StageContext) -> Iterator[Part]:
    """List what there is to look at: the script that instances fetch, and the cluster."""
    names = context.cluster.names
    if names.bucket is not None:
        script = f"s3://{names.bucket}/{SCRIPT_KEY}"
        yield Part(script, drifts.SCRIPT, (_SCRIPTS,), partial(_look_at_script, names.bucket, script))
    yield Part(names.hyperpod_cluster, drifts.CLUSTER, (drifts.STAGE,), partial(_look_at_cluster, context))


def _look_at_script(bucket: str, script: str) -> list[Drift]:
    shipped = artifacts.entity_tag(settings.required("ARTIFACT_BUCKET"), source_key())
    found = artifacts.entity_tag(bucket, SCRIPT_KEY)
    if found is None:
        return [drift(script, drifts.SCRIPT, _SCRIPTS, expected="present", actual=ABSENT)]
    if shipped is None or found == shipped:
        return []
    return [drift(script, drifts.SCRIPT, _SCRIPTS, "content", expected=f"this release's, {shipped}", actual=found)]


def _look_at_cluster(context: StageContext) -> list[Drift]:
    name = context.cluster.names.hyperpod_cluster
    found = hyperpod.describe(name)
    if found is None:
        return [drift(name, drifts.CLUSTER, drifts.STAGE, expected="present", actual=ABSENT)]
    if is_theirs(context, found):
        return [theirs(name, drifts.CLUSTER)]
    if found.status in ("Failed", "Deleting"):
        return [drift(name, drifts.CLUSTER, drifts.STAGE, "status", expected="InService", actual=found.status)]
    return drifts.drifts_of(context.cluster, found.groups, found.recovers)


def is_theirs(context: StageContext, found: hyperpod.Cluster) -> bool:
    """Say whether the HyperPod cluster of an imported cluster was made by somebody else."""
    return context.cluster.origin == "imported" and context.is_theirs(hyperpod.tags(found.arn))


def mend(context: StageContext, found: hyperpod.Cluster) -> Applied:
    """Bring groups and node recovery back; instances are taken away only where that was agreed to."""
    listed = drifts.drifts_of(context.cluster, found.groups, found.recovers)
    groups, recovery = drifts.mended(listed)
    if not groups and not recovery:
        return Applied(f"{found.name} is as it was asked for", (found.arn,))
    _check_ours(context, found)
    for each in listed:
        _check_agreed(context, found, each)
    hyperpod_mending.mend(new_cluster(context), groups, recovery=recovery)
    what = [f"the group {name}" for name in groups] + (["node recovery"] if recovery else [])
    return Applied(f"bringing back {', '.join(what)} of {found.name}", (found.arn,))


def _check_ours(context: StageContext, found: hyperpod.Cluster) -> None:
    if marked(hyperpod.tags(found.arn), context.cluster.tag):
        return
    raise Conflict(
        f"The HyperPod cluster {found.name} does not carry the tags of this control plane, so it is somebody else's. "
        "Nothing was changed.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", resource=found.arn),
        remedy=f"Change its groups by hand (aws sagemaker update-cluster), or give it the tags of "
        f"{marks_of(context.cluster.tag)} if it is this cluster's, then retry the operation.",
    )


def _check_agreed(context: StageContext, found: hyperpod.Cluster, each: Drift) -> None:
    agreed = context.operation.request.get("agreed")
    if not drifts.terminates(each) or (isinstance(agreed, list) and drifts.accepted_name(each) in agreed):
        return
    raise Conflict(
        f"The group {each.resource} of {found.name} has {each.actual} instances and {each.expected} were asked for; "
        f"bringing it back would end {drifts.terminates(each)} of them, to which nobody agreed. Nothing was changed.",
        cause=Cause(layer=Layer.HYPERPOD, service="sagemaker", code="WOULD_TERMINATE", resource=found.arn),
        remedy=f"Detect drift, preview the repair (POST /api/clusters/{context.cluster.tag}/repair?dry_run=true), and "
        "confirm it with the digest.",
    )
