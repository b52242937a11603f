"""What stands already under the names that a request would give, and what becomes of it.

A stack of ours is adopted or cleared away by the stage of the foundation, and all that it has made with it. Whatever
else bears such a name lets the stack fail halfway: CloudFormation takes nothing over. A bucket that a deletion kept is
the exception: the next stack of the tag takes it over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.rules.shortfalls import rolled_back
from functions.core.errors import Forbidden
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from functions.clusters.preflight.models import HyperPodFound, Leftovers, PartFound, StackFound, Target
    from functions.core.cluster import DesiredGroup

LEFTOVER: Final = "leftover"
BUCKET: Final = "S3 bucket"
EKS_CLUSTER: Final = "EKS cluster"
ROLE: Final = "IAM role"
_COMPLETE: Final = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"})
_FAILED: Final = frozenset({"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"})
_OTHER_TAG: Final = "create the cluster under another tag"
# How the caller may take a part over instead, by its kind.
_TAKEN_OVER: Final = {
    BUCKET: "take it over as foundation.bucket",
    ROLE: "take it over as a role of the foundation",
    EKS_CLUSTER: "import it (POST /api/clusters/import)",
}


def check_foundation(found: Leftovers | None, target: Target) -> Iterator[Finding]:
    """Tell what becomes of what stands under the names of a foundation."""
    if found is None:
        return
    if found.stack is not None:
        yield _stack(found.stack, target)
    if found.stack is None or not found.stack.ours:
        yield from (_part(part, target) for part in found.parts)


def check_kept_data(findings: Iterable[Finding], bucket: str, *, administrator: bool) -> Iterator[Finding]:
    """Let only an administrator come into the data of an earlier cluster of the tag, whoever that belonged to."""
    kept = any(each.check == LEFTOVER and each.level is Level.INFO and each.resource == bucket for each in findings)
    if kept and not administrator:
        yield Finding(
            check=LEFTOVER,
            level=Level.ERROR,
            code=Forbidden.code,
            field="tag",
            resource=bucket,
            message=f"the bucket {bucket} holds what an earlier cluster of the tag has left",
            remedy=f"Let an administrator send the request, or {_OTHER_TAG}.",
        )


def check_hyperpod(
    found: Leftovers | None, target: Target, groups: Sequence[DesiredGroup], field: str
) -> Iterator[Finding]:
    """Tell what becomes of a HyperPod cluster of the name; `field` is where the groups are asked for."""
    if found is None or found.hyperpod is None:
        return
    hyperpod = found.hyperpod
    if hyperpod.eks_arn.rpartition("/")[2] != target.names.eks_cluster:
        where = f"it runs on {hyperpod.eks_arn}" if hyperpod.eks_arn else "it does not run on EKS"
        yield _error(
            f"a HyperPod cluster named {hyperpod.name} exists, and {where}",
            hyperpod.arn,
            "tag",
            f"Delete that HyperPod cluster, or {_OTHER_TAG}.",
        )
    elif hyperpod.status == "Deleting":
        yield _told(
            Level.WARNING, f"the HyperPod cluster {hyperpod.name} is being deleted: this one waits for it", hyperpod.arn
        )
    elif _came_to_nothing(hyperpod, groups):
        yield _told(
            Level.WARNING,
            f"the HyperPod cluster {hyperpod.name} came to nothing before; if it is this cluster's own, it is deleted "
            "and created anew",
            hyperpod.arn,
        )
    elif hyperpod.status == "Failed":
        yield _error(
            f"the HyperPod cluster {hyperpod.name} is Failed and still has {hyperpod.instances} instances",
            hyperpod.arn,
            "tag",
            f"Delete {hyperpod.name} (aws sagemaker delete-cluster) and send the request again, or {_OTHER_TAG}.",
        )
    else:
        yield _adopted(hyperpod, groups, field)


def _came_to_nothing(hyperpod: HyperPodFound, groups: Sequence[DesiredGroup]) -> bool:
    """Say whether a cluster failed, or gave up a group, and has no instance."""
    targets = {name: target for name, _, target in hyperpod.groups}
    return not hyperpod.instances and (hyperpod.status == "Failed" or rolled_back(groups, targets) is not None)


def _adopted(hyperpod: HyperPodFound, groups: Sequence[DesiredGroup], field: str) -> Finding:
    if hyperpod.groups == {(group.name, group.types, group.instance_count) for group in groups}:
        return _told(
            Level.INFO, f"the HyperPod cluster {hyperpod.name} exists with these groups and is adopted", hyperpod.arn
        )
    listed = ", ".join(f"{name} ({count} x {', '.join(kinds)})" for name, kinds, count in sorted(hyperpod.groups))
    message = f"the HyperPod cluster {hyperpod.name} exists with other instance groups: {listed}"
    remedy = f"Ask for exactly these groups to adopt it, or {_OTHER_TAG}."
    return _error(message, hyperpod.arn, field, remedy)


def _stack(stack: StackFound, target: Target) -> Finding:
    if not stack.ours:
        message = f"a stack named {stack.name} exists that is not the foundation of a cluster {target.tag}"
        return _error(message, stack.stack_id, "tag", f"Delete that stack if nobody needs it, or {_OTHER_TAG}.")
    if stack.status in _COMPLETE:
        return _told(
            Level.INFO, f"the stack {stack.name} stands from an earlier cluster and is adopted", stack.stack_id
        )
    if stack.status in _FAILED:
        message = f"the stack {stack.name} failed before ({stack.status}): it is deleted first, with all that it made"
        return _told(Level.WARNING, message, stack.stack_id)
    message = f"the stack {stack.name} is {stack.status}: the foundation waits for its end and goes on from there"
    return _told(Level.WARNING, message, stack.stack_id)


def _part(part: PartFound, target: Target) -> Finding:
    what = f"{part.kind} named {part.name}"
    if part.ours and part.kind == BUCKET:
        message = f"the bucket {part.name} is left from an earlier cluster {target.tag} and is taken into use again"
        return _told(Level.INFO, message, part.name)
    if part.ours:
        message = f"an {what} is left from an earlier cluster {target.tag}, and no stack takes it over"
        remedy = f"Delete it, {_TAKEN_OVER[part.kind]}, or {_OTHER_TAG}."
    elif part.ours is None:
        message = f"an {what} exists, {part.whose}"
        remedy = f"{_OTHER_TAG.capitalize()}: the name is taken."
    else:
        message = f"an {what} exists that is not of a cluster {target.tag}{part.whose and f', {part.whose}'}"
        remedy = f"{_OTHER_TAG.capitalize()}, or {_TAKEN_OVER[part.kind]}."
    return _error(message, part.name, "tag", remedy)


def _error(message: str, resource: str, field: str, remedy: str) -> Finding:
    return Finding(
        check=LEFTOVER,
        level=Level.ERROR,
        field=field,
        message=message,
        resource=resource,
        remedy=remedy,
        code="conflict",
    )


def _told(level: Level, message: str, resource: str) -> Finding:
    return Finding(check=LEFTOVER, level=level, message=message, resource=resource)
