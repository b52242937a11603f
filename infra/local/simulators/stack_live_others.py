"""IAM, S3 and EKS resource types of stacks as they stand: read for drift, mended in place."""

from __future__ import annotations

import json
from urllib.parse import unquote

from botocore.exceptions import ClientError

from infra.local.simulators.service import JsonObject
from infra.local.simulators.stack_handlers import Call, HandlerFailure, is_absent, names
from infra.local.simulators.stack_live import Live, changed_tags
from infra.local.simulators.stack_resources_cluster import logging_of, wire
from infra.local.simulators.stack_resources_storage import configure_bucket

_ROLE_MEMBERS = ("Path", "Description", "MaxSessionDuration")


def _asked(call: Call, service: str, method: str, **arguments: object) -> JsonObject | None:
    """What a service answers about a resource; None when it does not exist."""
    try:
        return call.ask(service, method, **arguments)
    except ClientError as error:
        # HeadBucket has no body in which S3 could name a code.
        if is_absent(error) or error.response["Error"]["Code"] == "404":
            return None
        raise


def _document(value: object) -> object:
    return json.loads(unquote(value)) if isinstance(value, str) else value


def _read_role(call: Call) -> JsonObject | None:
    name = call.physical_id
    answer = _asked(call, "iam", "get_role", RoleName=name)
    if answer is None:
        return None
    role = answer["Role"]
    bounded = role.get("PermissionsBoundary")
    attached = call.ask("iam", "list_attached_role_policies", RoleName=name)["AttachedPolicies"]
    return {
        **{member: role[member] for member in _ROLE_MEMBERS if member in role},
        "RoleName": name,
        **({"PermissionsBoundary": bounded["PermissionsBoundaryArn"]} if bounded else {}),
        "AssumeRolePolicyDocument": _document(role["AssumeRolePolicyDocument"]),
        "ManagedPolicyArns": [policy["PolicyArn"] for policy in attached],
        "Policies": [_inline(call, policy) for policy in _inline_names(call)],
        "Tags": role.get("Tags", []),
    }


def _inline_names(call: Call) -> list[str]:
    found: list[str] = call.ask("iam", "list_role_policies", RoleName=call.physical_id)["PolicyNames"]
    return found


def _inline(call: Call, policy: str) -> JsonObject:
    found = call.ask("iam", "get_role_policy", RoleName=call.physical_id, PolicyName=policy)["PolicyDocument"]
    return {"PolicyName": policy, "PolicyDocument": _document(found)}


def _mend_role(call: Call, changed: frozenset[str]) -> None:
    name, wanted = call.physical_id, call.properties
    if "AssumeRolePolicyDocument" in changed:
        document = json.dumps(wanted["AssumeRolePolicyDocument"])
        call.ask("iam", "update_assume_role_policy", RoleName=name, PolicyDocument=document)
    if "ManagedPolicyArns" in changed:
        _mend_attached(call, set(wanted["ManagedPolicyArns"]))
    if "Policies" in changed:
        _mend_inline(call, {policy["PolicyName"]: policy["PolicyDocument"] for policy in wanted["Policies"]})
    if changed & {"Description", "MaxSessionDuration"}:
        call.ask("iam", "update_role", RoleName=name, **call.given("Description", "MaxSessionDuration"))
    if "PermissionsBoundary" in changed:
        boundary = wanted["PermissionsBoundary"]
        call.ask("iam", "put_role_permissions_boundary", RoleName=name, PermissionsBoundary=boundary)
    if "Tags" in changed:
        call.ask("iam", "tag_role", RoleName=name, Tags=changed_tags(call))


def _mend_attached(call: Call, wanted: set[str]) -> None:
    name = call.physical_id
    have = {
        policy["PolicyArn"]
        for policy in call.ask("iam", "list_attached_role_policies", RoleName=name)["AttachedPolicies"]
    }
    for arn in sorted(wanted - have):
        call.ask("iam", "attach_role_policy", RoleName=name, PolicyArn=arn)
    for arn in sorted(have - wanted):
        call.ask("iam", "detach_role_policy", RoleName=name, PolicyArn=arn)


def _mend_inline(call: Call, wanted: dict[str, object]) -> None:
    for policy, document in wanted.items():
        text = json.dumps(document)
        call.ask("iam", "put_role_policy", RoleName=call.physical_id, PolicyName=policy, PolicyDocument=text)
    for policy in sorted(set(_inline_names(call)) - wanted.keys()):
        call.ask("iam", "delete_role_policy", RoleName=call.physical_id, PolicyName=policy)


def _read_provider(call: Call) -> JsonObject | None:
    method = "get_open_id_connect_provider"
    found = _asked(call, "iam", method, OpenIDConnectProviderArn=call.physical_id)
    if found is None:
        return None
    url = found["Url"] if "://" in found["Url"] else f"https://{found['Url']}"
    return {"Url": url, "ClientIdList": found["ClientIDList"], "Tags": found.get("Tags", [])}


def _mend_provider(call: Call, changed: frozenset[str]) -> None:
    arn = call.physical_id
    if "ClientIdList" in changed:
        have = set((_read_provider(call) or {}).get("ClientIdList", []))
        wanted = set(call.properties["ClientIdList"])
        for client in sorted(wanted - have):
            method = "add_client_id_to_open_id_connect_provider"
            call.ask("iam", method, OpenIDConnectProviderArn=arn, ClientID=client)
        for client in sorted(have - wanted):
            method = "remove_client_id_from_open_id_connect_provider"
            call.ask("iam", method, OpenIDConnectProviderArn=arn, ClientID=client)
    if "Tags" in changed:
        call.ask("iam", "tag_open_id_connect_provider", OpenIDConnectProviderArn=arn, Tags=changed_tags(call))


def _read_bucket(call: Call) -> JsonObject | None:
    bucket = {"Bucket": call.physical_id}
    if _asked(call, "s3", "head_bucket", **bucket) is None:
        return None
    encryption = (_asked(call, "s3", "get_bucket_encryption", **bucket) or {}).get("ServerSideEncryptionConfiguration")
    block = (_asked(call, "s3", "get_public_access_block", **bucket) or {}).get("PublicAccessBlockConfiguration")
    rules = [
        {"ServerSideEncryptionByDefault": rule["ApplyServerSideEncryptionByDefault"]}
        for rule in (encryption or {}).get("Rules", [])
    ]
    return {
        "BucketName": call.physical_id,
        "Tags": (_asked(call, "s3", "get_bucket_tagging", **bucket) or {}).get("TagSet", []),
        **({"BucketEncryption": {"ServerSideEncryptionConfiguration": rules}} if rules else {}),
        **({"PublicAccessBlockConfiguration": block} if block else {}),
    }


def _mend_bucket(call: Call, changed: frozenset[str]) -> None:
    if changed:
        configure_bucket(call)


def _read_bucket_policy(call: Call) -> JsonObject | None:
    found = _asked(call, "s3", "get_bucket_policy", Bucket=call.physical_id)
    return {"Bucket": call.physical_id, "PolicyDocument": _document(found["Policy"])} if found else None


def _mend_bucket_policy(call: Call, changed: frozenset[str]) -> None:
    if changed:
        document = json.dumps(call.properties["PolicyDocument"])
        call.ask("s3", "put_bucket_policy", Bucket=call.physical_id, Policy=document)


def _read_cluster(call: Call) -> JsonObject | None:
    found = _asked(call, "eks", "describe_cluster", name=call.physical_id)
    if found is None:
        return None
    cluster, vpc = found["cluster"], found["cluster"]["resourcesVpcConfig"]
    enabled = [each for each in cluster.get("logging", {}).get("clusterLogging", []) if each.get("enabled")]
    return {
        "Name": cluster["name"],
        "Version": cluster["version"],
        "RoleArn": cluster["roleArn"],
        "ResourcesVpcConfig": _titled(vpc),
        "KubernetesNetworkConfig": _titled(cluster["kubernetesNetworkConfig"]),
        "AccessConfig": _titled(cluster["accessConfig"]),
        "Logging": {"ClusterLogging": {"EnabledTypes": [{"Type": kind} for each in enabled for kind in each["types"]]}},
        "DeletionProtection": cluster.get("deletionProtection", False),
        "Tags": _tag_list(cluster),
    }


def _titled(value: object) -> object:
    """EKS's names as CloudFormation's: the same words with a capital first letter."""
    if isinstance(value, dict):
        return {key[:1].upper() + key[1:]: item for key, item in value.items()}
    return value


def _tag_list(found: JsonObject) -> list[JsonObject]:
    return [{"Key": key, "Value": value} for key, value in found.get("tags", {}).items()]


def _mend_cluster(call: Call, changed: frozenset[str]) -> None:
    if "Version" in changed:
        call.ask("eks", "update_cluster_version", name=call.physical_id, version=call.properties["Version"])
    if "ResourcesVpcConfig" in changed:
        wanted = wire(call.properties["ResourcesVpcConfig"])
        call.ask("eks", "update_cluster_config", name=call.physical_id, resourcesVpcConfig=wanted)
    if "Logging" in changed:
        logging = logging_of(call.properties["Logging"])
        call.ask("eks", "update_cluster_config", name=call.physical_id, logging=logging)
    if others := changed - {"Version", "ResourcesVpcConfig", "Logging", "Tags"}:
        raise HandlerFailure(f"a change of {', '.join(sorted(others))} is not simulated", "InvalidRequest")
    _tag_eks(call, changed, "Arn")


def _tag_eks(call: Call, changed: frozenset[str], attribute: str) -> None:
    if "Tags" in changed:
        call.ask("eks", "tag_resource", resourceArn=call.resource.attributes[attribute], tags=call.tag_map)


def _entry(call: Call) -> dict[str, str]:
    return {"clusterName": call.properties["ClusterName"], "principalArn": call.properties["PrincipalArn"]}


def _read_access_entry(call: Call) -> JsonObject | None:
    found = _asked(call, "eks", "describe_access_entry", **_entry(call))
    if found is None:
        return None
    entry = found["accessEntry"]
    policies = call.ask("eks", "list_associated_access_policies", **_entry(call))["associatedAccessPolicies"]
    return {
        "ClusterName": entry["clusterName"],
        "PrincipalArn": entry["principalArn"],
        "Type": entry["type"],
        "Username": entry.get("username"),
        "KubernetesGroups": entry.get("kubernetesGroups", []),
        "AccessPolicies": [
            {"PolicyArn": each["policyArn"], "AccessScope": _titled(each["accessScope"])} for each in policies
        ],
        "Tags": _tag_list(entry),
    }


def _mend_access_entry(call: Call, changed: frozenset[str]) -> None:
    if "KubernetesGroups" in changed:
        groups = call.properties["KubernetesGroups"]
        call.ask("eks", "update_access_entry", **_entry(call), kubernetesGroups=groups)
    if "AccessPolicies" in changed:
        _mend_access_policies(call)
    _tag_eks(call, changed, "AccessEntryArn")


def _mend_access_policies(call: Call) -> None:
    wanted = {policy["PolicyArn"]: policy["AccessScope"] for policy in call.properties["AccessPolicies"]}
    held = call.ask("eks", "list_associated_access_policies", **_entry(call))["associatedAccessPolicies"]
    for policy, scope in wanted.items():
        call.ask("eks", "associate_access_policy", **_entry(call), policyArn=policy, accessScope=wire(scope))
    for policy in sorted({each["policyArn"] for each in held} - wanted.keys()):
        call.ask("eks", "disassociate_access_policy", **_entry(call), policyArn=policy)


def _addon(call: Call) -> dict[str, str]:
    return {"clusterName": call.properties["ClusterName"], "addonName": call.properties["AddonName"]}


def _read_addon(call: Call) -> JsonObject | None:
    found = _asked(call, "eks", "describe_addon", **_addon(call))
    if found is None or found["addon"]["status"] == "DELETING":
        return None
    addon = found["addon"]
    optional = {"ServiceAccountRoleArn": "serviceAccountRoleArn", "ConfigurationValues": "configurationValues"}
    return {
        "ClusterName": addon["clusterName"],
        "AddonName": addon["addonName"],
        "AddonVersion": addon["addonVersion"],
        **{name: addon[member] for name, member in optional.items() if member in addon},
        "Tags": _tag_list(addon),
    }


def _mend_addon(call: Call, changed: frozenset[str]) -> None:
    if changed - {"Tags"}:
        given = call.given("AddonVersion", "ConfigurationValues", "ResolveConflicts", "ServiceAccountRoleArn")
        call.ask("eks", "update_addon", **_addon(call), **{name[:1].lower() + name[1:]: given[name] for name in given})
    _tag_eks(call, changed, "Arn")


LIVE_OTHERS = {
    "AWS::IAM::Role": Live(_read_role, _mend_role, names("RoleName Path")),
    "AWS::IAM::OIDCProvider": Live(_read_provider, _mend_provider, names("Url"), names("ThumbprintList")),
    "AWS::S3::Bucket": Live(_read_bucket, _mend_bucket, names("BucketName")),
    "AWS::S3::BucketPolicy": Live(_read_bucket_policy, _mend_bucket_policy, names("Bucket")),
    "AWS::EKS::Cluster": Live(
        _read_cluster,
        _mend_cluster,
        names("Name RoleArn KubernetesNetworkConfig"),
        # EKS tells neither of a cluster that stands.
        names("BootstrapSelfManagedAddons BootstrapClusterCreatorAdminPermissions"),
    ),
    "AWS::EKS::AccessEntry": Live(
        _read_access_entry, _mend_access_entry, names("ClusterName PrincipalArn Type"), names("Username")
    ),
    "AWS::EKS::Addon": Live(
        _read_addon, _mend_addon, names("ClusterName AddonName"), names("ResolveConflicts ConfigurationValues")
    ),
}
