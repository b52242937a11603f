"""IAM as the stages use it: roles with their policies, and identity providers of clusters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from functions.core import runtime, settings
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.core.runtime import Patience

    Document = Mapping[str, JsonValue]


@dataclass(frozen=True)
class RoleFound:
    """A role as it stands, with its own policies by name and the ARNs of those attached."""

    arn: str
    tags: dict[str, str]
    trust: Document
    inline: dict[str, Document]
    attached: frozenset[str]


@dataclass(frozen=True)
class ProviderFound:
    """An identity provider as it stands."""

    audiences: frozenset[str]
    tags: dict[str, str]


def find_role(name: str) -> RoleFound | None:
    """Read a role; None when there is none. Raises the client's own errors."""
    client = runtime.client("iam")
    try:
        role = client.get_role(RoleName=name)["Role"]
    except client.exceptions.NoSuchEntityException:
        return None
    inline = [each for page in client.get_paginator("list_role_policies").paginate(RoleName=name)
              for each in page["PolicyNames"]]  # fmt: skip
    pages = client.get_paginator("list_attached_role_policies").paginate(RoleName=name)
    return RoleFound(
        arn=role["Arn"],
        tags={tag["Key"]: tag["Value"] for tag in role.get("Tags", [])},
        trust=_document(role.get("AssumeRolePolicyDocument", {})),
        inline={each: _document(_inline(name, each)) for each in inline},
        attached=frozenset(each.get("PolicyArn", "") for page in pages for each in page["AttachedPolicies"]),
    )


def tags_of_role(name: str, patience: Patience | None = None) -> dict[str, str] | None:
    """Read the tags of a role, whatever its path; None when there is none. Raises the client's own errors."""
    client = runtime.client("iam", patience)
    try:
        role = client.get_role(RoleName=name)["Role"]
    except client.exceptions.NoSuchEntityException:
        return None
    return {tag["Key"]: tag["Value"] for tag in role.get("Tags", [])}


def trust_of(name: str) -> Document | None:
    """Read whom a role trusts, whatever its path; None when there is no such role. Raises the client's own errors."""
    client = runtime.client("iam")
    try:
        role = client.get_role(RoleName=name)["Role"]
    except client.exceptions.NoSuchEntityException:
        return None
    return _document(role.get("AssumeRolePolicyDocument", {}))


def policy_document(arn: str) -> Document:
    """Read the document of a managed policy, in the version that counts."""
    client = runtime.client("iam")
    version = client.get_policy(PolicyArn=arn)["Policy"].get("DefaultVersionId", "v1")
    return _document(client.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"].get("Document", {}))


def create_role(name: str, path: str, trust: Document, tags: Mapping[str, str], description: str) -> None:
    """Create a role within the deployment's boundary; one that somebody made in between is left to the next look."""
    client = runtime.client("iam")
    try:
        client.create_role(
            RoleName=name,
            Path=path,
            AssumeRolePolicyDocument=json.dumps(trust),
            Description=description,
            PermissionsBoundary=settings.required("PERMISSIONS_BOUNDARY_ARN"),
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
        )
    except client.exceptions.EntityAlreadyExistsException:
        return


def write_trust(name: str, trust: Document) -> None:
    """Replace the trust of a role."""
    runtime.client("iam").update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(trust))


def write_policy(role: str, name: str, document: Document) -> None:
    """Put a policy into a role, in place of the one of that name."""
    runtime.client("iam").put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(document))


def attach_policy(role: str, policy: str) -> None:
    """Attach a managed policy to a role; doing it twice changes nothing."""
    runtime.client("iam").attach_role_policy(RoleName=role, PolicyArn=policy)


def detach_policy(role: str, policy: str) -> None:
    """Detach a managed policy; one that is not attached is as good."""
    client = runtime.client("iam")
    try:
        client.detach_role_policy(RoleName=role, PolicyArn=policy)
    except client.exceptions.NoSuchEntityException:
        return


def delete_policy(role: str, name: str) -> None:
    """Remove a role's own policy; one that is gone is as good."""
    client = runtime.client("iam")
    try:
        client.delete_role_policy(RoleName=role, PolicyName=name)
    except client.exceptions.NoSuchEntityException:
        return


def delete_role(name: str) -> None:
    """Remove a role without policies; one that is gone is as good."""
    client = runtime.client("iam")
    try:
        client.delete_role(RoleName=name)
    except client.exceptions.NoSuchEntityException:
        return
    except client.exceptions.ClientError as error:
        # After a lost answer: IAM knows neither path nor tags of a role that is gone, by which we may delete it.
        if not code_of(error).startswith("AccessDenied") or tags_of_role(name) is not None:
            raise


def find_provider(arn: str) -> ProviderFound | None:
    """Read an identity provider; None when there is none."""
    client = runtime.client("iam")
    try:
        found = client.get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
    except client.exceptions.NoSuchEntityException:
        return None
    tags = {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])}
    return ProviderFound(frozenset(found.get("ClientIDList", [])), tags)


def create_provider(issuer: str, audience: str, tags: Mapping[str, str]) -> None:
    """Make the identity provider of an issuer; IAM knows the authorities that sign for EKS, so no thumbprint."""
    client = runtime.client("iam")
    listed = [{"Key": key, "Value": value} for key, value in tags.items()]
    try:
        client.create_open_id_connect_provider(Url=issuer, ClientIDList=[audience], Tags=listed)  # type: ignore[arg-type]  # a tag is such a dict
    except client.exceptions.EntityAlreadyExistsException:
        return


def add_audience(provider: str, audience: str) -> None:
    """Let an identity provider vouch for tokens of an audience; doing it twice changes nothing."""
    client = runtime.client("iam")
    client.add_client_id_to_open_id_connect_provider(OpenIDConnectProviderArn=provider, ClientID=audience)


def _inline(role: str, name: str) -> object:
    return runtime.client("iam").get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]


def _document(found: object) -> dict[str, JsonValue]:
    """Read a policy document, which botocore parses and a raw answer holds percent-encoded."""
    return {**(found if isinstance(found, dict) else json.loads(unquote(str(found))))}
