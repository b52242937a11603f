"""What a stack's update changes in place: which properties of which types, by which calls, and when it is through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.local.simulators.stack_handlers import Call, HandlerFailure, names

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.local.simulators.service import JsonObject


@dataclass(frozen=True)
class Update:
    """How a type is changed: `properties` in place, by `change`, until `done`; any other one is not simulated."""

    change: Callable[[Call], None]
    done: Callable[[Call], bool]
    properties: frozenset[str]


def _change_cluster(call: Call) -> None:
    """Move the version; a cluster that somebody else moved to it needs nothing (not verified, see the README)."""
    wanted = call.properties["Version"]
    if _cluster(call)["version"] != wanted:
        call.ask("eks", "update_cluster_version", name=call.physical_id, version=wanted)


def _cluster_done(call: Call) -> bool:
    cluster = _cluster(call)
    if cluster["status"] != "ACTIVE":
        return False
    if cluster["version"] != call.properties["Version"]:
        raise HandlerFailure(_failure(call), "NotStabilized")
    return True


def _cluster(call: Call) -> JsonObject:
    cluster: JsonObject = call.ask("eks", "describe_cluster", name=call.physical_id)["cluster"]
    return cluster


def _failure(call: Call) -> str:
    """Say why the newest update of the cluster failed."""
    ids = call.ask("eks", "list_updates", name=call.physical_id)["updateIds"]
    updates = [call.ask("eks", "describe_update", name=call.physical_id, updateId=each)["update"] for each in ids]
    failed = [update for update in updates if update["status"] == "Failed"]
    newest = max(failed, key=lambda update: update["createdAt"])
    said = "; ".join(f"{error['errorCode']}: {error['errorMessage']}" for error in newest["errors"])
    return f"Update of cluster {call.physical_id} failed: {said}"


def _change_addon(call: Call) -> None:
    arguments = {"clusterName": call.properties["ClusterName"], "addonName": call.properties["AddonName"]}
    wanted = call.given("AddonVersion", "ResolveConflicts", "ConfigurationValues")
    call.ask(
        "eks", "update_addon", **arguments, **{name[0].lower() + name[1:]: value for name, value in wanted.items()}
    )


def _addon_done(call: Call) -> bool:
    arguments = {"clusterName": call.properties["ClusterName"], "addonName": call.properties["AddonName"]}
    addon = call.ask("eks", "describe_addon", **arguments)["addon"]
    if addon["status"] == "UPDATE_FAILED":
        issues = "; ".join(f"{each['code']}: {each['message']}" for each in addon["health"]["issues"])
        raise HandlerFailure(f"Addon {addon['addonName']} failed: {issues}", "NotStabilized")
    return addon["status"] in ("ACTIVE", "DEGRADED")


UPDATES = {
    "AWS::EKS::Cluster": Update(_change_cluster, _cluster_done, names("Version")),
    "AWS::EKS::Addon": Update(_change_addon, _addon_done, names("AddonVersion ResolveConflicts ConfigurationValues")),
}
