"""CloudFormation over time: stacks whose resources are made in the other services, one after another.

Simulated are creation, rollback, nested stacks and deletion of the resource types in `stack_resources.py`, updates of
parameters that change in place (`stack_update.py`), drift detection, and change sets that bring a stack back to its
template (`stack_calls.py`). What goes beyond that is refused as unverified. Time passes only in `settle`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from infra.local.simulators.paging import page
from infra.local.simulators.service import (
    JsonObject,
    Service,
    ServiceError,
    ServiceRequest,
    refuse_unverified,
    unverified,
)
from infra.local.simulators.stack_admission import Order, admit
from infra.local.simulators.stack_answers import (
    begun_resources,
    event_answer,
    events_page,
    present,
    resource_answer,
    resource_summary_answer,
    stack_answer,
    summary_answer,
)
from infra.local.simulators.stack_calls import CALLS, Call
from infra.local.simulators.stack_engine import announced, next_change, settle
from infra.local.simulators.stack_handlers import names
from infra.local.simulators.stack_host import StackHost, nobody
from infra.local.simulators.stack_intrinsics import malformed
from infra.local.simulators.stack_records import UPDATING, Fault, Stack, StackRecords, Status
from infra.local.simulators.stack_turn import Turn
from infra.local.simulators.stack_update import begin_update

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from botocore.client import BaseClient

    from infra.local.simulators.bus_event import BusEvent

_NAME = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,127}")
_CREATE = names(
    "StackName TemplateURL TemplateBody Parameters DisableRollback Capabilities RoleARN OnFailure Tags "
    "ClientRequestToken EnableTerminationProtection"
)
_DELETE = names("StackName RetainResources RoleARN ClientRequestToken")


class CloudFormation(Service):
    """The stacks of one account and region."""

    name: ClassVar[str] = "cloudformation"
    validation_code: ClassVar[str] = "ValidationError"
    records: StackRecords

    def __init__(
        self,
        now: Callable[[], datetime],
        account_id: str,
        region: str,
        client: Callable[[str], BaseClient],
        publish: Callable[[BusEvent], None] = nobody,
        client_of_role: Callable[[str, str], BaseClient] | None = None,
    ) -> None:
        """`client` gives a client of another service by its botocore name, `publish` takes what the bus is told.

        `client_of_role` gives one that acts under the role of a stack.
        """
        super().__init__(now, account_id, region)
        self.records = StackRecords()
        self._host = StackHost(client, account_id, region, publish, client_of_role)

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations simulated."""
        return {
            **self._calls_of_others(),
            "CreateStack": self._create_stack,
            "DeleteStack": self._delete_stack,
            "DescribeStackEvents": self._describe_stack_events,
            "DescribeStackResources": self._describe_stack_resources,
            "DescribeStacks": self._describe_stacks,
            "GetTemplate": self._get_template,
            "ListStackResources": self._list_stack_resources,
            "ListStacks": self._list_stacks,
            "UpdateStack": self._update_stack,
        }

    def _calls_of_others(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """The operations about drift and updates, whose instant is the one of the call."""

        def at_once(call: Call) -> Callable[[JsonObject, ServiceRequest], JsonObject]:
            def answered(params: JsonObject, _request: ServiceRequest) -> JsonObject:
                answer = call(self._turn(), params)
                self.settle()
                return answer

            return answered

        return {name: at_once(call) for name, call in CALLS.items()}

    def settle(self) -> None:
        """Let everything happen that was due until now."""
        settle(self.records, self._host, self.now())

    def next_change(self) -> datetime | None:
        """When the next stack changes by itself, for a clock that jumps."""
        return next_change(self.records, self.now())

    def deadlines(self) -> Iterable[datetime]:
        """When something changes by itself next."""
        change = next_change(self.records, self.now())
        return (*(() if change is None else (change,)), *announced(self.records))

    def fail_next(self, target: str, message: str, handler_code: str = "GeneralServiceException") -> None:
        """Let the next creation of a logical id or of a resource type fail."""
        self.records.faults[target] = Fault(message, handler_code)

    # -- creation and deletion

    def _create_stack(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, _CREATE)
        order = _order(params)
        standing = self.records.living(order.name)
        if standing is not None:
            if order.token is not None and order.token == standing.creation_token:
                return {"StackId": standing.stack_id}
            raise ServiceError("AlreadyExistsException", f"Stack [{order.name}] already exists")
        stack = admit(order, self._host, self.now())
        self._turn().open(stack)
        self.settle()
        return {"StackId": stack.stack_id}

    def _update_stack(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        stack = self.records.living(params["StackName"]) or self.records.find(params["StackName"])
        if stack is None or stack.status == Status.DELETE_COMPLETE:
            raise malformed(f"Stack [{params['StackName']}] does not exist")
        begin_update(self._turn(), stack, params)
        self.settle()
        return {"StackId": stack.stack_id}

    def _delete_stack(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, _DELETE)
        stack = self.records.find(params["StackName"])
        if stack is None or stack.status in (Status.DELETE_COMPLETE, Status.DELETE_IN_PROGRESS):
            return {}
        _check_deletion(stack, params.get("RetainResources", []))
        stack.token = params.get("ClientRequestToken")
        stack.role_arn = params.get("RoleARN", stack.role_arn)
        self._retain(stack, params.get("RetainResources", []))
        stack.undoing = False
        self._turn().begin_deletion(stack, Status.DELETE_IN_PROGRESS, "User Initiated")
        self.settle()
        return {}

    def _retain(self, stack: Stack, logical_ids: list[str]) -> None:
        for logical_id in logical_ids:
            self._turn().mark(stack, stack.resources[logical_id], Status.DELETE_SKIPPED)

    def _turn(self) -> Turn:
        return Turn(self.now(), self.now(), self.records, self._host)

    # -- reading

    def _describe_stacks(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        if "StackName" in params:
            return {"Stacks": [stack_answer(self._stack(params["StackName"]))]}
        living = [stack for stack in self._latest_first() if stack.status != Status.DELETE_COMPLETE]
        found, token = page(living, token=params.get("NextToken"), size=None, invalid=self.validation_code)
        return present({"Stacks": [stack_answer(stack) for stack in found], "NextToken": token})

    def _list_stacks(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        wanted = set(params.get("StackStatusFilter", []))
        stacks = [stack for stack in self._latest_first() if not wanted or stack.status in wanted]
        found, token = page(stacks, token=params.get("NextToken"), size=None, invalid=self.validation_code)
        return present({"StackSummaries": [summary_answer(stack) for stack in found], "NextToken": token})

    def _describe_stack_events(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        stack = self.records.find(params["StackName"])
        if stack is None:
            raise malformed(f"Stack [{params['StackName']}] does not exist")
        events, token = events_page(stack.events, params.get("NextToken"))
        return present({"StackEvents": [event_answer(stack, event) for event in events], "NextToken": token})

    def _describe_stack_resources(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        stack = self._owner(params)
        wanted = params.get("LogicalResourceId")
        resources = [item for item in begun_resources(stack) if wanted in (None, item.logical_id)]
        if wanted and not resources:
            raise malformed(f"Resource {wanted} does not exist for stack {stack.name}")
        return {"StackResources": [resource_answer(stack, resource) for resource in resources[:100]]}

    def _list_stack_resources(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        stack = self._stack(params["StackName"])
        resources = begun_resources(stack)
        found, token = page(resources, token=params.get("NextToken"), size=None, invalid=self.validation_code)
        return present(
            {"StackResourceSummaries": [resource_summary_answer(stack, item) for item in found], "NextToken": token}
        )

    def _get_template(self, params: JsonObject, _request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, ("StackName", "TemplateStage"))
        if "StackName" not in params:
            raise malformed("StackName is required if ChangeSetName is not specified.")
        stack = self._stack(params["StackName"])
        return {"TemplateBody": stack.template.body, "StagesAvailable": ["Original", "Processed"]}

    def _stack(self, name_or_id: str) -> Stack:
        stack = self.records.find(name_or_id)
        if stack is None:
            raise malformed(f"Stack with id {name_or_id} does not exist")
        return stack

    def _owner(self, params: JsonObject) -> Stack:
        """The stack that a request names, itself or by one of its resources."""
        if "StackName" in params:
            return self._stack(params["StackName"])
        physical_id = params.get("PhysicalResourceId")
        for stack in self._latest_first():
            if any(item.physical_id == physical_id for item in begun_resources(stack)):
                return stack
        raise malformed(f"Stack for {physical_id} does not exist")

    def _latest_first(self) -> list[Stack]:
        return sorted(self.records.stacks.values(), key=lambda stack: stack.created_at, reverse=True)


def _order(params: JsonObject) -> Order:
    if not _NAME.fullmatch(params["StackName"]):
        raise malformed(
            f"1 validation error detected: Value '{params['StackName']}' at 'stackName' failed to satisfy constraint: "
            "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*"
        )
    return Order(
        name=params["StackName"],
        template_url=params.get("TemplateURL"),
        template_body=params.get("TemplateBody"),
        parameters=dict(map(_parameter, params.get("Parameters", []))),
        tags={tag["Key"]: tag["Value"] for tag in params.get("Tags", [])},
        capabilities=tuple(params.get("Capabilities", ())),
        on_failure=_on_failure(params),
        role_arn=params.get("RoleARN"),
        token=params.get("ClientRequestToken"),
        termination_protection=params.get("EnableTerminationProtection", False),
    )


def _parameter(given: JsonObject) -> tuple[str, str]:
    refuse_unverified(given, ("ParameterKey", "ParameterValue"))
    if "ParameterKey" not in given or "ParameterValue" not in given:
        raise unverified("a parameter without key or value")
    return given["ParameterKey"], given["ParameterValue"]


def _on_failure(params: JsonObject) -> str:
    if "DisableRollback" in params and "OnFailure" in params:
        raise malformed("Either DisableRollback or OnFailure can be specified, not both.")
    return "DO_NOTHING" if params.get("DisableRollback") else str(params.get("OnFailure", "ROLLBACK"))


def _check_deletion(stack: Stack, retain: list[str]) -> None:
    if stack.status in UPDATING:
        raise malformed(f"Stack [{stack.name}] cannot be deleted while in status {stack.status}")
    if stack.termination_protection:
        raise malformed(f"Stack [{stack.name}] cannot be deleted while TerminationProtection is enabled")
    if retain and stack.status != Status.DELETE_FAILED:
        raise malformed(
            f"Invalid operation on stack [{stack.stack_id}]. When you delete a stack, specify which resources to "
            "retain only when the stack is in the DELETE_FAILED state."
        )
    unknown = sorted(set(retain) - stack.resources.keys())
    if unknown:
        raise malformed(f"The specified resources to retain must be in a valid state. Unknown: [{', '.join(unknown)}]")
    deleted = [name for name in retain if stack.resources[name].status == Status.DELETE_COMPLETE]
    if deleted:
        raise malformed(
            "The specified resources to retain must be in a valid state. "
            "Do not specify resources that are in the DELETE_COMPLETE state."
        )
