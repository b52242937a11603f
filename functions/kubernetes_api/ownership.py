"""Whose an object is, and who owns the fields that we would set: the field managers of server-side apply."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.errors import Cause, Conflict, Layer
from functions.core.tags import CLUSTER_LABEL, MANAGED_BY_LABEL, MANAGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

# Source: Kubernetes documentation, "Server-Side Apply", Conflicts.
_CONFLICT: Final = "FieldManagerConflict"
_MANAGER: Final = re.compile(r'conflict with "(?P<name>[^"]*)"')
_UNKNOWN: Final = "an unnamed manager"


@dataclass(frozen=True)
class Dispute:
    """A field that we would set and another manager owns with another value."""

    manager: str
    field: str


def disputes_in(answer: Mapping[str, JsonValue]) -> tuple[Dispute, ...]:
    """List the disputes that an API server's refusal names; empty when it refuses for another reason."""
    causes = _member(answer, "details").get("causes")
    named = [each for each in causes if isinstance(each, dict)] if isinstance(causes, list) else []
    return tuple(
        Dispute(_manager_in(str(each.get("message"))), str(each.get("field")))
        for each in named
        if each.get("reason") == _CONFLICT
    )


def is_ours(found: Mapping[str, JsonValue], manifest: Mapping[str, JsonValue]) -> bool:
    """Say whether an object carries our manager label and the cluster label of what we apply."""
    there, wanted = (_member(_member(each, "metadata"), "labels") for each in (found, manifest))
    cluster = wanted.get(CLUSTER_LABEL)
    return there.get(MANAGED_BY_LABEL) == MANAGER and cluster is not None and there.get(CLUSTER_LABEL) == cluster


def notes_of(where: str, disputes: Iterable[Dispute]) -> tuple[str, ...]:
    """Say from whom which fields of an object were taken back, one note a manager."""
    return tuple(f"took back {fields} of {where} from {name}" for name, fields in _by_manager(disputes).items())


def foreign(where: str, disputes: Iterable[Dispute]) -> Conflict:
    """Make the problem of an object that is not ours and whose fields others own."""
    owned = ", and ".join(f"{name} owns {fields}" for name, fields in _by_manager(disputes).items())
    return Conflict(
        f"{where} is not labelled as the control plane's for this cluster, and {owned}.",
        cause=Cause(layer=Layer.KUBERNETES, code=_CONFLICT, resource=where),
        remedy=f"Delete or rename {where}, or give it the labels {MANAGED_BY_LABEL}={MANAGER} and {CLUSTER_LABEL} "
        "with the cluster's tag if it is the control plane's; then retry the operation.",
    )


def _by_manager(disputes: Iterable[Dispute]) -> dict[str, str]:
    fields: dict[str, list[str]] = {}
    for each in disputes:
        fields.setdefault(each.manager, []).append(each.field)
    return {name: ", ".join(listed) for name, listed in fields.items()}


def _manager_in(message: str) -> str:
    found = _MANAGER.search(message)
    return found["name"] if found else _UNKNOWN


def _member(document: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}
