"""CloudFormation as the foundation stage uses it: a stack by name, its outputs, and why it failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.clusters.deletion.models import StackResource
from functions.core import runtime
from functions.core.errors import ArtifactMissing, Cause, Layer, PreconditionFailed, Problem
from functions.core.failures import code_of, failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from types_boto3_cloudformation.type_defs import StackEventTypeDef

    from functions.core.runtime import Patience

COMPLETE: Final = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"})
_STACK: Final = "AWS::CloudFormation::Stack"
_BEGINNINGS: Final = frozenset({"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS"})
_WRAPPERS: Final = ("Resource creation cancelled", "Embedded stack", "The following resource(s) failed")


@dataclass(frozen=True)
class Stack:
    """A stack as it stands; `change_set_id` is that of the change set that made or changed it last."""

    stack_id: str
    name: str
    status: str
    outputs: Mapping[str, str]
    tags: Mapping[str, str]
    parameters: Mapping[str, str] = field(default_factory=dict)
    change_set_id: str = ""


def describe(name: str, patience: Patience | None = None) -> Stack | None:
    """Describe a stack; None when there is none of that name. Raises the client's own errors."""
    try:
        found = runtime.client("cloudformation", patience).describe_stacks(StackName=name)["Stacks"][0]
    except ClientError as error:
        if code_of(error) == "ValidationError" and "does not exist" in error.response["Error"]["Message"]:
            return None
        raise
    return Stack(
        stack_id=found.get("StackId", name),
        name=found["StackName"],
        status=found["StackStatus"],
        outputs={output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])},
        tags={tag["Key"]: tag["Value"] for tag in found.get("Tags", [])},
        parameters={each["ParameterKey"]: each["ParameterValue"] for each in found.get("Parameters", [])},
        change_set_id=found.get("ChangeSetId", ""),
    )


def outputs_of(name: str) -> Mapping[str, str]:
    """Give the outputs of a foundation stack; raises PreconditionFailed when it is not complete."""
    stack = describe(name)
    if stack is None or stack.status not in COMPLETE:
        raise PreconditionFailed(
            f"The foundation stack {name} is {stack.status if stack else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="cloudformation", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return stack.outputs


def create(
    name: str, template_url: str, role_arn: str, parameters: Mapping[str, str], tags: Mapping[str, str], token: str
) -> str:
    """Create a stack and give its id; one of that name that came in between is left to the next look.

    Raises ArtifactMissing when the template is not in the artifact bucket, else the client's own errors.
    """
    client = runtime.client("cloudformation")
    try:
        answer = client.create_stack(
            StackName=name,
            TemplateURL=template_url,
            RoleARN=role_arn,
            Capabilities=["CAPABILITY_NAMED_IAM"],
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
            Tags=[{"Key": key, "Value": value} for key, value in tags.items()],
            ClientRequestToken=token,
        )
    except client.exceptions.AlreadyExistsException:
        return name
    except ClientError as error:
        raise _missing_artifact(error, template_url) or error from error
    return answer["StackId"]


def delete(name: str, role_arn: str, retained: Sequence[str] = ()) -> None:
    """Delete a stack; resources can be retained only of one whose deletion has failed."""
    client = runtime.client("cloudformation")
    if retained:
        client.delete_stack(StackName=name, RoleARN=role_arn, RetainResources=list(retained))
    else:
        client.delete_stack(StackName=name, RoleARN=role_arn)


def resources(name: str, patience: Patience | None = None) -> list[StackResource]:
    """List what a stack consists of; nothing when there is none of that name. Raises the client's own errors."""
    client = runtime.client("cloudformation", patience)
    try:
        found = client.describe_stack_resources(StackName=name)["StackResources"]
    except ClientError as error:
        if code_of(error) == "ValidationError" and "does not exist" in error.response["Error"]["Message"]:
            return []
        raise
    return [
        StackResource(
            logical_id=each["LogicalResourceId"],
            type=each["ResourceType"],
            physical_id=each.get("PhysicalResourceId", ""),
            status=each["ResourceStatus"],
            reason=each.get("ResourceStatusReason", ""),
        )
        for each in found
    ]


def _missing_artifact(error: ClientError, template_url: str) -> Problem | None:
    message = error.response["Error"].get("Message", "")
    if "S3 error" not in message or "does not exist" not in message:
        return None
    return ArtifactMissing(
        f"The release's template {template_url} is not in the artifact bucket.",
        cause=Cause(
            layer=Layer.CONTROL_PLANE,
            service="cloudformation",
            api_call=error.operation_name,
            code="TEMPLATE_ARTIFACT_MISSING",
            resource=template_url,
        ),
        remedy="Deploy the release again; its artifacts are incomplete. Nothing you send can help.",
    )


def progress_of(stack: Stack) -> str:
    """Say what the stack is busy with: how many of its resources stand, and which are in the making."""
    resources = runtime.client("cloudformation").describe_stack_resources(StackName=stack.name)["StackResources"]
    complete = [found for found in resources if found["ResourceStatus"] == "CREATE_COMPLETE"]
    making = [found["LogicalResourceId"] for found in resources if found["ResourceStatus"] == "CREATE_IN_PROGRESS"]
    named = f", making {', '.join(sorted(making)[:3])}" if making else ""
    return f"{stack.status}: {len(complete)}/{len(resources)} resources{named}"


def failure_of(stack_id: str, name: str, status: str = "CREATE_FAILED") -> Problem:
    """Say why a stack failed: the earliest failed resource, through nested stacks, that is no mere consequence."""
    return _explained(name, _failed_events(stack_id, lambda event: event.get("ResourceStatus") == status))


def update_failure_of(stack_id: str, name: str, token: str) -> Problem:
    """Say why the update that a token began failed."""
    failed = ("UPDATE_FAILED", "CREATE_FAILED")
    mine = _failed_events(
        stack_id, lambda event: event.get("ResourceStatus") in failed and event.get("ClientRequestToken") == token
    )
    return _explained(name, mine)


def last_failure_of(stack_id: str, name: str) -> Problem:
    """Say why the newest creation, change or deletion of a stack failed; what came before it is not read."""
    failed: list[StackEventTypeDef] = []
    for event in _events(stack_id):
        own = event.get("PhysicalResourceId") == stack_id and event.get("ResourceType") == _STACK
        if own and event.get("ResourceStatus") in _BEGINNINGS:
            break
        if _has_failed(event):
            failed.append(event)
    nested = (_failed_events(child, _has_failed) for child in _nested_in(failed, stack_id))
    return _explained(name, [*failed, *(event for events in nested for event in events)])


def _has_failed(event: StackEventTypeDef) -> bool:
    return event.get("ResourceStatus", "").endswith("_FAILED")


def _explained(name: str, failed: list[StackEventTypeDef]) -> Problem:
    events = sorted(failed, key=lambda event: event["Timestamp"])
    if not events:
        cause = Cause(layer=Layer.AWS, service="cloudformation", resource=name)
        return failure(f"The stack {name} failed without a failed resource; its events say no more.", cause)
    first = next((event for event in events if not _is_consequence(event)), events[0])
    resource_type, reason = first.get("ResourceType", ""), first.get("ResourceStatusReason", "")
    cause = Cause(layer=Layer.AWS, service="cloudformation", code=first.get("ResourceStatus"), resource=resource_type)
    return failure(f"{resource_type} {first.get('LogicalResourceId')} of stack {name}: {reason}", cause)


def _is_consequence(event: StackEventTypeDef) -> bool:
    reason = event.get("ResourceStatusReason", "")
    return event.get("ResourceType") == _STACK or any(wrapper in reason for wrapper in _WRAPPERS)


def _failed_events(stack_id: str, failed: Callable[[StackEventTypeDef], bool]) -> list[StackEventTypeDef]:
    """Collect the failed events of a stack and of the stacks nested in it, by physical id."""
    found = list(filter(failed, _events(stack_id)))
    for child in _nested_in(found, stack_id):
        found.extend(_failed_events(child, failed))
    return found


def _events(stack_id: str) -> Iterator[StackEventTypeDef]:
    """Read the events of a stack, newest first, page by page."""
    for page in runtime.client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=stack_id):
        yield from page["StackEvents"]


def _nested_in(events: Sequence[StackEventTypeDef], stack_id: str) -> list[str]:
    """Name the stacks nested in a stack that events are about."""
    nested = {
        event["PhysicalResourceId"]
        for event in events
        if event.get("ResourceType") == _STACK and event.get("PhysicalResourceId") not in ("", None, stack_id)
    }
    return sorted(nested)
