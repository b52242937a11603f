"""Label selectors and node selectors as Kubernetes objects hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, string_map, strings, text

Labels = Mapping[str, str]


def labels_of(document: JsonObject) -> dict[str, str]:
    """An object's labels."""
    return string_map(document, "metadata", "labels")


def selects(selector: JsonObject, labels: Labels) -> bool:
    """Whether a `matchLabels`/`matchExpressions` selector takes these labels; an empty one takes all."""
    wanted = string_map(selector, "matchLabels")
    if any(labels.get(key) != value for key, value in wanted.items()):
        return False
    return all(expression_holds(expression, labels) for expression in objects(selector, "matchExpressions"))


def selected_by_map(wanted: Mapping[str, str], labels: Labels) -> bool:
    """Whether labels hold every pair of a plain map, as services and node selectors have it."""
    return all(labels.get(key) == value for key, value in wanted.items())


def expression_holds(expression: JsonObject, labels: Labels) -> bool:
    """Whether one requirement holds: In, NotIn, Exists, DoesNotExist, Gt, Lt."""
    test = _OPERATORS.get(text(expression, "operator"))
    return test is not None and test(labels.get(text(expression, "key")), strings(expression, "values"))


def node_matches(pod: JsonObject, node: JsonObject) -> bool:
    """Whether a node fits a pod's node selector and required node affinity."""
    if not selected_by_map(string_map(pod, "spec", "nodeSelector"), labels_of(node)):
        return False
    required = mapping(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    return not required or any(term_matches(term, node) for term in objects(required, "nodeSelectorTerms"))


def term_matches(term: JsonObject, node: JsonObject) -> bool:
    """Whether a node fits one node selector term; an empty term fits none."""
    expressions, fields = objects(term, "matchExpressions"), objects(term, "matchFields")
    if not expressions and not fields:
        return False
    labels, names = labels_of(node), {"metadata.name": name_of(node)}
    return all(expression_holds(e, labels) for e in expressions) and all(expression_holds(f, names) for f in fields)


def only_node(pod: JsonObject) -> str:
    """The one node a pod's required affinity names, as DaemonSet pods do; empty when it leaves a choice."""
    required = mapping(pod, "spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    named = {value for term in objects(required, "nodeSelectorTerms") for value in _named(term)}
    return named.pop() if len(named) == 1 else ""


def _named(term: JsonObject) -> list[str]:
    fields = objects(term, "matchFields")
    return [name for field in fields for name in strings(field, "values")] or [""]


def _number(written: str | None) -> int | None:
    try:
        return int(written or "")
    except ValueError:
        return None


def _compares(value: str | None, values: list[str], sign: int) -> bool:
    left, right = _number(value), _number(values[0] if values else None)
    return left is not None and right is not None and (left - right) * sign > 0


_OPERATORS: dict[str, Callable[[str | None, list[str]], bool]] = {
    "In": lambda value, values: value in values,
    "NotIn": lambda value, values: value not in values,
    "Exists": lambda value, values: value is not None,
    "DoesNotExist": lambda value, values: value is None,
    "Gt": lambda value, values: _compares(value, values, 1),
    "Lt": lambda value, values: _compares(value, values, -1),
}
