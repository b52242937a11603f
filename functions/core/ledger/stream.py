"""What the streams of the ledger's tables send to functions.

Source: Lambda developer guide, "Using AWS Lambda with Amazon DynamoDB" and "Configuring partial batch response with
DynamoDB and Lambda". Lambda repeats a batch from the first failed record on, so whatever is told may come twice.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from functions.core.ledger.items import Item


class Stored(BaseModel):
    """What a stream tells of an item, in DynamoDB's own JSON."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sequence: str = Field(alias="SequenceNumber")
    at: datetime = Field(alias="ApproximateCreationDateTime")
    image: dict[str, dict[str, object]] = Field(default_factory=dict, alias="NewImage")
    former_image: dict[str, dict[str, object]] = Field(default_factory=dict, alias="OldImage")

    @property
    def item(self) -> Item:
        """Give the item as it became; empty when it was removed."""
        return cast("Item", self.image)

    @property
    def former(self) -> Item:
        """Give the item as it was; empty when it is new."""
        return cast("Item", self.former_image)


class StreamRecord(BaseModel):
    """One change of an item."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(alias="eventName")
    stored: Stored = Field(alias="dynamodb")


class StreamEvent(BaseModel):
    """A batch of changes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    changes: list[StreamRecord] = Field(alias="Records")
