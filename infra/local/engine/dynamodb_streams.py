"""What changes in moto's tables, told to whoever reads their streams.

moto keeps every change of a stream for ever, copies them at each transaction, keeps those of a transaction that it
rolled back, and notes a write that changes nothing, which DynamoDB does not. Here a change is handed on once its call
is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from moto.dynamodb.models.table import StreamShard

if TYPE_CHECKING:
    from moto.dynamodb.models.dynamo_type import DynamoType, Item

    Image = dict[str, object]


@dataclass(frozen=True)
class ItemChange:
    """One change of an item, in DynamoDB's own JSON; an image is None where the item was or is absent."""

    table: str
    keys: Image
    old: Image | None
    new: Image | None

    @property
    def name(self) -> str:
        """Name the change as a stream does."""
        if self.old is None:
            return "INSERT"
        return "REMOVE" if self.new is None else "MODIFY"

    @property
    def size(self) -> int:
        """Give about the bytes that a stream counts."""
        return sum(len(json.dumps(image)) for image in (self.keys, self.old, self.new) if image)


Listener = Callable[[ItemChange], None]

# All of it is used under the one lock of the tables.
_noted: Final[list[ItemChange]] = []
_listeners: Final[list[Listener]] = []


def install(listener: Listener) -> None:
    """Hand every change of a table with a stream to a listener, which is called under the tables' lock."""
    _listeners[:] = [listener]
    StreamShard.add = _note  # type: ignore[method-assign]


def noted() -> int:
    """Say how many changes the present call has made so far."""
    return len(_noted)


def forget_after(count: int) -> None:
    """Forget the changes that were rolled back: all but the first `count` of the present call."""
    del _noted[count:]


def hand_on() -> None:
    """Tell the changes of a call that is done."""
    changes = _noted[:]
    _noted.clear()
    for change in changes:
        for listener in _listeners:
            listener(change)


def _note(self: StreamShard, old: Item | None, new: Item | None) -> None:
    one = old or new
    if one is None:
        return
    change = ItemChange(self.table.name, _keys(self, one), _image(old), _image(new))
    if change.old != change.new:
        _noted.append(change)


def _keys(shard: StreamShard, item: Item) -> Image:
    keys: dict[str, DynamoType | None] = {shard.table.hash_key_attr: item.hash_key}
    if shard.table.range_key_attr is not None:
        keys[shard.table.range_key_attr] = item.range_key
    return {name: value.to_regular_json() for name, value in keys.items() if value is not None}


def _image(item: Item | None) -> Image | None:
    return None if item is None else {name: value.to_regular_json() for name, value in item.attrs.items()}
