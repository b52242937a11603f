"""The second round and the third: what a cluster's parts consist of, and what that names in turn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from functions.aws import (
    access_entries,
    addons,
    artifacts,
    hyperpod,
    iam,
    logs,
    quotas,
    security_groups,
    training_plans,
)
from functions.capacity.preflight.models import Script
from functions.capacity.preflight.rules.quotas import TOTALS
from functions.core.redaction import redacted
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import AddonSeen, EntrySeen, Log, Node, NodesSeen
from functions.diagnostics.routes import failures, networks
from functions.diagnostics.routes.asking import few, seen
from functions.diagnostics.rules.access import NO_ENTRIES
from functions.diagnostics.rules.capacity import plans_of, quotas_needed
from functions.diagnostics.rules.execution_roles import roles_of
from functions.diagnostics.rules.lifecycle import places_of
from functions.diagnostics.rules.logs import log_of
from functions.diagnostics.rules.security_groups import groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from pydantic import JsonValue

    from functions.capacity.preflight.models import Quota, SecurityGroup
    from functions.core.gathering import Asked, Gathering
    from functions.diagnostics.models.facts import Facts, Seen

_PLANS: Final = 5
_SCRIPTS: Final = 5
_ROLES: Final = 3
_ADDONS: Final = 12
_QUOTAS: Final = 8
_LOG_LINES: Final = 50
# Of a script so much is read: enough to see how it begins and how its lines end.
_SCRIPT_BYTES: Final = 64 * 1024


def within(known: Facts, areas: Collection[Area], around: Gathering) -> Facts:
    """Look at what the parts consist of, given which of them stand."""
    plans = few(around, plans_of(known) if Area.CAPACITY in areas else (), training_plans.describe, _PLANS)
    scripts = few(around, places_of(known) if Area.LIFECYCLE in areas else (), _script, _SCRIPTS)
    entries = _entries(known, areas, around)
    trusts = few(around, roles_of(known) if Area.ACCESS in areas else (), _trust, _ROLES)
    installed = _installed(known, areas, around)
    limits, groups = _limits(known, areas, around), _groups(known, areas, around)
    nodes, events = _nodes(known, areas, around), failures.ask(known, areas, around)
    network = networks.ask(known, areas, around)
    around.make()
    whole = replace(
        known,
        plans=plans(),
        scripts=scripts(),
        entries=entries(),
        trusts=trusts(),
        addon_names=seen(installed),
        quotas=seen(limits),
        security_groups=seen(groups),
        nodes=seen(nodes),
        events=seen(events),
    )
    return network(whole)


def _installed(known: Facts, areas: Collection[Area], around: Gathering) -> Asked[tuple[str, ...]]:
    name, wanted = known.spec.names.eks_cluster, _answers(known) and Area.ADDONS in areas
    return around.ask("addons", lambda: tuple(addons.names(name)), wanted=wanted)


def _limits(known: Facts, areas: Collection[Area], around: Gathering) -> Asked[dict[str, Quota]]:
    """Ask for quotas where instances are wanting: those that are there are within them."""
    names = quotas_needed(known)[:_QUOTAS]
    wanted = bool(names) and known.hyperpod.known and Area.CAPACITY in areas
    return around.ask("quotas", lambda: quotas.read(names, TOTALS, around.in_time), wanted=wanted)


def _groups(known: Facts, areas: Collection[Area], around: Gathering) -> Asked[dict[str, SecurityGroup]]:
    named = [*groups_of(known)]
    wanted = bool(named) and Area.NETWORK in areas
    return around.ask("security_groups", lambda: security_groups.describe(named), wanted=wanted)


def _nodes(known: Facts, areas: Collection[Area], around: Gathering) -> Asked[NodesSeen]:
    name, wanted = known.spec.names.hyperpod_cluster, known.hyperpod.value is not None and Area.NODES in areas
    return around.ask("nodes", lambda: _listed(name), wanted=wanted)


def _answers(known: Facts) -> bool:
    return known.eks.value is not None and known.eks.value.answers


def named_by(known: Facts, areas: Collection[Area], around: Gathering) -> Facts:
    """Look at what is known by name only now: each add-on, and the log of the script that failed last."""
    cluster = known.spec.names.eks_cluster
    installed = few(around, known.addon_names.value or (), partial(_addon, cluster), _ADDONS)
    pointer = log_of(known)
    log = around.ask(
        "lifecycle_log",
        lambda: Log(*pointer, _lines(*pointer)) if pointer else None,
        wanted=pointer is not None and Area.LIFECYCLE in areas,
    )
    around.make()
    return replace(known, addons=installed(), log=seen(log))


def _entries(known: Facts, areas: Collection[Area], around: Gathering) -> Callable[[], dict[str, Seen[EntrySeen]]]:
    """Ask for the entries of our roles and of the instances'; a cluster that knows none has no answer to that."""
    eks, found = known.eks.value, known.hyperpod.value
    if eks is None or not eks.answers or eks.found.authentication_mode == NO_ENTRIES or Area.ACCESS not in areas:
        return dict
    ours = [*known.roles.values()]
    of_instances = [group.execution_role_arn for group in found.groups if group.execution_role_arn] if found else []
    look = partial(_entry, eks.found.name, ours)
    return few(around, dict.fromkeys((*ours, *of_instances)), look, len(ours) + _ROLES)


def _entry(cluster: str, ours: Collection[str], principal: str) -> EntrySeen:
    groups = access_entries.groups(cluster, principal)
    policies = access_entries.policies(cluster, principal) if principal in ours and groups is not None else []
    return EntrySeen(None if groups is None else tuple(groups), tuple(policies))


def _trust(arn: str) -> Mapping[str, JsonValue] | None:
    return iam.trust_of(arn.rpartition("/")[2])


def _script(place: str) -> Script | None:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    found = artifacts.beginning(bucket, key, _SCRIPT_BYTES)
    return Script(*found) if found else None


def _addon(cluster: str, name: str) -> AddonSeen | None:
    found = addons.describe(cluster, name)
    return AddonSeen(found.name, found.status, found.version, found.issues) if found else None


def _listed(name: str) -> NodesSeen:
    listed, complete = hyperpod.first_instances(name)
    nodes = (Node(one.instance_id, one.group, one.status, redacted(one.message)) for one in listed)
    return NodesSeen(tuple(nodes), complete)


def _lines(group: str, stream: str) -> tuple[str, ...] | None:
    found = logs.last_lines(group, stream, _LOG_LINES)
    return None if found is None else tuple(found)
