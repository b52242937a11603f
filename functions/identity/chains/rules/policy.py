"""Decisions about what a role may do: which actions on which resources its own policies do not grant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.identity.chains.rules.documents import allows, matches, statements, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from functions.identity.chains.models import Arn, InlinePolicy, Place
    from functions.identity.chains.rules.documents import Document


def policy_fault(policies: Mapping[str, Document], wanted: InlinePolicy, place: Place) -> str | None:
    """Say what the role's own policies keep back of a wanted one; the reason comes first where it can be seen."""
    documents = list(policies.values())
    missing = [
        f"{action} on {resource}"
        for grant in wanted.grants
        for resource in grant.resources
        for action in grant.actions
        if not granted(documents, action, str(resource))
    ]
    if not missing:
        return None
    named = [text for document in documents for each in statements(document, "Allow") for text in _resources(each)]
    reason = next((fault for text in named if (fault := _resource_fault(text, place))), None)
    lacking = f"it does not grant {', '.join(missing)}"
    return f"{reason}; {lacking}" if reason else lacking


def managed_fault(attached: Iterable[str], wanted: Arn) -> str | None:
    """Say that a managed policy is not attached."""
    return None if str(wanted) in attached else f"{wanted} is not attached"


def granted(documents: Iterable[Document], action: str, resource: str) -> bool:
    """Say whether policies grant an action on a resource without a condition, and none of them denies it."""
    pairs = [(effect, each) for each in documents for effect in ("Deny", "Allow")]
    hits = {effect for effect, document in pairs if _covers(document, effect, action, resource)}
    return hits == {"Allow"}


def _covers(document: Document, effect: str, action: str, resource: str) -> bool:
    """Say whether a statement is about an action on a resource; a condition may keep an allowance back."""
    return any(
        allows(texts(each.get("Action")), action)
        and any(matches(pattern, resource) for pattern in _resources(each))
        and not (effect == "Allow" and each.get("Condition"))
        for each in statements(document, effect)
    )


def _resources(statement: Document) -> list[str]:
    return texts(statement.get("Resource"))


def _resource_fault(text: str, place: Place) -> str | None:
    if text == "*":
        return None
    if not text.startswith("arn:"):
        return f"{text} is a name where an ARN is needed"
    partition = text.split(":")[1]
    if partition not in (place.partition, "*"):
        return f"{text} is of partition {partition}, the cluster is in {place.partition}"
    return None
