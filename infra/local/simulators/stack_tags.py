"""Tags of stacks: a resource has those of its stack beside its own, and a change of them reaches it.

Sources: CloudFormation user guide, "Resource tag" (stack-level tags are given to resources that take any); API
reference, CreateChangeSet and UpdateStack (without `Tags` a stack keeps those that it has).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.stack_handlers import Call, attempt
from infra.local.simulators.stack_resources import LIVE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.local.simulators.service import JsonObject

_TAGS = frozenset({"Tags"})


def sent_tags(params: Mapping[str, list[JsonObject]], standing: dict[str, str]) -> dict[str, str]:
    """The tags that a stack has after a request."""
    if "Tags" not in params:
        return dict(standing)
    return {tag["Key"]: tag["Value"] for tag in params["Tags"]}


def with_tags(properties: JsonObject, call: Call) -> JsonObject:
    """Properties as they are wanted, with the stack's tags after a resource's own, if it takes any."""
    if "Tags" not in properties:
        return properties
    own = {tag["Key"] for tag in properties["Tags"]}
    others = [{"Key": key, "Value": value} for key, value in call.stack_tags.items() if key not in own]
    return properties | {"Tags": [*properties["Tags"], *others]}


def superfluous(actual: JsonObject, dropped: Iterable[str], call: Call) -> list[str]:
    """Those of the tags that a stack no longer has which a resource still has, and not by its template."""
    there = {tag["Key"] for tag in actual.get("Tags", [])}
    return sorted(there & ({*dropped} - call.tag_map.keys()))


def retag(call: Call, dropped: Iterable[str]) -> None:
    """Give a resource its stack's tags, and take those away that the stack no longer has."""
    live = LIVE_TYPES[call.resource.type]
    actual = live.read(call) or {}
    attempt(lambda each: live.mend(each, _TAGS), call)
    if keys := superfluous(actual, dropped, call):
        attempt(lambda each: _untag(each, keys), call)


def _untag(call: Call, keys: list[str]) -> None:
    service, attributes = call.resource.type.split("::")[1], call.resource.attributes
    if service == "EC2":
        tagged = attributes.get("AllocationId", call.physical_id)
        call.ask("ec2", "delete_tags", Resources=[tagged], Tags=[{"Key": key} for key in keys])
    elif service == "EKS":
        arn = attributes.get("AccessEntryArn") or attributes["Arn"]
        call.ask("eks", "untag_resource", resourceArn=arn, tagKeys=keys)
    elif call.resource.type == "AWS::IAM::Role":
        call.ask("iam", "untag_role", RoleName=call.physical_id, TagKeys=keys)
    elif service == "IAM":
        arn = call.physical_id
        call.ask("iam", "untag_open_id_connect_provider", OpenIDConnectProviderArn=arn, TagKeys=keys)
    # A bucket's tags are written all at once, with nothing left of the former ones.
