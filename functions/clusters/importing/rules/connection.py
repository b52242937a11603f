"""A connection test step by step: each step passes, or fails with its cause and a remedy.

That the administrator gets in is read from EKS: whoever may only read must not have us become it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.clusters.importing.models.connection import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.clusters.importing.models.found import FoundEks
    from functions.core.errors import Problem

# The codes that the door to clusters gives, which is not open to rules.
UNREACHABLE: Final = "K8S_UNREACHABLE"
NO_ENTRY: Final = "K8S_ACCESS_ENTRY_MISSING"
STEPS: Final = ("control_plane", "endpoint", "admin_entry", "admin_rights", "reachable", "operator_token",
                "operator_rights")  # fmt: skip


def control_plane(name: str, eks: FoundEks | None) -> Check:
    """Judge the EKS cluster itself."""
    if eks is None:
        return failed("control_plane", f"there is no EKS cluster {name}", "ABSENT", "Forget or delete the cluster.")
    if eks.status not in ("ACTIVE", "UPDATING"):
        return failed("control_plane", f"{name} is {eks.status}", eks.status, "Wait until it is ACTIVE.")
    return passed("control_plane", f"{name} is {eks.status}, Kubernetes {eks.version}")


def endpoint(eks: FoundEks) -> Check:
    """Judge whether the endpoint answers where we are."""
    if not eks.public_endpoint:
        remedy = f"aws eks update-cluster-config --name {eks.name} --resources-vpc-config endpointPublicAccess=true"
        return failed("endpoint", f"{eks.name} answers in its VPC only", "PRIVATE_ENDPOINT", remedy)
    return passed("endpoint", f"the public endpoint is open to {', '.join(eks.public_cidrs) or 'everybody'}")


def unreachable(eks: FoundEks, said: str) -> Check:
    """Say that the API server gives no answer."""
    remedy = (
        f"See that the ranges of the public endpoint ({', '.join(eks.public_cidrs)}) hold the control plane's "
        "addresses, and that the cluster is well."
    )
    return failed("reachable", said, UNREACHABLE, remedy)


def not_let_in(step: str, said: str, commands: str) -> Check:
    """Say that the cluster does not know a role of ours."""
    return failed(step, said, NO_ENTRY, f"An administrator of the cluster runs: {commands}")


def admin_rights(lacking: Sequence[str], associations: Sequence[str]) -> Check:
    """Judge what the administrator's access entry lets it do; `associations` are the commands that mend it."""
    if not lacking:
        return passed("admin_rights", "the entry has the access policies that the stages need")
    remedy = f"An administrator of the cluster runs: {' && '.join(associations)}"
    return failed("admin_rights", f"the entry lacks {', '.join(lacking)}", "ACCESS_POLICY_MISSING", remedy)


def refused(step: str, problem: Problem) -> Check:
    """Say that AWS does not let us look, or become a role of ours."""
    code = problem.cause.code if problem.cause and problem.cause.code else problem.code
    return failed(step, problem.detail, code, problem.remedy or "Deploy the control plane again.")


def rights(step: str, missing: Sequence[str], tag: str) -> Check:
    """Judge what a role may do."""
    if not missing:
        return passed(step, "the role may do what the stages do")
    remedy = f"Configure the dependencies (POST /api/clusters/{tag}/dependencies): they grant the rights."
    return failed(step, f"the role may not {'; '.join(missing)}", "RBAC_RIGHTS_MISSING", remedy)


def completed(checks: Sequence[Check]) -> list[Check]:
    """Add the steps that were not reached."""
    done = {check.name for check in checks}
    rest = [Check(name=name, outcome="unknown", message="not reached") for name in STEPS if name not in done]
    return sorted([*checks, *rest], key=lambda check: STEPS.index(check.name))


def passed(step: str, message: str) -> Check:
    """Say that a step passed."""
    return Check(name=step, outcome="passed", message=message)


def failed(step: str, message: str, code: str, remedy: str) -> Check:
    """Say that a step failed."""
    return Check(name=step, outcome="failed", message=message, code=code, remedy=remedy)
