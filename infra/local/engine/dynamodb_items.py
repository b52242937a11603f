"""moto's DynamoDB items, made cheap: they are copied and measured at every read and write.

What they are is unchanged. moto copies an item's tree through `copy`, and measures the whole item for each attribute
that it sets; together that was half the time of creating a cluster.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from moto.dynamodb.exceptions import ItemSizeTooLarge
from moto.dynamodb.models.dynamo_type import DynamoType, Item, LimitedSizeDict

_LIMIT_BYTES = 405_000
# Values up to this size are not worth measuring the whole item: it would take hundreds of them to break the limit.
_SMALL_BYTES = 1_000


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    adaptations: dict[type, dict[str, object]] = {
        DynamoType: {
            "__deepcopy__": _copied_type,
            "cast_value": property(_cast),
            "size": size_of,
            "to_regular_json": _regular_json,
        },
        Item: {"__deepcopy__": _copied_item, "size": _size_of_item},
        LimitedSizeDict: {"__setitem__": _set_within_limit},
        # Every write parses its expression twice; who reads the tree copies it before a change.
        _parser: {"make": staticmethod(_parsed)},
    }
    for owner, methods in adaptations.items():
        for name, method in methods.items():
            setattr(owner, name, method)


_cast_any: Callable[[DynamoType], object] = vars(DynamoType)["cast_value"].fget
_parser: type = import_module("moto.dynamodb.parsing.expressions").UpdateExpressionParser
_parse: Callable[[str], object] = vars(_parser)["make"].__get__(None, _parser)
_parsed = lru_cache(maxsize=256)(_parse)


def light_copy(item: Item) -> Item:
    """Copy an item whose values stay shared: enough where whole attributes are taken away."""
    return _item(item.hash_key, item.range_key, dict(item.attrs))


def copy_of(value: DynamoType) -> DynamoType:
    """Copy a value with all that it holds."""
    copied = object.__new__(DynamoType)
    copied.type = value.type
    held = value.value
    if isinstance(held, list):
        held = [copy_of(each) if isinstance(each, DynamoType) else each for each in held]
    elif isinstance(held, dict):
        held = {key: copy_of(each) for key, each in held.items()}
    copied.value = held
    return copied


def size_of(value: DynamoType) -> int:
    """Give about the bytes that DynamoDB counts."""
    held = value.value
    if isinstance(held, bool) or held is None:
        return 1
    if isinstance(held, list):
        return sum(size_of(each) if isinstance(each, DynamoType) else len(str(each)) for each in held)
    if isinstance(held, dict):
        return sum(len(key.encode()) + size_of(each) for key, each in held.items())
    return len(held) if isinstance(held, bytes) else len(str(held).encode())


def _copied_type(self: DynamoType, _: dict[int, object]) -> DynamoType:
    return copy_of(self)


def _copied_item(self: Item, _: dict[int, object]) -> Item:
    sort = None if self.range_key is None else copy_of(self.range_key)
    return _item(copy_of(self.hash_key), sort, {name: copy_of(value) for name, value in self.attrs.items()})


def _size_of_item(self: Item) -> int:
    return sum(len(name.encode()) + size_of(value) for name, value in self.attrs.items())


def _cast(self: DynamoType) -> object:
    return self.value if self.type == "S" else _cast_any(self)


def _item(partition: DynamoType, sort: DynamoType | None, attributes: dict[str, DynamoType]) -> Item:
    copied: Item = object.__new__(Item)
    copied.hash_key, copied.range_key = partition, sort
    copied.attrs = LimitedSizeDict()
    dict.update(copied.attrs, attributes)
    return copied


def _regular_json(self: DynamoType) -> dict[str, object]:
    held = self.value
    if isinstance(held, dict):
        return {self.type: {key: _plain(each) for key, each in held.items()}}
    if isinstance(held, list):
        return {self.type: [_plain(each) for each in held]}
    return {self.type: base64.b64decode(held) if self.type == "B" and isinstance(held, str) else held}


def _plain(value: object) -> object:
    return _regular_json(value) if isinstance(value, DynamoType) else value


def _set_within_limit(self: LimitedSizeDict, key: str, value: DynamoType) -> None:
    if size_of(value) > _SMALL_BYTES:
        others = sum(len(name.encode()) + size_of(each) for name, each in self.items() if name != key)
        if others + len(key.encode()) + size_of(value) > _LIMIT_BYTES:
            raise ItemSizeTooLarge()
    dict.__setitem__(self, key, value)
