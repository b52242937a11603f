"""Whether a cluster has already what an add-on would install: by Helm or manifests, and not by EKS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.documents import member

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    Object = Mapping[str, JsonValue]

# EKS applies the objects of its add-ons under this name.
# Source: EKS user guide, "Determine fields you can customize for Amazon EKS add-ons".
_EKS: Final = "eks"


@dataclass(frozen=True)
class Evidence:
    """What shows that software is there: its definitions, its controller's labels, one of its webhooks.

    The controller decides: definitions and webhooks that an uninstallation left behind do nothing.
    """

    definitions: tuple[str, ...]
    controller: str
    webhook: str


@dataclass(frozen=True)
class Present:
    """What a cluster has of it: Deployments with the controller's labels, names of definitions and of webhooks."""

    controllers: tuple[Object, ...]
    definitions: frozenset[str]
    webhooks: frozenset[str]


@dataclass(frozen=True)
class Copy:
    """Software of somebody else: where its controller is, who says to manage it, which parts it lacks."""

    namespace: str
    name: str
    manager: str
    missing: tuple[str, ...]

    @property
    def controller(self) -> str:
        """Name the Deployment."""
        return f"{self.namespace}/deployment/{self.name}"


def external_copy(evidence: Evidence, present: Present) -> Copy | None:
    """Find the copy that somebody else runs; None where none runs, or where its objects are those of the add-on."""
    controller = next((each for each in present.controllers if not _by_eks(each)), None)
    if controller is None:
        return None
    metadata = member(controller, "metadata")
    manager = member(metadata, "labels").get("app.kubernetes.io/managed-by")
    lacks = [name for name in evidence.definitions if name not in present.definitions]
    lacks += [evidence.webhook] if evidence.webhook not in present.webhooks else []
    return Copy(str(metadata.get("namespace")), str(metadata.get("name")), str(manager or "manifests"), tuple(lacks))


def webhooks_of(configurations: Iterable[Object]) -> frozenset[str]:
    """Name the webhooks that configurations register."""
    listed = [configuration.get("webhooks") for configuration in configurations]
    return frozenset(
        str(webhook.get("name"))
        for webhooks in listed
        if isinstance(webhooks, list)
        for webhook in webhooks
        if isinstance(webhook, dict)
    )


def _by_eks(controller: Object) -> bool:
    entries = member(controller, "metadata").get("managedFields")
    return any(
        isinstance(entry, dict) and entry.get("manager") == _EKS
        for entry in (entries if isinstance(entries, list) else [])
    )
