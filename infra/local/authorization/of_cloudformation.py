"""What IAM is asked for calls of CloudFormation: the stack, the template that is read, the role that is passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from infra.local.authorization.asking import Unknown, passing, tags_of, to_be_tagged
from infra.local.authorization.evaluation import Asked
from infra.local.authorization.of_s3 import reading

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_ON_STACKS: Final = (
    "CreateChangeSet",
    "CreateStack",
    "DeleteChangeSet",
    "DeleteStack",
    "DescribeChangeSet",
    "DescribeStackEvents",
    "DescribeStackResourceDrifts",
    "DescribeStackResources",
    "DescribeStacks",
    "DetectStackDrift",
    "ExecuteChangeSet",
    "GetTemplate",
    "ListStackResources",
    "UpdateStack",
)
_FREE: Final = ("DescribeStackDriftDetectionStatus",)
_KEYS: Final = {
    "RoleARN": "cloudformation:RoleArn",
    "TemplateURL": "cloudformation:TemplateUrl",
    "ChangeSetName": "cloudformation:ChangeSetName",
}


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    if call.operation in _FREE:
        yield Asked(f"cloudformation:{call.operation}", "*")
        return
    if call.operation not in _ON_STACKS:
        raise Unknown(call.operation)
    stack = _stack(call, live)
    context: dict[str, Sequence[str]] = dict(to_be_tagged(tags_of(call.rows("Tags"))))
    context |= {key: (call.text(name),) for name, key in _KEYS.items() if call.text(name)}
    yield Asked(f"cloudformation:{call.operation}", stack, context)
    if call.operation == "DetectStackDrift":
        # Drift of a stack is that of each of its resources.
        yield Asked("cloudformation:DetectStackResourceDrift", stack)
    if call.text("TemplateURL"):
        yield from reading(live, call.text("TemplateURL"))
    yield from passing([call.text("RoleARN")], "cloudformation")


def _stack(call: Call, live: Live) -> str:
    name = call.text("StackName")
    if name.startswith("arn:"):
        return name
    change_set = call.text("ChangeSetName")
    if not name and change_set.startswith("arn:"):
        # The ARN of a change set tells nothing of its stack; whoever names that alone is asked about any.
        return live.place.arn("cloudformation", "stack/*/*")
    return live.world.stack(name) or live.place.arn("cloudformation", f"stack/{name}/none")
