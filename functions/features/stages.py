"""EKS add-ons, one stage each; what lacks nodes to run on stands until the first node comes."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Final

from functions.aws import addons, eks
from functions.core import detection
from functions.core.detection import Part
from functions.core.drifts import theirs
from functions.core.errors import Cause, Conflict, DeploymentFault, Layer, PreconditionFailed, Problem, StageFailed
from functions.core.ledger.made import adopted
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext, Waiting
from functions.core.tags import MANAGER, tags_of
from functions.features import rules
from functions.features.configuration_rules import faults
from functions.features.permissions.rules import fault_in
from functions.features.permissions.stages import outlook
from functions.features.presence.stages import external, external_of, used
from functions.features.rules import Installed, Step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.aws.addons import Addon as Found
    from functions.core.drifts import Drift
    from functions.core.ledger.models import JsonObject

_POLL_SECONDS: Final = 15


class Addon:
    """The add-on that the stage's parameter names."""

    def apply(self, context: StageContext) -> Applied:
        """Take the one step that the add-on calls for."""
        cluster, name = context.cluster.names.eks_cluster, context.parameter
        found, pinned = addons.describe(cluster, name), _pinned(context)
        if found is None and pinned:
            return Applied(f"{name} is no longer installed")
        if found is None and (copy := external(context)):
            return Applied(f"{name} is there already: {copy.controller}")
        facts, installed = rules.facts_of(name), _installed(found)
        kept = rules.version_kept(installed, facts) if context.mends else None
        version = pinned or kept or _version(context)
        step = rules.next_step(installed, version, facts, _overwrites(context), upgrade=pinned is not None)
        if step is Step.LEAVE and _restores(context, installed):
            step = Step.UPDATE
        if step is Step.CREATE:
            change = _change(context, None, version)
            addons.create(change, tags_of(context.cluster, context.operation.operation_id), _overwrites(context))
            return Applied(f"installing {name} {version}")
        if found is None:
            return Applied(f"{name} is absent")
        if step is Step.CLEAR:
            addons.forget(cluster, name)
            return Applied(f"clearing away {name}, whose creation failed before", (found.arn,))
        if step is Step.UPDATE:
            change = _change(context, found, version)
            addons.update(change, _overwrites(context))
            return Applied(f"updating {name} from {found.version} to {change.version}", (found.arn,))
        return Applied(f"{name} {found.version} is installed", (found.arn,))

    def observe(self, context: StageContext) -> Observation:
        """Done when the add-on is active, lacks nothing but nodes, or somebody else runs the same."""
        name, pinned = context.parameter, _pinned(context)
        found = addons.describe(context.cluster.names.eks_cluster, name)
        if found is None and pinned:
            return Done({"addon": name, "present": False}, f"{name} was removed meanwhile; it is left so")
        if found is None:
            copy = external(context)
            return used(context, copy) if copy else Reapply(f"{name} is not installed")
        if seen := outlook(context, found.status, found.issues):
            return seen
        if found.status == "ACTIVE" and _restores(context, _installed(found)):
            return Reapply(f"{name} is configured otherwise")
        if rules.stands(found.status, found.issues):
            if pinned and rules.older(found.version, pinned):
                return Reapply(f"{name} is {found.version}, not {pinned} yet")
            note = ", waiting for its first node" if rules.waits_for_nodes(found.issues) else ""
            result: JsonObject = {"addon": name, "version": found.version, "status": found.status}
            result |= adopted() if context.is_theirs(found.tags) else {}
            return Done(result, f"{name} {found.version} is {found.status}{note}", (found.arn,))
        # Each creation has an ARN of its own, and the stage keeps those it saw.
        creations = len({*context.stage.resources, found.arn})
        if rules.may_create_again(found.status, found.issues, creations):
            return Reapply(f"{name} is {found.status}; creating it once more")
        if rules.broken(found.status, found.issues):
            return Failed(_broken(context, found))
        return Waiting(_POLL_SECONDS, f"{name} {found.status}", resources=(found.arn,))


def _restores(context: StageContext, installed: Installed | None) -> bool:
    """Say whether the operation has to take back a configuration that somebody gave the add-on."""
    facts = rules.facts_of(context.parameter)
    return context.mends and installed is not None and rules.reconfigured(installed, facts)


def _overwrites(context: StageContext) -> bool:
    return context.operation.request.get("addon_conflicts") == "overwrite"


def _pinned(context: StageContext) -> str | None:
    """Give the version that an upgrade brings the add-on to; None where the stage only sees to it that it is there."""
    versions = context.operation.request.get("addon_versions")
    found = versions.get(context.parameter) if isinstance(versions, dict) else None
    return str(found) if found else None


def _installed(found: Found | None) -> Installed | None:
    if found is None:
        return None
    ours = found.tags.get("instantstart:managed-by") == MANAGER
    return Installed(found.status, found.version, found.configuration, found.issues, ours)


def _version(context: StageContext) -> str:
    name, kubernetes = context.parameter, eks.version_of(context.cluster.names.eks_cluster)
    minimum = rules.facts_of(name).minimum
    chosen = rules.choose_version(addons.offered(name, kubernetes), minimum)
    if chosen is None:
        at_least = f" from {minimum} on" if minimum else ""
        raise PreconditionFailed(
            f"EKS offers no version of the add-on {name}{at_least} for Kubernetes {kubernetes}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeAddonVersions", resource=name),
            remedy="Upgrade the cluster to a Kubernetes version that the add-on supports, then retry the operation.",
        )
    return chosen


def _change(context: StageContext, found: Found | None, wanted: str) -> addons.Change:
    """Write a change down, its configuration checked before anything is asked of EKS."""
    installed, facts = _installed(found), rules.facts_of(context.parameter)
    version = rules.version_after(installed, wanted) if installed else wanted
    configuration = rules.configuration_after(installed, facts, restores=_restores(context, installed))
    if configuration is not None and (installed is None or installed.ours):
        _check_configuration(context.parameter, version, configuration)
    token = f"{context.operation.operation_id}-{context.stage.number}-{context.stage.attempt}"
    # A second creation is no repeat of the first one.
    token += f"-{len(context.stage.resources)}"
    return addons.Change(context.cluster.names.eks_cluster, context.parameter, version, configuration, token)


def _check_configuration(name: str, version: str, configuration: str) -> None:
    if wrong := faults(addons.configuration_schema(name, version), json.loads(configuration)):
        raise DeploymentFault(
            f"This release's configuration of the add-on {name} does not fit {version}: {'; '.join(wrong)}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, service="eks", api_call="DescribeAddonConfiguration", resource=name),
            remedy="Deploy a release of the control plane whose configuration fits that version.",
        )


def _broken(context: StageContext, found: Found) -> Problem:
    code, message = rules.headline(found.issues) or (found.status, "EKS gives no reason")
    cause = Cause(layer=Layer.AWS, service="eks", api_call="DescribeAddon", code=code, resource=found.arn)
    said = f"The add-on {found.name} is {found.status}: {message}"
    if code == rules.CONFLICT:
        route = f"POST /api/clusters/{context.cluster.tag}/dependencies"
        return Conflict(
            said,
            cause=cause,
            remedy=f"Keep the copy named in the message and leave the add-on out; or remove the copy and retry the "
            f'operation; or let the add-on take its place: {route} with {{"addon_conflicts": "overwrite"}}.',
        )
    if fault := fault_in([message]):
        return StageFailed(said, cause=cause.model_copy(update={"code": fault.code}), remedy=fault.remedy)
    return StageFailed(said, cause=cause, remedy=rules.remedy_for(code))


def _parts(context: StageContext) -> Iterator[Part]:
    for name in context.parameter.split(","):
        yield Part(name, rules.KIND, (f"addon:{name}",), partial(_look, context, name))


def _look(context: StageContext, name: str) -> list[Drift]:
    found = addons.describe(context.cluster.names.eks_cluster, name)
    if found is None and external_of(context, name):
        return []
    if found is not None and context.is_theirs(found.tags):
        return [theirs(name, rules.KIND)]
    return rules.drifts_of(name, _installed(found), found.issues if found else {})


STAGES: Behaviours = {"addon": Addon(), "addon_drift": detection.of(_parts)}
