"""Taints of nodes and tolerations of pods."""

from __future__ import annotations

from collections.abc import Iterable

from infra.local.kubernetes.documents import JsonObject, integer, objects, text

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
DEFAULT_TOLERATION_SECONDS = 300
_HARD = ("NoSchedule", "NoExecute")


def default_tolerations(tolerations: list[JsonObject]) -> list[JsonObject]:
    """The tolerations a pod gets on admission: five minutes on a node that is lost, unless it says otherwise."""
    added: list[JsonObject] = [
        {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": DEFAULT_TOLERATION_SECONDS}
        for key in (NOT_READY, UNREACHABLE)
        if not any(tolerates(toleration, {"key": key, "effect": "NoExecute"}) for toleration in tolerations)
    ]
    return [*tolerations, *added]


def tolerates(toleration: JsonObject, taint: JsonObject) -> bool:
    """Whether one toleration covers one taint."""
    if text(toleration, "effect") not in ("", text(taint, "effect")):
        return False
    key, exists = text(toleration, "key"), text(toleration, "operator") == "Exists"
    if not key:
        return exists
    return key == text(taint, "key") and (exists or text(toleration, "value") == text(taint, "value"))


def untolerated(pod: JsonObject, node: JsonObject, effects: Iterable[str] = _HARD) -> JsonObject | None:
    """The first taint of a node that keeps a pod away."""
    tolerations = objects(pod, "spec", "tolerations")
    for taint in objects(node, "spec", "taints"):
        if text(taint, "effect") in effects and not any(tolerates(toleration, taint) for toleration in tolerations):
            return taint
    return None


def seconds_tolerated(pod: JsonObject, taint: JsonObject) -> int | None:
    """How long a pod stays on a node with a NoExecute taint; None: for ever."""
    tolerations = default_tolerations(objects(pod, "spec", "tolerations"))
    covering = [toleration for toleration in tolerations if tolerates(toleration, taint)]
    if not covering:
        return 0
    limits = [integer(toleration, "tolerationSeconds") for toleration in covering if "tolerationSeconds" in toleration]
    return min(limits) if limits else None
