"""What becomes of a namespace that is asked for, given what the cluster has of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict
from functions.core.findings import Finding, Level
from functions.core.previews import Action, Change
from functions.identity.namespaces.models import OURS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from functions.identity.namespaces.models import NamespaceView, NewNamespace

STAGE: Final = "namespace"
_MADE: Final = "people work in it"
_UNSEEN: Final = "people work in it; one of the name that somebody else made is used as it is"


def change(wanted: NewNamespace, found: NamespaceView | None, *, seen: bool) -> Change:
    """Say what the stage does: it makes a namespace, changes labels of one of ours, and leaves any other as it is.

    `found` has those labels alone that the control plane has written.
    """
    if found is None:
        return _changed(Action.CREATE, wanted, _MADE if seen else _UNSEEN)
    if not found.ours:
        return _changed(Action.KEEP, wanted, "somebody else made it: it is used as it is, its labels are not changed")
    standing = {key: value for key, value in found.labels.items() if not _is_mark(key)}
    if standing == wanted.labels:
        return _changed(Action.KEEP, wanted, "the control plane made it, and its labels are as wanted")
    return _changed(Action.CHANGE, wanted, f"its labels, from {_pairs(standing)} to {_pairs(wanted.labels)}")


def findings(wanted: NewNamespace, found: NamespaceView | None) -> list[Finding]:
    """Refuse what the stage would refuse: a namespace that is being deleted."""
    if found is None or not is_going(found):
        return []
    return [
        Finding(
            check="namespace_terminating",
            level=Level.ERROR,
            code=Conflict.code,
            field="name",
            message=f"the namespace {wanted.name} is being deleted",
            resource=f"namespace/{wanted.name}",
            remedy=f"Wait until it is gone (kubectl get namespace {wanted.name}), then send the request again.",
        )
    ]


def is_going(found: NamespaceView) -> bool:
    """Say whether a namespace is being deleted."""
    return found.phase == "Terminating"


def _is_mark(key: str) -> bool:
    return key.rpartition("/")[0] in OURS


def _changed(action: Action, wanted: NewNamespace, reason: str) -> Change:
    stage = f"{STAGE}:{wanted.name}"
    return Change(action=action, resource="Kubernetes namespace", name=wanted.name, reason=reason, stage=stage)


def _pairs(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items())) or "none"
