"""IAM resource types of stacks: roles and identity providers."""

from __future__ import annotations

import json

from infra.local.simulators.stack_handlers import Call, ResourceType, names


def _create_role(call: Call) -> None:
    name = call.properties.get("RoleName") or call.generated_name()
    role = call.ask(
        "iam",
        "create_role",
        RoleName=name,
        AssumeRolePolicyDocument=json.dumps(call.properties["AssumeRolePolicyDocument"]),
        Tags=call.tag_list,
        **call.given("Path", "Description", "MaxSessionDuration", "PermissionsBoundary"),
    )["Role"]
    call.created(name, Arn=role["Arn"], RoleId=role["RoleId"])
    for arn in call.properties.get("ManagedPolicyArns", []):
        call.ask("iam", "attach_role_policy", RoleName=name, PolicyArn=arn)
    for policy in call.properties.get("Policies", []):
        document = json.dumps(policy["PolicyDocument"])
        call.ask("iam", "put_role_policy", RoleName=name, PolicyName=policy["PolicyName"], PolicyDocument=document)


def _delete_role(call: Call) -> None:
    """Remove the role and the policies the stack gave it; others make IAM refuse, as on AWS."""
    attached = {
        item["PolicyArn"]
        for item in call.ask("iam", "list_attached_role_policies", RoleName=call.physical_id)["AttachedPolicies"]
    }
    for arn in attached & set(call.properties.get("ManagedPolicyArns", [])):
        call.ask("iam", "detach_role_policy", RoleName=call.physical_id, PolicyArn=arn)
    inline = set(call.ask("iam", "list_role_policies", RoleName=call.physical_id)["PolicyNames"])
    for name in inline & {policy["PolicyName"] for policy in call.properties.get("Policies", [])}:
        call.ask("iam", "delete_role_policy", RoleName=call.physical_id, PolicyName=name)
    call.ask("iam", "delete_role", RoleName=call.physical_id)


def _create_provider(call: Call) -> None:
    answer = call.ask(
        "iam",
        "create_open_id_connect_provider",
        **call.given("Url", "ThumbprintList"),
        ClientIDList=call.properties.get("ClientIdList", []),
        Tags=call.tag_list,
    )
    arn = answer["OpenIDConnectProviderArn"]
    call.created(arn, Arn=arn)


def _delete_provider(call: Call) -> None:
    call.ask("iam", "delete_open_id_connect_provider", OpenIDConnectProviderArn=call.physical_id)


IDENTITY_TYPES = {
    "AWS::IAM::Role": ResourceType(
        _create_role,
        _delete_role,
        properties=names(
            "RoleName Path Description MaxSessionDuration PermissionsBoundary AssumeRolePolicyDocument "
            "ManagedPolicyArns Policies Tags"
        ),
        required=names("AssumeRolePolicyDocument"),
        attributes=names("Arn RoleId"),
        seconds=15,
    ),
    "AWS::IAM::OIDCProvider": ResourceType(
        _create_provider,
        _delete_provider,
        properties=names("Url ClientIdList ThumbprintList Tags"),
        required=names("Url"),
        attributes=names("Arn"),
    ),
}
