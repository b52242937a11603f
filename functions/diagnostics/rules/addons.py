"""EKS add-ons: those that nodes and pods cannot do without, and what EKS says of each that is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned
from functions.features.rules import broken, facts_of, headline, older, remedy_for, stands

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from functions.diagnostics.models.answers import Check, Fact
    from functions.diagnostics.models.facts import AddonSeen, Facts

_NAME: Final = Name.ADDON
# Without these no node gets ready; the stack installs them.
OF_NODES: Final = ("vpc-cni", "kube-proxy")
# These come with the dependencies.
_OF_DEPENDENCIES: Final = ("coredns", "eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver")


def check(facts: Facts) -> Iterator[Check]:
    """Judge what is missing, then what is installed; those that are well are told together."""
    if not facts.addon_names.asked:
        yield from unread(_NAME, facts.eks)
        return
    if facts.addon_names.value is None:
        yield unchecked(_NAME, facts.addon_names)
        return
    yield from _missing(facts, facts.addon_names.value)
    well: list[str] = []
    for name, seen in facts.addons.items():
        if not seen.known:
            yield unchecked(_NAME, seen, name)
        elif seen.value and (found := _fault(facts, seen.value)):
            yield found
        elif seen.value:
            well.append(name)
    if well:
        yield passed(_NAME, f"{few(well)} are well")


def _missing(facts: Facts, installed: Collection[str]) -> Iterator[Check]:
    """Say what is not there; who imports a cluster may run the same software without add-ons."""
    tag, imported = facts.spec.tag, facts.spec.origin == "imported"
    for name in (each for each in OF_NODES if each not in installed):
        message = f"the add-on {name} is not installed"
        if imported:
            yield noted(_NAME, f"{message}: others may run it in another way", name)
        else:
            remedy = f"POST /api/clusters/{tag}/drift, then POST /api/clusters/{tag}/repair: the stack installs it."
            yield failed(_NAME, Priority.P0, f"{message}: nodes do not get ready without it", remedy, name)
    for name in (each for each in _OF_DEPENDENCIES if each not in installed and not imported):
        if facts.ledger.says("DependenciesReady"):
            remedy = f"POST /api/clusters/{tag}/dependencies installs it again."
            yield failed(_NAME, Priority.P1, f"the add-on {name} was installed and is gone", remedy, name)
        else:
            yield noted(_NAME, f"the add-on {name} is not there yet", name)


def _fault(facts: Facts, addon: AddonSeen) -> Check | None:
    """Say what is wrong with an add-on; None when nothing is."""
    seen = [
        fact("status", addon.status),
        fact("version", addon.version),
        *(fact(f"issue {code}", message) for code, message in addon.issues.items()),
    ]
    said = f"the add-on {addon.name} is {addon.status}"
    if stands(addon.status, addon.issues):
        return _of_standing(facts, addon, said, seen)
    if broken(addon.status, addon.issues):
        code, message = headline(addon.issues) or ("", "EKS gives no reason")
        priority = Priority.P0 if addon.name in OF_NODES else Priority.P1
        return failed(_NAME, priority, f"{said}: {code} {message}", remedy_for(code), addon.name, seen)
    return noted(_NAME, said, addon.name, seen)


def _of_standing(facts: Facts, addon: AddonSeen, said: str, seen: list[Fact | None]) -> Check | None:
    minimum = facts_of(addon.name).minimum
    if minimum is not None and older(addon.version, minimum):
        message = f"the add-on {addon.name} is {addon.version}; HyperPod needs {minimum} or newer"
        remedy = f"POST /api/clusters/{facts.spec.tag}/dependencies brings it up to date."
        return warned(_NAME, Priority.P1, message, remedy, addon.name, seen)
    if addon.status == "ACTIVE":
        return None
    if _has_nodes(facts):
        message = f"{said} for want of nodes, though instances run"
        remedy = "See whether the nodes are Ready, and which taints keep the add-on's pods off them."
        return warned(_NAME, Priority.P1, message, remedy, addon.name, seen)
    return noted(_NAME, f"{said}: it waits for the first node", addon.name, seen)


def _has_nodes(facts: Facts) -> bool:
    return facts.hyperpod.value is not None and any(group.current for group in facts.hyperpod.value.groups)
