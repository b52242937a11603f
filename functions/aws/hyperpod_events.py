"""The failures among a HyperPod cluster's events; clusters with continuous provisioning have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core import runtime

if TYPE_CHECKING:
    from datetime import datetime

    from types_boto3_sagemaker.type_defs import ClusterEventSummaryTypeDef, EventMetadataTypeDef

_PAGE: Final = 100
_SCRIPT_DONE: Final = re.compile(r"lifecycle script execution .*Completed", re.I)
# Reported again and again while instances come and go, whatever the cause.
# Source: observed texts; the developer guide's troubleshooting does not explain it.
_NOISE: Final = "Request to service failed. If failure persists after retry, contact customer support."


@dataclass(frozen=True)
class Failure:
    """One failure: of which group and instance, when, and in whose words."""

    event_id: str
    at: datetime
    group: str
    instance_id: str
    description: str


def failures(name: str, since: datetime, until: datetime | None = None) -> list[Failure]:
    """List the newest hundred failures of a cluster since an instant, newest first. Raises the client's own errors."""
    client = runtime.client("sagemaker")
    span = {"EventTimeBefore": until} if until else {}
    listed = client.list_cluster_events(
        ClusterName=name,
        EventTimeAfter=since,
        SortBy="EventTime",
        SortOrder="Descending",
        MaxResults=_PAGE,
        **span,  # type: ignore[arg-type]  # a part of the request that may be left out
    )
    return [_failure(event) for event in listed.get("Events", []) if event.get("EventLevel") == "Error"]


def scripts_completed(name: str, since: datetime) -> dict[str, datetime]:
    """Say when instances were done with their lifecycle scripts, by the newest hundred events of instances.

    A deep health check begins then; it has no event of its own. Raises the client's own errors.
    """
    listed = runtime.client("sagemaker").list_cluster_events(
        ClusterName=name,
        EventTimeAfter=since,
        ResourceType="Instance",
        SortBy="EventTime",
        SortOrder="Descending",
        MaxResults=_PAGE,
    )
    return {
        event["InstanceId"]: event["EventTime"]
        for event in listed.get("Events", [])
        if "InstanceId" in event and _SCRIPT_DONE.search(event.get("Description", ""))
    }


def words_of(name: str, failure: Failure) -> str:
    """Say why a failure happened: the reason stands only in the event's details, else its description is all.

    Source: SageMaker API reference, DescribeClusterEvent. Raises the client's own errors.
    """
    return failure_of_event(name, failure.event_id) or failure.description


def failure_of_event(name: str, event_id: str) -> str | None:
    """Read why an event tells of a failure; None when it does not say. Raises the client's own errors."""
    answer = runtime.client("sagemaker").describe_cluster_event(ClusterName=name, EventId=event_id)
    metadata = answer["EventDetails"].get("EventDetails", {}).get("EventMetadata", {})
    return next((text for text in _messages(metadata) if text and text != _NOISE), None)


def _failure(event: ClusterEventSummaryTypeDef) -> Failure:
    return Failure(
        event_id=event["EventId"],
        at=event["EventTime"],
        group=event.get("InstanceGroupName", ""),
        instance_id=event.get("InstanceId", ""),
        description=event.get("Description", ""),
    )


def _messages(metadata: EventMetadataTypeDef) -> list[str]:
    parts = (
        metadata.get("Instance"),
        metadata.get("InstanceGroup"),
        metadata.get("InstanceGroupScaling"),
        metadata.get("Cluster"),
    )
    return [part.get("FailureMessage", "") for part in parts if part]
