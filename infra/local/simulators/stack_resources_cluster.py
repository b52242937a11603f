"""EKS resource types of stacks: clusters, access entries, add-ons; finished when EKS says so."""

from __future__ import annotations

from botocore.exceptions import ClientError

from infra.local.simulators.service import JsonObject
from infra.local.simulators.stack_handlers import Call, HandlerFailure, ResourceType, is_absent, names


def wire(value: object) -> object:
    """CloudFormation's names as EKS's: the same words with a small first letter."""
    if isinstance(value, list):
        return [wire(item) for item in value]
    if isinstance(value, dict):
        return {key[:1].lower() + key[1:]: wire(item) for key, item in value.items()}
    return value


def _wired(call: Call, *property_names: str) -> JsonObject:
    return {name[:1].lower() + name[1:]: wire(value) for name, value in call.given(*property_names).items()}


def _tags(call: Call) -> JsonObject:
    return {"tags": call.tag_map} if call.tag_map else {}


def _create_cluster(call: Call) -> None:
    name = call.properties.get("Name") or call.generated_name()
    arguments = _wired(
        call,
        "Version",
        "RoleArn",
        "ResourcesVpcConfig",
        "KubernetesNetworkConfig",
        "AccessConfig",
        "BootstrapSelfManagedAddons",
        "DeletionProtection",
    )
    if "Logging" in call.properties:
        arguments["logging"] = logging_of(call.properties["Logging"])
    cluster = call.ask("eks", "create_cluster", name=name, **arguments, **_tags(call))["cluster"]
    call.created(name, Arn=cluster["arn"])


def logging_of(logging: JsonObject) -> JsonObject:
    """The control plane's logs that a template turns on, as EKS takes them."""
    types = [item["Type"] for item in logging.get("ClusterLogging", {}).get("EnabledTypes", [])]
    return {"clusterLogging": [{"types": types, "enabled": True}]} if types else {}


def _cluster_ready(call: Call) -> bool:
    cluster = call.ask("eks", "describe_cluster", name=call.physical_id)["cluster"]
    if cluster["status"] == "FAILED":
        raise HandlerFailure(f"Cluster {call.physical_id} failed: {_issues(cluster)}", "NotStabilized")
    if cluster["status"] != "ACTIVE":
        return False
    call.created(
        call.physical_id,
        Endpoint=cluster["endpoint"],
        CertificateAuthorityData=cluster["certificateAuthority"]["data"],
        ClusterSecurityGroupId=cluster["resourcesVpcConfig"]["clusterSecurityGroupId"],
        OpenIdConnectIssuerUrl=cluster["identity"]["oidc"]["issuer"],
    )
    return True


def _issues(described: JsonObject) -> str:
    return "; ".join(f"{issue['code']}: {issue['message']}" for issue in described.get("health", {}).get("issues", []))


def _delete_cluster(call: Call) -> None:
    call.ask("eks", "delete_cluster", name=call.physical_id)


def _cluster_gone(call: Call) -> bool:
    try:
        call.ask("eks", "describe_cluster", name=call.physical_id)
    except ClientError as error:
        if is_absent(error):
            return True
        raise
    return False


def _create_access_entry(call: Call) -> None:
    arguments = _wired(call, "ClusterName", "PrincipalArn", "Type", "KubernetesGroups", "Username")
    entry = call.ask("eks", "create_access_entry", **arguments, **_tags(call))["accessEntry"]
    call.created(f"{entry['principalArn']}|{entry['clusterName']}", AccessEntryArn=entry["accessEntryArn"])
    for policy in call.properties.get("AccessPolicies", []):
        call.ask(
            "eks",
            "associate_access_policy",
            clusterName=entry["clusterName"],
            principalArn=entry["principalArn"],
            policyArn=policy["PolicyArn"],
            accessScope=wire(policy["AccessScope"]),
        )


def _delete_access_entry(call: Call) -> None:
    call.ask("eks", "delete_access_entry", **_wired(call, "ClusterName", "PrincipalArn"))


def _create_addon(call: Call) -> None:
    arguments = _wired(
        call,
        "ClusterName",
        "AddonName",
        "AddonVersion",
        "ResolveConflicts",
        "ServiceAccountRoleArn",
        "ConfigurationValues",
    )
    addon = call.ask("eks", "create_addon", **arguments, **_tags(call))["addon"]
    call.created(f"{addon['clusterName']}|{addon['addonName']}", Arn=addon["addonArn"])


def _addon_ready(call: Call) -> bool:
    addon = call.ask("eks", "describe_addon", **_wired(call, "ClusterName", "AddonName"))["addon"]
    if addon["status"] == "CREATE_FAILED":
        raise HandlerFailure(f"Addon {addon['addonName']} failed: {_issues(addon)}", "NotStabilized")
    # DEGRADED is how an add-on without a node to run on looks; the handler takes it for finished.
    return addon["status"] in ("ACTIVE", "DEGRADED")


def _delete_addon(call: Call) -> None:
    call.ask("eks", "delete_addon", **_wired(call, "ClusterName", "AddonName"))


def _addon_gone(call: Call) -> bool:
    try:
        call.ask("eks", "describe_addon", **_wired(call, "ClusterName", "AddonName"))
    except ClientError as error:
        if is_absent(error):
            return True
        raise
    return False


CLUSTER_TYPES = {
    "AWS::EKS::Cluster": ResourceType(
        _create_cluster,
        _delete_cluster,
        properties=names(
            "Name Version RoleArn ResourcesVpcConfig KubernetesNetworkConfig AccessConfig Logging "
            "BootstrapSelfManagedAddons DeletionProtection Tags"
        ),
        required=names("RoleArn ResourcesVpcConfig"),
        attributes=names("Arn Endpoint CertificateAuthorityData ClusterSecurityGroupId OpenIdConnectIssuerUrl"),
        ready=_cluster_ready,
        gone=_cluster_gone,
    ),
    "AWS::EKS::AccessEntry": ResourceType(
        _create_access_entry,
        _delete_access_entry,
        properties=names("ClusterName PrincipalArn Type KubernetesGroups Username AccessPolicies Tags"),
        required=names("ClusterName PrincipalArn"),
        attributes=names("AccessEntryArn"),
    ),
    "AWS::EKS::Addon": ResourceType(
        _create_addon,
        _delete_addon,
        properties=names(
            "ClusterName AddonName AddonVersion ResolveConflicts ServiceAccountRoleArn ConfigurationValues Tags"
        ),
        required=names("ClusterName AddonName"),
        attributes=names("Arn"),
        ready=_addon_ready,
        gone=_addon_gone,
    ),
}
