"""Strict checks of a request against its botocore input shape, faults in AWS's wording.

AWS reports e.g. "1 validation error detected: Value 'x' at 'instanceGroups.1.member.instanceCount' failed to satisfy
constraint: Member must have value less than or equal to 6758"; the simulators report the first fault only.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import TYPE_CHECKING, cast

from botocore.model import ListShape, MapShape, Shape, StructureShape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JSON_TYPES: dict[str, tuple[type, ...]] = {
    "structure": (dict,),
    "map": (dict,),
    "list": (list,),
    "string": (str,),
    "character": (str,),
    "blob": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "float": (int, float),
    "double": (int, float),
    "timestamp": (int, float, str),
}


def document_fault(shape: Shape, document: object) -> str | None:
    """First unknown member or wrong JSON type of a request body, before it is parsed."""
    return next(_document_faults(shape, document, ""), None)


def constraint_fault(shape: Shape, params: object) -> str | None:
    """First constraint of the model that parsed parameters break, in AWS's wording."""
    return next(_constraint_faults(shape, params, ""), None)


def detected(fault: str) -> str:
    """Put AWS's counted heading before a fault."""
    return f"1 validation error detected: {fault}"


def fault(value: object, path: str, constraint: str) -> str:
    """One fault as AWS words it."""
    shown = "null" if value is None else f"'{_shown(value)}'"
    return f"Value {shown} at '{path}' failed to satisfy constraint: Member must {constraint}"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}={_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _join(path: str, name: str) -> str:
    member = name[:1].lower() + name[1:]
    return f"{path}.{member}" if path else member


def _wire_name(shape: Shape, name: str) -> str:
    return str(shape.serialization.get("name", name))


def _children(
    shape: Shape, value: object, path: str, named: Callable[[Shape, str], str]
) -> Iterator[tuple[Shape, object, str]]:
    """Members, items, keys and values under a value, with the path AWS would name."""
    if isinstance(shape, ListShape):
        for index, item in enumerate(cast("list[object]", value), start=1):
            yield shape.member, item, f"{path}.{index}.member"
    elif isinstance(shape, MapShape):
        for key, item in cast("dict[str, object]", value).items():
            yield shape.key, key, f"{path}.key"
            yield shape.value, item, f"{path}.{key}.member"
    elif isinstance(shape, StructureShape):
        given = cast("dict[str, object]", value)
        for name, member in shape.members.items():
            if given.get(named(member, name)) is not None:
                yield member, given[named(member, name)], _join(path, name)


def _document_faults(shape: Shape, value: object, path: str) -> Iterator[str]:
    types = JSON_TYPES.get(shape.type_name, (object,))
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types and object not in types):
        yield f"Value at '{path}' has the wrong JSON type: expected {shape.type_name}"
        return
    if getattr(shape, "is_document_type", False):
        return
    if isinstance(shape, StructureShape):
        in_body = {name: member for name, member in shape.members.items() if "location" not in member.serialization}
        known = {_wire_name(member, name) for name, member in in_body.items()}
        for name in cast("dict[str, object]", value).keys() - known:
            yield fault(cast("dict[str, object]", value)[name], _join(path, name), "be a member of the request")
    for child, item, child_path in _children(shape, value, path, _wire_name):
        yield from _document_faults(child, item, child_path)


def _constraint_faults(shape: Shape, value: object, path: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        yield from _structure_faults(shape, cast("dict[str, object]", value), path)
    elif isinstance(shape, ListShape | MapShape):
        yield from _bound_faults(shape, value, len(cast("list[object]", value)), path, "length")
    elif shape.type_name in ("integer", "long", "float", "double"):
        yield from _bound_faults(shape, value, cast("float", value), path, "value")
    elif shape.type_name in ("string", "character"):
        yield from _string_faults(shape, str(value), path)
    for child, item, child_path in _children(shape, value, path, lambda _, name: name):
        yield from _constraint_faults(child, item, child_path)


def _structure_faults(shape: StructureShape, value: dict[str, object], path: str) -> Iterator[str]:
    for name in shape.required_members:
        if value.get(name) is None:
            yield fault(None, _join(path, name), "not be null")
    if shape.is_tagged_union and len(value) != 1:
        yield fault(value, path, f"have exactly one of [{', '.join(shape.members)}]")


def _bound_faults(shape: Shape, value: object, size: float, path: str, kind: str) -> Iterator[str]:
    low, high = shape.metadata.get("min"), shape.metadata.get("max")
    if low is not None and size < float(low):
        yield fault(value, path, f"have {kind} greater than or equal to {low}")
    if high is not None and size > float(high):
        yield fault(value, path, f"have {kind} less than or equal to {high}")


def _string_faults(shape: Shape, value: str, path: str) -> Iterator[str]:
    enum = shape.metadata.get("enum")
    if enum and value not in enum:
        yield fault(value, path, f"satisfy enum value set: [{', '.join(enum)}]")
    yield from _bound_faults(shape, value, len(value), path, "length")
    pattern = shape.metadata.get("pattern")
    if pattern and not compiled(pattern).fullmatch(value):
        yield fault(value, path, f"satisfy regular expression pattern: {pattern}")


@functools.cache
def compiled(pattern: str) -> re.Pattern[str]:
    r"""A model's Java pattern as a Python one: `\p{…}` classes, surrogate pairs and `${n,m}` written out."""
    text = pattern.replace(r"\uD800\uDC00-\uDBFF\uDFFF", r"\U00010000-\U0010FFFF")
    text = text.replace(r"\p{Alnum}", "0-9A-Za-z")
    text = re.sub(r"\$\{\d+,\d+\}$", "$", text)
    return re.compile(re.sub(r"\\p\{([LMNPSZ])\}", lambda match: _category(match[1]), text))


@functools.cache
def _category(letter: str) -> str:
    """A Unicode general category as ranges for a character class (basic multilingual plane)."""
    ranges: list[list[int]] = []
    for point in range(0x10000):
        if unicodedata.category(chr(point))[0] == letter:
            if ranges and ranges[-1][1] == point - 1:
                ranges[-1][1] = point
            else:
                ranges.append([point, point])
    return "".join(f"\\u{low:04x}-\\u{high:04x}" for low, high in ranges)
