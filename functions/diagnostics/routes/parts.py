"""The second round and the third: what a cluster's parts consist of, and what that names in turn."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from functions.aws import access_entries, addons, artifacts, hyperpod, logs, quotas, security_groups, training_plans
from functions.capacity.preflight.models import Script
from functions.capacity.preflight.rules.quotas import TOTALS
from functions.core.redaction import redacted
from functions.diagnostics.models.answers import Area
from functions.diagnostics.models.facts import AddonSeen, EntrySeen, Log, Node, NodesSeen
from functions.diagnostics.routes import failures, networks
from functions.diagnostics.routes.asking import each, seen
from functions.diagnostics.rules.access import NO_ENTRIES
from functions.diagnostics.rules.capacity import plans_of, quotas_needed
from functions.diagnostics.rules.lifecycle import places_of
from functions.diagnostics.rules.logs import log_of
from functions.diagnostics.rules.security_groups import groups_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from functions.core.gathering import Asked, Gathering
    from functions.diagnostics.models.facts import Facts

Result = TypeVar("Result")

_PLANS: Final = 5
_SCRIPTS: Final = 5
_ROLES: Final = 3
_ADDONS: Final = 20
_QUOTAS: Final = 8
_GROUPS: Final = 20
_LOG_LINES: Final = 50
# Of a script so much is read: enough to see how it begins and how its lines end.
_SCRIPT_BYTES: Final = 64 * 1024


def within(known: Facts, areas: Collection[Area], around: Gathering) -> Facts:
    """Look at what the parts consist of, given which of them stand."""
    cluster, names = known.hyperpod.value, known.spec.names
    stands = known.eks.value is not None and known.eks.value.answers
    plans = _asked(around, plans_of(known), training_plans.describe, _PLANS, wanted=Area.CAPACITY in areas)
    scripts = _asked(around, places_of(known), _script, _SCRIPTS, wanted=Area.LIFECYCLE in areas)
    entries = {} if not stands or Area.ACCESS not in areas else _entries(known, around)
    installed = around.ask(
        "addons", lambda: tuple(addons.names(names.eks_cluster)), wanted=stands and Area.ADDONS in areas
    )
    wanted_quotas = quotas_needed(known)[:_QUOTAS]
    limits = around.ask(
        "quotas",
        lambda: quotas.read(wanted_quotas, TOTALS, around.in_time),
        wanted=bool(wanted_quotas) and known.hyperpod.known and Area.CAPACITY in areas,
    )
    named = [*islice(groups_of(known), _GROUPS)]
    groups = around.ask(
        "security_groups", lambda: security_groups.describe(named), wanted=bool(named) and Area.NETWORK in areas
    )
    nodes = around.ask("nodes", lambda: _nodes(names.hyperpod_cluster), wanted=bool(cluster) and Area.NODES in areas)
    events = failures.ask(known, areas, around)
    vpc = networks.ask(known, areas, around)
    around.make()
    return replace(
        known,
        plans=each(plans),
        scripts=each(scripts),
        entries=each(entries),
        addon_names=seen(installed),
        quotas=seen(limits),
        security_groups=seen(groups),
        nodes=seen(nodes),
        events=seen(events),
        vpc=vpc(),
    )


def named_by(known: Facts, areas: Collection[Area], around: Gathering) -> Facts:
    """Look at what is known by name only now: each add-on, and the log of the script that failed last."""
    cluster = known.spec.names.eks_cluster
    installed = _asked(around, known.addon_names.value or (), partial(_addon, cluster), _ADDONS, wanted=True)
    pointer = log_of(known)
    log = around.ask(
        "lifecycle_log",
        lambda: Log(*pointer, _lines(*pointer)) if pointer else None,
        wanted=pointer is not None and Area.LIFECYCLE in areas,
    )
    around.make()
    return replace(known, addons=each(installed), log=seen(log))


def _asked(
    around: Gathering, names: Iterable[str], look: Callable[[str], Result | None], most: int, *, wanted: bool
) -> dict[str, Asked[Result | None]]:
    """Ask about each of the first few of some things by itself."""
    return (
        {name: around.ask(name, partial(look, name), wanted=wanted) for name in islice(names, most)} if wanted else {}
    )


def _entries(known: Facts, around: Gathering) -> dict[str, Asked[EntrySeen | None]]:
    """Ask for the entries of our roles and of the instances'; a cluster that knows none has no answer to that."""
    eks, found = known.eks.value, known.hyperpod.value
    if eks is None or eks.found.authentication_mode == NO_ENTRIES:
        return {}
    of_instances = dict.fromkeys(group.execution_role_arn for group in found.groups) if found else {}
    principals = [*known.roles.values(), *islice(filter(None, of_instances), _ROLES)]
    held = {*known.roles.values()}
    return {
        principal: around.ask(principal, partial(_entry, eks.found.name, principal, principal in held))
        for principal in principals
    }


def _entry(cluster: str, principal: str, with_policies: bool) -> EntrySeen:
    groups = access_entries.groups(cluster, principal)
    policies = access_entries.policies(cluster, principal) if with_policies and groups is not None else []
    return EntrySeen(None if groups is None else tuple(groups), tuple(policies))


def _script(place: str) -> Script | None:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    found = artifacts.beginning(bucket, key, _SCRIPT_BYTES)
    return Script(*found) if found else None


def _addon(cluster: str, name: str) -> AddonSeen | None:
    found = addons.describe(cluster, name)
    return AddonSeen(found.name, found.status, found.version, found.issues) if found else None


def _nodes(name: str) -> NodesSeen:
    listed, complete = hyperpod.first_instances(name)
    nodes = (Node(one.instance_id, one.group, one.status, redacted(one.message)) for one in listed)
    return NodesSeen(tuple(nodes), complete)


def _lines(group: str, stream: str) -> tuple[str, ...] | None:
    found = logs.last_lines(group, stream, _LOG_LINES)
    return None if found is None else tuple(found)
