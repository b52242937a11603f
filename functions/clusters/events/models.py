"""Bus events as AWS sends them; what we do not read is left aside, because AWS adds members without notice.

Source: SageMaker developer guide, "Events that Amazon SageMaker AI sends to Amazon EventBridge" and "SageMaker HyperPod
cluster events reference"; CloudFormation user guide, "Managing events with CloudFormation and EventBridge"; Step
Functions developer guide, "Automating Step Functions event delivery with EventBridge".
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

STATE_CHANGE: Final = "SageMaker HyperPod Cluster State Change"
NODE_HEALTH: Final = "SageMaker HyperPod Cluster Node Health Event"
CLUSTER_EVENT: Final = "SageMaker HyperPod Cluster Event"
STACK_STATUS: Final = "CloudFormation Stack Status Change"
EXECUTION_STATUS: Final = "Step Functions Execution Status Change"

# The state machine that each stage of every pipeline runs in.
_STAGE: Final = "stage"

JsonObject = dict[str, JsonValue]


def _text(value: object) -> object:
    return "" if value is None else value


# AWS writes an absent text as null, as an empty one or not at all.
Text = Annotated[str, BeforeValidator(_text)]


class BusEvent(BaseModel):
    """The envelope that EventBridge puts around every event."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    source: str
    detail_type: str = Field(alias="detail-type")
    time: datetime
    resources: list[str] = []
    detail: JsonObject


class Detail(BaseModel):
    """Base of what SageMaker tells."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class StateChange(Detail):
    """A HyperPod cluster has another status."""

    cluster_name: str = Field(alias="ClusterName")
    cluster_status: str = Field(alias="ClusterStatus")
    failure_message: Text = Field(default="", alias="FailureMessage")


class HealthSummary(Detail):
    """What the health monitoring agent says of a node."""

    health_status: str = Field(alias="HealthStatus")
    health_status_reason: Text = Field(default="", alias="HealthStatusReason")
    repair_action: Text = Field(default="", alias="RepairAction")
    recommendation: Text = Field(default="", alias="Recommendation")


class NodeHealthChange(Detail):
    """A node became unhealthy, or healthy again."""

    cluster_name: str = Field(alias="ClusterName")
    instance_id: str = Field(alias="InstanceId")
    health_summary: HealthSummary = Field(alias="HealthSummary")


class Happening(Detail):
    """One entry of a cluster's event log; `event_details` nests its metadata once more."""

    event_id: str = Field(alias="EventId")
    cluster_name: str = Field(alias="ClusterName")
    event_time: datetime = Field(alias="EventTime")
    resource_type: str = Field(alias="ResourceType")
    event_level: str = Field(default="Info", alias="EventLevel")
    description: Text = Field(default="", alias="Description")
    instance_group_name: str | None = Field(default=None, alias="InstanceGroupName")
    instance_id: str | None = Field(default=None, alias="InstanceId")
    event_details: JsonObject = Field(default={}, alias="EventDetails")


class LoggedEvent(Detail):
    """The wrapper around an entry of a cluster's event log."""

    event_details: Happening = Field(alias="EventDetails")


class StatusDetails(BaseModel):
    """The status of a stack."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    status: str


class StackStatus(BaseModel):
    """A stack has another status."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    stack_id: str = Field(alias="stack-id")
    status_details: StatusDetails = Field(alias="status-details")

    @property
    def stack_name(self) -> str:
        """Read the stack's name from its ARN, `…:stack/<name>/<id>`."""
        return self.stack_id.rpartition(":stack/")[2].partition("/")[0]


class ExecutionStatus(BaseModel):
    """An execution has another status; ours are named after their operations."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    execution_arn: str = Field(alias="executionArn")
    machine_arn: str = Field(alias="stateMachineArn")
    name: str
    status: str

    @property
    def is_of_a_stage(self) -> bool:
        """Say whether a stage's own machine ran it, by the end of `…:stateMachine:instantstart-<name>`."""
        return self.machine_arn.rpartition(":")[2].rpartition("-")[2] == _STAGE
