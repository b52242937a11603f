"""Updates of a stack: other parameters for the template that it has."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.errors import Cause, Layer, Problem
from functions.core.failures import code_of, failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from types_boto3_cloudformation.type_defs import ParameterTypeDef, StackEventTypeDef

    from functions.aws.cloudformation import Stack

_STACK = "AWS::CloudFormation::Stack"
_NOTHING = "No updates are to be performed"


def begin(stack: Stack, role_arn: str, changes: Mapping[str, str], tags: Mapping[str, str], token: str) -> None:
    """Begin to give a stack tags, and other values for some parameters; one that has all already is left as it is.

    Raises the client's own errors.
    """
    try:
        runtime.client("cloudformation").update_stack(
            StackName=stack.name,
            UsePreviousTemplate=True,
            Parameters=[_parameter(name, changes) for name in stack.parameters],
            Capabilities=["CAPABILITY_NAMED_IAM"],
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
            RoleARN=role_arn,
            ClientRequestToken=token,
        )
    except ClientError as error:
        if code_of(error) != "ValidationError" or _NOTHING not in error.response["Error"].get("Message", ""):
            raise


def _parameter(name: str, changes: Mapping[str, str]) -> ParameterTypeDef:
    if name in changes:
        return {"ParameterKey": name, "ParameterValue": changes[name]}
    return {"ParameterKey": name, "UsePreviousValue": True}


def progress_of(stack: Stack) -> str:
    """Say what the latest update of a stack is busy with. Raises the client's own errors."""
    resources = runtime.client("cloudformation").describe_stack_resources(StackName=stack.name)["StackResources"]
    busy = [each["LogicalResourceId"] for each in resources if each["ResourceStatus"] == "UPDATE_IN_PROGRESS"]
    return f"{stack.status}: updating {', '.join(sorted(busy)[:3])}" if busy else stack.status


def failure_of(stack: Stack) -> Problem:
    """Say why the latest update of a stack failed: the first resource that did. Raises the client's own errors."""
    failed = [each for each in _latest(stack) if each.get("ResourceStatus") == "UPDATE_FAILED"]
    own = [each for each in failed if each.get("ResourceType") != _STACK]
    if not own:
        cause = Cause(layer=Layer.AWS, service="cloudformation", code=stack.status, resource=stack.stack_id)
        return failure(f"The update of the stack {stack.name} ended as {stack.status}; its events say no more.", cause)
    first = min(own, key=lambda event: event["Timestamp"])
    kind, reason = first.get("ResourceType", ""), first.get("ResourceStatusReason", "")
    cause = Cause(layer=Layer.AWS, service="cloudformation", code="UPDATE_FAILED", resource=kind)
    return failure(f"{kind} {first.get('LogicalResourceId')} of stack {stack.name}: {reason}", cause)


def _latest(stack: Stack) -> list[StackEventTypeDef]:
    """Give the events of the latest update, newest first: those since the stack itself began to be updated."""
    return list(takewhile(lambda event: not _begins(event), _events(stack)))


def _events(stack: Stack) -> Iterator[StackEventTypeDef]:
    pages = runtime.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack.stack_id)
    for page in pages:
        yield from page["StackEvents"]


def _begins(event: StackEventTypeDef) -> bool:
    return event.get("ResourceType") == _STACK and event.get("ResourceStatus") == "UPDATE_IN_PROGRESS"
