"""What is noticed about a deletion before it begins: what refuses it, and what will stand in its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.clusters.deletion.rules.blockers import blocks
from functions.clusters.deletion.rules.interfaces import blocker_of, is_of_a_service, load_balancer_of
from functions.clusters.deletion.rules.preview import FOREIGN, STACK_FAILED, balancers, is_foreign_bucket
from functions.core.errors import Conflict
from functions.core.findings import Finding, Level, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.clusters.deletion.models import Interface
    from functions.clusters.deletion.rules.preview import Case


def findings_of(case: Case) -> list[Finding]:
    """Tell what refuses the deletion, what will stand in its way, and what could not be looked at."""
    found = [*_ownership(case), *_retention(case), *_blockers(case), *_shared(case), *_leaks(case)]
    return [*found, *(unchecked(check, why) for check, why in case.seen.unchecked.items())]


def _ownership(case: Case) -> Iterable[Finding]:
    """Refuse to delete what somebody else made, where it is all that is asked for."""
    seen = case.seen.hyperpod
    if not case.whole and seen is not None and not seen.ours:
        name = case.spec.names.hyperpod_cluster
        yield Finding(
            check="hyperpod",
            level=Level.ERROR,
            code=Conflict.code,
            message=f"the HyperPod cluster {name} was not made by the control plane: {FOREIGN}",
            resource=seen.arn,
            remedy=f"Delete it where it was made (aws sagemaker delete-cluster --cluster-name {name}).",
        )
    if case.deletion.delete_bucket and is_foreign_bucket(case):
        yield Finding(
            check="delete_bucket",
            level=Level.ERROR,
            code=Conflict.code,
            field="delete_bucket",
            message=f"the bucket {case.spec.bucket} is not the control plane's, which does not delete it",
            resource=f"s3://{case.spec.bucket}",
            remedy="Leave delete_bucket out; delete the bucket where it was made.",
        )


def _retention(case: Case) -> Iterable[Finding]:
    """Refuse to retain anything before a deletion has failed: CloudFormation takes it only then.

    Source: AWS CloudFormation API reference, DeleteStack, RetainResources.
    """
    wanted, stack = case.deletion.retain_resources, case.seen.stack
    if not wanted or "stack" in case.seen.unchecked:
        return
    failed = [each.logical_id for each in stack.resources if each.status == STACK_FAILED] if stack else []
    if stack is None or stack.status != STACK_FAILED:
        status = stack.status if stack else "absent"
        message = f"the stack is {status}; resources can be retained only after a deletion of it has failed"
        yield _refusal(message, "Leave retain_resources out; when a deletion fails, its remedy names what to retain.")
    elif unknown := sorted({*wanted} - {*failed}):
        message = f"{', '.join(unknown)} did not fail to be deleted"
        yield _refusal(message, "Name only resources that failed.", failed)


def _refusal(message: str, remedy: str, allowed: list[str] | None = None) -> Finding:
    return Finding(
        check="retain_resources",
        level=Level.ERROR,
        code=Conflict.code,
        field="retain_resources",
        message=message,
        remedy=remedy,
        allowed=allowed,
    )


def _blockers(case: Case) -> Iterable[Finding]:
    """Name what will stand in the way of the network's deletion, if it is still there by then."""
    if case.shares or not case.has("vpc_clearance"):
        return
    known = {each.physical_id for each in case.seen.stack.resources} if case.seen.stack else set()
    for interface in case.seen.interfaces:
        if not _goes(case, interface, known):
            blocker = blocker_of(interface)
            yield Finding(
                check="blocker",
                level=Level.WARNING,
                message=f"{blocker.resource} {blocker.message}: the deletion ends BLOCKED while it is there",
                resource=blocker.resource,
                remedy=blocker.remedy,
            )


def _shared(case: Case) -> Iterable[Finding]:
    """Name load balancers in a network with others in it: nothing tells from outside which cluster they serve."""
    if case.shares and case.has("load_balancers_removal"):
        for name in balancers(case):
            yield Finding(
                check="load_balancer",
                level=Level.WARNING,
                message=f"the load balancer {name} in the reused VPC goes only with a Service of this cluster",
                resource=name,
                remedy="Look at its tags; if it was this cluster's and is still there afterwards, delete it.",
            )


def _goes(case: Case, interface: Interface, known: set[str]) -> bool:
    balancer = load_balancer_of(interface)
    if balancer:
        return is_of_a_service(balancer) and case.has("load_balancers_removal")
    of_stack = interface.description.rpartition(" ")[2] in known
    return of_stack or not blocks(interface, case.owner)


def _leaks(case: Case) -> Iterable[Finding]:
    """Say what may be left where nobody looks into the cluster."""
    if not case.deletion.skip_workloads:
        return
    message = (
        "nothing is done inside the cluster: load balancers of its Services, their security groups and disks of its "
        "claims may stay, cost money and block the network's deletion"
    )
    remedy = "Leave skip_workloads out if the cluster's API server answers."
    yield Finding(check="skip_workloads", level=Level.WARNING, message=message, field="skip_workloads", remedy=remedy)
