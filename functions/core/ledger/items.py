"""Between the ledger's models and DynamoDB items."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from pydantic import BaseModel, JsonValue

from functions.core import runtime

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from functions.core.ledger.models import Operation, Stage

    Item = dict[str, AttributeValueTypeDef]

Model = TypeVar("Model", bound=BaseModel)

RETENTION: Final = timedelta(days=180)
# An execution lives at most a year, so no unfinished operation loses its stages before its own record goes.
COMPANION_RETENTION: Final = timedelta(days=366) + RETENTION
UNFINISHED_MARK: Final = "yes"


def instant() -> datetime:
    """Give the present instant as precisely as the ledger stores it: to the millisecond."""
    return to_millisecond(runtime.now())


def to_millisecond(moment: datetime) -> datetime:
    """Cut an instant to the precision of the ledger, for whoever compares it with one that the ledger stored."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def timestamp(moment: datetime) -> str:
    """Write an instant as ISO-8601 UTC with milliseconds, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch(moment: datetime) -> int:
    """Write an instant as whole epoch seconds, the only form in which TTL fires."""
    return int(moment.timestamp())


def attribute(value: object) -> AttributeValueTypeDef:
    """Marshal one value; raise TypeError for what JSON, instants, models and sets of text do not cover."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": repr(value)}
        case str():
            return {"S": str(value)}
        case datetime():
            return {"S": timestamp(value)}
        case BaseModel():
            return attribute(value.model_dump(exclude_none=True))
        case Mapping():
            return {"M": {str(name): attribute(each) for name, each in value.items()}}
        case list() | tuple():
            return {"L": [attribute(each) for each in value]}
        case Set():
            return {"SS": sorted(str(each) for each in value)}
        case _:
            raise TypeError(f"the ledger cannot store a {type(value).__name__}")


def item_of(values: Mapping[str, object]) -> Item:
    """Marshal named values into an item; a name without a value is left out."""
    return {name: attribute(value) for name, value in values.items() if value is not None}


def plain(value: AttributeValueTypeDef) -> JsonValue:
    """Unmarshal one attribute; a set becomes a sorted list."""
    if "S" in value:
        return value["S"]
    if "N" in value:
        return _number(value["N"])
    if "BOOL" in value:
        return value["BOOL"]
    if "M" in value:
        return {name: plain(each) for name, each in value["M"].items()}
    if "L" in value:
        return [plain(each) for each in value["L"]]
    return [*sorted(value["SS"])] if "SS" in value else None


def _number(text: str) -> int | float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def text_of(item: Item, name: str) -> str:
    """Give a text attribute, empty when the item has none."""
    return item[name]["S"] if name in item else ""


def model_of(model: type[Model], item: Item) -> Model:
    """Read a model from an item, leaving aside keys, index attributes and whatever never leaves the ledger."""
    return model.model_validate({name: plain(item[name]) for name in model.model_fields if name in item})


def operation_item(operation: Operation) -> Item:
    """Make the `operation` record of an unfinished operation, with its index attributes."""
    fields = operation.model_dump(exclude={"phases", "stages"}, exclude_none=True)
    created = timestamp(operation.created_at)
    marks = {
        "record": "operation",
        "created_at_id": f"{created}#{operation.operation_id}",
        "month": created[:7],
        "unfinished": UNFINISHED_MARK,
    }
    return item_of(fields | marks)


def stage_item(operation: Operation, stage: Stage) -> Item:
    """Make a stage's record."""
    keys = {"operation_id": operation.operation_id, "record": stage.record}
    expiry = {"expires_at": epoch(operation.created_at + COMPANION_RETENTION)}
    return item_of(stage.model_dump(exclude_none=True) | keys | expiry)
