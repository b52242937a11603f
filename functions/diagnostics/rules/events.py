"""What HyperPod reported as failed, sorted by what has to be done about it.

Sources: SageMaker developer guide, "Troubleshooting" and "Cluster events reference" of HyperPod. Events are about
infrastructure only: nothing of NCCL or of a GPU's own faults is among them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.core.failures import recognise
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.hyperpod import short
from functions.diagnostics.rules.saying import cut, fact, failed, noted, passed, unchecked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Event, Facts, HyperPodSeen

_WORDS: Final = 260
# The codes that the control plane knows such failures by.
_BY_CODE: Final = {
    "EFA_CHECK": Name.EVENT_EFA_CHECK,
    "LIFECYCLE_SCRIPT": Name.EVENT_LIFECYCLE,
    "CAPACITY": Name.EVENT_CAPACITY,
    "CLUSTER_USAGE_QUOTA": Name.EVENT_QUOTA,
    "PLAN_ZONE": Name.EVENT_ZONE,
    "SUBNET_IP_SHORTAGE": Name.EVENT_ADDRESSES,
    "DEEP_HEALTH_CHECK": Name.EVENT_HEALTH_CHECK,
}


@dataclass(frozen=True)
class Signal:
    """Words by which a failure is known that has no code yet, and what helps."""

    check: Name
    pattern: re.Pattern[str]
    remedy: str


SIGNALS: Final = (
    Signal(
        Name.EVENT_BOOTSTRAP,
        re.compile(r"bootstrap failed|network misconfiguration|security group '?sg-\w+'? does not exist", re.I),
        "Mend what the checks of security groups, routes and the endpoint name: the instance did not reach what it "
        "starts from. HyperPod tries again by itself.",
    ),
    Signal(
        Name.EVENT_LIFECYCLE,
        re.compile(r"lifecycle (scripts?|script execution)\b.*(failed|timed out|not run)", re.I),
        "Read the end of the script's log, correct the script, and let HyperPod try again.",
    ),
    Signal(
        Name.EVENT_HARDWARE,
        re.compile(r"hardware (failure|fault)", re.I),
        "HyperPod replaces the instance where node recovery is automatic; else reboot it first, and replace it if that "
        "does not help.",
    ),
    Signal(
        Name.EVENT_ZONE,
        re.compile(r"no subnets? .*\b(az|availability zone)\b|subnet '?subnet-\w+'? does not exist", re.I),
        "Give the group a subnet in the zone of its capacity.",
    ),
    Signal(
        Name.EVENT_QUOTA,
        re.compile(r"maximum number of instances|service limit|quota", re.I),
        "Request an increase of the quota that the message names, or ask for fewer instances.",
    ),
)
_OTHER: Final = (
    "The message is all that HyperPod says. It tries again every few minutes; what fails for longer than an hour is "
    "for AWS Support, with the id of the instance."
)


def classify(words: str) -> tuple[Name, str]:
    """Say of which kind a failure is, and what helps."""
    known = recognise(words)
    if known is not None and known.code in _BY_CODE:
        return _BY_CODE[known.code], known.remedy
    signal = next((each for each in SIGNALS if each.pattern.search(words)), None)
    return (signal.check, signal.remedy) if signal else (Name.EVENT_PROVISIONING, _OTHER)


def check(facts: Facts) -> Iterator[Check]:
    """Judge the newest failure of each group; of groups that have all their instances it is history."""
    name, cluster = Name.CLUSTER_EVENTS, facts.hyperpod.value
    if cluster is None:
        return
    if not cluster.continuous:
        yield noted(name, f"{cluster.name} keeps no events: those come with continuous provisioning", cluster.arn)
        return
    if facts.events.value is None:
        yield unchecked(name, facts.events, cluster.arn)
        return
    for event in facts.events.value.events:
        yield _of(event, facts, cluster)
    if not facts.events.value.events:
        yield passed(name, f"{cluster.name} reported no failure lately", cluster.arn)
    elif more := facts.events.value.more_groups:
        yield noted(name, f"{more} more groups had failures", cluster.arn, [fact("more_groups", more)])


def _of(event: Event, facts: Facts, cluster: HyperPodSeen) -> Check:
    name, remedy = classify(event.words)
    resource = event.instance_id or event.group or cluster.arn
    where = f"the group {event.group}" if event.group else cluster.name
    seen = [
        fact("event", event.words, event.at),
        fact("instance_group", event.group),
        fact("instance_id", event.instance_id),
        fact("failures", event.count),
    ]
    if not _stands(event, facts, cluster):
        message = f"{where} has all its instances by now; before that: {cut(event.words, _WORDS)}"
        return noted(name, message, resource, seen)
    return failed(name, Priority.P0, f"{where}: {cut(event.words, _WORDS)}", remedy, resource, seen)


def _stands(event: Event, facts: Facts, cluster: HyperPodSeen) -> bool:
    """Say whether what failed has not come right since."""
    lacking = {group.name for group in short(facts)}
    return event.group in lacking if event.group else bool(lacking) or cluster.status == "Failed"
