"""Who gets into the cluster: by which mode, and whether the control plane's roles and the instances' role have entries.

Source: SageMaker developer guide, "Prerequisites" of HyperPod on EKS: the mode is API or API_AND_CONFIG_MAP, and
HyperPod makes an entry of its own for each execution role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned
from functions.identity.rules import ACCESS, entry_drifts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import EksSeen, EntrySeen, Facts

_MODE, _ENTRY = Name.AUTHENTICATION_MODE, Name.ACCESS_ENTRY
NO_ENTRIES: Final = "CONFIG_MAP"


def check(facts: Facts) -> Iterator[Check]:
    """Judge the mode, then each entry; a cluster that does not stand has neither."""
    if facts.eks.value is None or not facts.eks.value.answers:
        yield from unread(_MODE, facts.eks)
        return
    yield _mode(facts.eks.value)
    well: list[str] = []
    for principal, seen in facts.entries.items():
        if not seen.known:
            yield unchecked(_ENTRY, seen, principal)
        elif fault := _fault(facts, principal, seen.value):
            yield fault
        else:
            well.append(principal.rpartition("/")[2])
    if well:
        yield passed(_ENTRY, f"{few(well)} get into the cluster")


def _mode(eks: EksSeen) -> Check:
    name, mode = eks.found.name, eks.found.authentication_mode
    if mode != NO_ENTRIES:
        return passed(_MODE, f"{name} knows access entries ({mode})", eks.found.arn)
    remedy = (
        f"aws eks update-cluster-config --name {name} --access-config authenticationMode=API_AND_CONFIG_MAP; there is "
        "no way back."
    )
    message = f"{name} knows the ConfigMap aws-auth only: HyperPod cannot let its instances in"
    return failed(_MODE, Priority.P0, message, remedy, eks.found.arn, [fact("authentication_mode", mode)])


def _fault(facts: Facts, principal: str, entry: EntrySeen | None) -> Check | None:
    """Say what an entry lacks; None when it is as it has to be."""
    role = next((name for name, arn in facts.roles.items() if arn == principal), None)
    if role is None:
        return _of_instances(principal, entry)
    groups = None if entry is None or entry.groups is None else [*entry.groups]
    drifts = entry_drifts(role, principal, groups, [*(entry.policies if entry else ())])
    if not drifts:
        return None
    said = few([f"{each.property or 'entry'} {each.actual}" for each in drifts])
    message = f"the control plane's role {role} does not get into the cluster as it has to: {said}"
    seen = [fact("groups", few(groups or [])), fact("policies", few(entry.policies if entry else ()))]
    if facts.spec.origin == "imported":
        remedy = "Import the cluster again with consent to make access entries, or let its administrator make them."
        return warned(_ENTRY, Priority.P1, message, remedy, principal, seen)
    if not facts.ledger.says("FoundationReady"):
        return noted(_ENTRY, f"not there yet: {message}", principal, seen)
    remedy = f"POST /api/clusters/{facts.spec.tag}/dependencies makes the entry ({ACCESS[role].role.value}) again."
    return failed(_ENTRY, Priority.P0, message, remedy, principal, seen)


def _of_instances(principal: str, entry: EntrySeen | None) -> Check | None:
    if entry is not None and entry.groups is not None:
        return None
    message = f"the execution role {principal.rpartition('/')[2]} has no access entry: its instances never become nodes"
    remedy = (
        "HyperPod makes the entry with the cluster. Make it again (type HYPERPOD_LINUX), then replace the instances."
    )
    return failed(_ENTRY, Priority.P0, message, remedy, principal)
