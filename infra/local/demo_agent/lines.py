"""One line of each kind of answer, as a person reading along wants it."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from infra.local.demo.telling import Json, span

_NAMED: Final = 4
_ROOM: Final = 120
_ROWS: Final = {
    "clusters": ("tag", "clusters"),
    "availability_zones": ("name", "zones"),
    "instance_types": ("name", "instance types"),
}


def line_of(answer: Json) -> str:
    """Write an answer that is no refusal."""
    for member, write in _KINDS.items():
        if member in answer:
            return write(answer)
    for member in _ROWS:
        if member in answer:
            return _rows(answer, member)
    return json.dumps(answer)[:_ROOM]


def refusal(problem: Json) -> str:
    """Write a refusal with its remedy and the call that it names, a line each."""
    lines = [f"refused: {problem.get('code')}: {problem.get('detail')}", f"remedy: {problem.get('remedy', 'none')}"]
    if following := problem.get("next"):
        lines.append(f"next: {following['tool']} {json.dumps(following['arguments'])}")
    return "\n         ".join(lines)


def _rows(answer: Json, member: str) -> str:
    key, noun = _ROWS[member]
    names = [str(each[key]) for each in answer[member]]
    told = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
    more = "; there are more, by `next`" if answer.get("next") else ""
    return f"{len(names)} {noun}: {told}{more}" if names else f"no {noun}"


def _waited(answer: Json) -> str:
    return f"waited {answer['waited_seconds']} s, {answer['remaining_seconds']} s remain"


def _preview(answer: Json) -> str:
    preview = answer["preview"]
    return f"preview of {preview['kind']}: {len(preview['changes'])} changes, digest {preview.get('digest', 'none')}"


def _progress(answer: Json) -> str:
    """Write an operation by the stage that it is in."""
    stage = answer["stages"][-1] if answer["stages"] else {}
    return f"{answer['status']}; {stage.get('name', 'no stage yet')}: {stage.get('message', 'begins')}"


def _newest(answer: Json) -> str:
    operations = answer["operations"]
    return "; ".join(f"{each['kind']} {each['status']}" for each in operations) or "no such operation"


def _begun(answer: Json) -> str:
    replayed = ", replayed: the call before began it" if answer.get("replayed") else ""
    expected = span(timedelta(seconds=answer["expected_seconds"]))
    return f"{answer['kind']} {answer['operation_id']} {answer['status']}, expected to take {expected}{replayed}"


def _cluster(answer: Json) -> str:
    held = ", ".join(f"{each['type']} {each['status']}" for each in answer.get("conditions", ()))
    return f"{answer['tag']} is {answer['summary']['status']}: {held or 'no conditions yet'}"


def _active(answer: Json) -> str:
    return f"{answer['cluster_tag']} is the active cluster"


# By the member that only such an answer has; an answer of several is of the first of these kinds.
_KINDS: Final = {
    "waited_seconds": _waited,
    "preview": _preview,
    "stages": _progress,
    "operations": _newest,
    "expected_seconds": _begun,
    "summary": _cluster,
    "cluster_tag": _active,
}
