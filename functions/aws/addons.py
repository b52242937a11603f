"""EKS add-ons as the stages use them: what is offered, what is installed, and the roles of their service accounts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from types_boto3_eks.type_defs import (
        AddonVersionInfoTypeDef,
        CreateAddonRequestTypeDef,
        UpdateAddonRequestTypeDef,
    )

    from functions.core.ledger.models import JsonObject
    from functions.core.runtime import Patience


@dataclass(frozen=True)
class Addon:
    """An add-on as it stands; `issues` maps issue codes to messages."""

    name: str
    status: str
    version: str
    arn: str
    issues: Mapping[str, str]
    configuration: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Change:
    """What to create or update; the token makes a repeated call the same one."""

    cluster: str
    addon: str
    version: str
    configuration: str | None
    token: str


def offered(addon: str, kubernetes_version: str) -> dict[str, bool]:
    """Give the versions of an add-on for a Kubernetes version, each with whether it is the default."""
    paginator = runtime.client("eks").get_paginator("describe_addon_versions")
    pages = paginator.paginate(addonName=addon, kubernetesVersion=kubernetes_version)
    return _versions([version for page in pages for info in page["addons"] for version in info["addonVersions"]])


def offered_for(kubernetes_version: str) -> dict[str, dict[str, bool]]:
    """Give the versions of every add-on for a Kubernetes version, each with whether it is the default."""
    paginator = runtime.client("eks").get_paginator("describe_addon_versions")
    listed = [info for page in paginator.paginate(kubernetesVersion=kubernetes_version) for info in page["addons"]]
    return {info.get("addonName", ""): _versions(info.get("addonVersions", [])) for info in listed}


def _versions(listed: Sequence[AddonVersionInfoTypeDef]) -> dict[str, bool]:
    return {
        version.get("addonVersion", ""): any(each.get("defaultVersion") for each in version.get("compatibilities", []))
        for version in listed
    }


def configuration_schema(addon: str, version: str) -> JsonObject:
    """Give the JSON schema that the configuration of an add-on's version is held to."""
    found = runtime.client("eks").describe_addon_configuration(addonName=addon, addonVersion=version)
    schema: JsonObject = json.loads(found["configurationSchema"])
    return schema


def describe(cluster: str, addon: str, patience: Patience | None = None) -> Addon | None:
    """Describe an add-on; None when it is not installed. Raises the client's own errors."""
    client = runtime.client("eks", patience)
    try:
        found = client.describe_addon(clusterName=cluster, addonName=addon)["addon"]
    except client.exceptions.ResourceNotFoundException:
        return None
    issues = found.get("health", {}).get("issues", [])
    return Addon(
        name=addon,
        status=found.get("status", ""),
        version=found.get("addonVersion", ""),
        arn=found.get("addonArn", ""),
        issues={str(issue.get("code", "")): issue.get("message", "") for issue in issues},
        configuration=found.get("configurationValues"),
        tags=found.get("tags", {}),
    )


def names(cluster: str, patience: Patience | None = None) -> list[str]:
    """List the names of a cluster's add-ons."""
    pages = runtime.client("eks", patience).get_paginator("list_addons").paginate(clusterName=cluster)
    return [name for page in pages for name in page["addons"]]


def create(change: Change, tags: Mapping[str, str], overwrite: bool) -> None:
    """Install an add-on; copies that are there already make it fail unless they may be overwritten."""
    client = runtime.client("eks")
    request: CreateAddonRequestTypeDef = {
        "clusterName": change.cluster,
        "addonName": change.addon,
        "addonVersion": change.version,
        "clientRequestToken": change.token,
        "tags": dict(tags),
        "resolveConflicts": "OVERWRITE" if overwrite else "NONE",
    }
    if change.configuration is not None:
        request["configurationValues"] = change.configuration
    try:
        client.create_addon(**request)
    except client.exceptions.ResourceInUseException:
        return


def update(change: Change, overwrite: bool) -> None:
    """Change an add-on's version and configuration; fields that others changed stay unless they may be overwritten."""
    request: UpdateAddonRequestTypeDef = {
        "clusterName": change.cluster,
        "addonName": change.addon,
        "addonVersion": change.version,
        "clientRequestToken": change.token,
        "resolveConflicts": "OVERWRITE" if overwrite else "PRESERVE",
    }
    if change.configuration is not None:
        request["configurationValues"] = change.configuration
    runtime.client("eks").update_addon(**request)


def remove(cluster: str, addon: str) -> None:
    """Remove an add-on with its objects; one that is gone is as good."""
    client = runtime.client("eks")
    try:
        client.delete_addon(clusterName=cluster, addonName=addon)
    except client.exceptions.ResourceNotFoundException:
        return


def forget(cluster: str, addon: str) -> None:
    """Remove an add-on whose creation failed; objects in the cluster, which may be somebody's copy, stay."""
    runtime.client("eks").delete_addon(clusterName=cluster, addonName=addon, preserve=True)
