"""Decisions about add-ons: which version, which step, when one counts as installed, what a failed one needs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from functions.core.drifts import ABSENT, Drift, drift
from functions.features.presence.rules import Evidence

if TYPE_CHECKING:
    from pydantic import JsonValue

# The only complaint of an add-on that has no node to run on yet.
LACKS_NODES: Final = "InsufficientNumberOfReplicas"
CONFLICT: Final = "ConfigurationConflict"
MISSING_ACTION: Final = "IAM_MISSING_ACTION"
_FAILED: Final = frozenset({"CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"})
_AT_WORK: Final = frozenset({"CREATING", "UPDATING", "DELETING"})
_CREATIONS: Final = 2
# Actions begin with one of few verbs: what else has a colon (a user and a password, say) is none.
# Source: Service Authorization Reference, actions of the services that add-ons call.
_VERBS: Final = (
    "Add|Assign|Associate|Attach|Authorize|Batch|Cancel|Copy|Create|Decrypt|Delete|Deregister|Describe|Detach|Disable|"
    "Disassociate|Enable|Encrypt|Filter|Generate|Get|Head|Invoke|List|Modify|Pass|Publish|Put|Query|Reboot|Receive|"
    "Register|Remote|Remove|Replace|Revoke|Run|Scan|Send|Set|Start|Stop|Tag|Terminate|Unassign|Untag|Update|Write"
)
_ACTION: Final = re.compile(
    r"(?:AccessDenied|UnauthorizedOperation|not authorized to perform).*?"
    rf"\b([a-z][a-z0-9-]+:(?:{_VERBS})[A-Z][A-Za-z]+)\b",
    re.S,
)


@dataclass(frozen=True)
class AddonFacts:
    """What is known of an add-on beforehand: the oldest version that serves us, and its settings."""

    minimum: str | None = None
    # Shows that somebody runs the same software without EKS: there the add-on is not installed.
    evidence: Evidence | None = None
    configuration: Mapping[str, JsonValue] = field(default_factory=dict)


# Sources: prerequisites of HyperPod on EKS (CNI) and of its inference add-on (the others), SageMaker developer guide.
ADDONS: Final[dict[str, AddonFacts]] = {
    "vpc-cni": AddonFacts(minimum="v1.18.3"),
    "aws-mountpoint-s3-csi-driver": AddonFacts(minimum="v1.14.1-eksbuild.1"),
    "aws-fsx-csi-driver": AddonFacts(minimum="v1.6.0-eksbuild.1"),
    "cert-manager": AddonFacts(
        minimum="v1.18.2-eksbuild.2",
        # Source: deploy/charts/cert-manager of cert-manager/cert-manager.
        evidence=Evidence(
            definitions=("certificates.cert-manager.io", "issuers.cert-manager.io"),
            controller="app.kubernetes.io/name=cert-manager",
            webhook="webhook.cert-manager.io",
        ),
    ),
    "metrics-server": AddonFacts(minimum="v0.7.2-eksbuild.4"),
}


KIND: Final = "EKS add-on"


class Step(StrEnum):
    """What to do about an add-on."""

    CREATE = "create"
    CLEAR = "clear"
    UPDATE = "update"
    LEAVE = "leave"


@dataclass(frozen=True)
class Installed:
    """An add-on as it stands, and whether this product installed it."""

    status: str
    version: str
    configuration: str | None
    issues: Mapping[str, str]
    ours: bool


def facts_of(addon: str) -> AddonFacts:
    """Give what is known of an add-on; of most there is nothing to know."""
    return ADDONS.get(addon, AddonFacts())


def choose_version(offered: Mapping[str, bool], minimum: str | None) -> str | None:
    """Choose among versions that suit the cluster, each with whether it is EKS's default.

    The default if it is new enough, else the newest that is; None when none is.
    """
    adequate = [version for version in offered if minimum is None or not older(version, minimum)]
    default = next((version for version in adequate if offered[version]), None)
    return default or max(adequate, key=_numbers, default=None)


def older(version: str, other: str) -> bool:
    """Say whether a version comes before another one, builds counted."""
    return _numbers(version) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def next_step(
    found: Installed | None, wanted: str, facts: AddonFacts, overwrite: bool, *, upgrade: bool = False
) -> Step:
    """Choose the next step; what somebody else installed changes only in an upgrade or where it is too old for us."""
    if found is None:
        return Step.CREATE
    if found.status in _AT_WORK:
        return Step.LEAVE
    if found.status == "CREATE_FAILED":
        return Step.CLEAR
    required = wanted if found.ours or upgrade else facts.minimum
    outdated = required is not None and older(found.version, required)
    unsettled = found.ours and bool(facts.configuration) and not _same(found.configuration, facts.configuration)
    disputed = overwrite and CONFLICT in found.issues
    return Step.UPDATE if outdated or unsettled or disputed else Step.LEAVE


def version_kept(found: Installed | None, facts: AddonFacts) -> str | None:
    """Give the version that a repair leaves as it is; None where there is none, or one that is too old for us."""
    if found is None or (facts.minimum is not None and older(found.version, facts.minimum)):
        return None
    return found.version


def reconfigured(found: Installed, facts: AddonFacts) -> bool:
    """Say whether somebody gave an add-on of ours another configuration than it was installed with."""
    return found.ours and not _same(found.configuration, facts.configuration)


def drifts_of(name: str, found: Installed | None, issues: Mapping[str, str]) -> list[Drift]:
    """List how an add-on differs from what was installed; what somebody else installed is judged by its state alone."""
    stage, facts = f"addon:{name}", facts_of(name)
    if found is None:
        return [drift(name, KIND, stage, expected="installed", actual=ABSENT)]
    drifts: list[Drift] = []
    if broken(found.status, issues):
        said = ": ".join(headline(issues) or ("EKS gives no reason",))
        drifts.append(drift(name, KIND, stage, "status", expected="ACTIVE", actual=f"{found.status}, {said}"))
    if version_kept(found, facts) is None:
        expected = f"{facts.minimum} or newer"
        drifts.append(drift(name, KIND, stage, "version", expected=expected, actual=found.version))
    if reconfigured(found, facts):
        wanted = json.dumps(facts.configuration, sort_keys=True)
        drifts.append(drift(name, KIND, stage, "configuration", expected=wanted, actual=found.configuration))
    return drifts


def version_after(found: Installed, wanted: str) -> str:
    """Give the version of an update: never an older one."""
    return wanted if older(found.version, wanted) else found.version


def configuration_after(found: Installed | None, facts: AddonFacts, *, restores: bool = False) -> str | None:
    """Give the configuration to send; what somebody else configured stays as it is, unless ours is restored."""
    if restores and found is not None and reconfigured(found, facts):
        return json.dumps(facts.configuration, sort_keys=True)
    if found is not None and not found.ours:
        return found.configuration
    return json.dumps(facts.configuration, sort_keys=True) if facts.configuration else None


def _same(text: str | None, wanted: Mapping[str, JsonValue]) -> bool:
    try:
        return bool(json.loads(text or "{}") == wanted)
    except ValueError:
        return False


def stands(status: str, issues: Mapping[str, str]) -> bool:
    """Say whether an add-on is as far as it gets before the first node: active, or held up by lack of nodes only."""
    return status == "ACTIVE" or (status in ("CREATING", "DEGRADED") and waits_for_nodes(issues))


def waits_for_nodes(issues: Mapping[str, str]) -> bool:
    """Say whether lack of nodes is all that an add-on complains of."""
    return set(issues) == {LACKS_NODES}


def broken(status: str, issues: Mapping[str, str]) -> bool:
    """Say whether an add-on will not come right by itself."""
    return status in _FAILED or (status == "DEGRADED" and bool(issues) and not waits_for_nodes(issues))


def may_create_again(status: str, issues: Mapping[str, str], creations: int) -> bool:
    """Say whether another creation may help: a conflict comes back, and what failed twice has a cause."""
    return status == "CREATE_FAILED" and CONFLICT not in issues and creations < _CREATIONS


def headline(issues: Mapping[str, str]) -> tuple[str, str] | None:
    """Choose the issue that explains the others: a conflict, a missing permission, else the first but lack of nodes."""
    ranked = sorted(issues, key=lambda code: (code != CONFLICT, code not in _PERMISSIONS, code == LACKS_NODES))
    return (ranked[0], issues[ranked[0]]) if ranked else None


def missing_action(message: str) -> str | None:
    """Read the IAM action that a role lacks from what AWS says of it."""
    found = _ACTION.search(message)
    return found[1] if found else None


_PERMISSIONS: Final = ("AccessDenied", "AddonPermissionFailure")
_AGAIN: Final = "then retry the operation."
_REMEDIES: Final = {
    "AccessDenied": f"Give the role named in the message the permission it lacks, {_AGAIN}",
    "AddonPermissionFailure": f"Give the add-on's role the permission named in the message, {_AGAIN}",
    "AdmissionRequestDenied": f"Exempt the add-on's namespace from the admission policy that denies it, {_AGAIN}",
    "AddonSubscriptionNeeded": f"Subscribe to the add-on in AWS Marketplace, {_AGAIN}",
    "ClusterUnreachable": f"See to it that the cluster's API server answers EKS, {_AGAIN}",
    "InternalFailure": "Retry the operation; if it fails again, open a case with AWS Support.",
    "K8sResourceNotFound": f"Delete the add-on, whose objects somebody removed, {_AGAIN} It installs the add-on anew.",
    "UnsupportedAddonModification": f"Undo the change of the add-on's objects that the message names, {_AGAIN}",
}


def remedy_for(code: str) -> str:
    """Say what helps against an issue that EKS reports of an add-on."""
    return _REMEDIES.get(code, f"Remove the cause named in the message, {_AGAIN}")
