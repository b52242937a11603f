"""What keeps traffic of instances back beside routes and security groups: DNS, network ACLs, missing endpoints.

Sources: Amazon EKS user guide, "VPC considerations" (a VPC has to have DNS hostnames and DNS resolution) and "Deploy
private clusters with limited internet access"; Amazon VPC user guide, "Network ACL rules" and "Ephemeral ports".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, warned
from functions.diagnostics.rules.subnets import placed
from functions.network.subnets.rules.routing import onward

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts
    from functions.diagnostics.models.traffic import AclRule, NetworkAcl, Traffic

_DNS, _ACL, _ENDPOINTS = Name.VPC_DNS, Name.NETWORK_ACL, Name.INTERFACE_ENDPOINTS
_EVERYWHERE: Final = "0.0.0.0/0"
_TCP: Final = ("-1", "6")
# What a node joins with and pulls images by, and what those call that run on it from the beginning.
NEEDED: Final = ("ec2", "ecr.api", "ecr.dkr", "eks-auth", "sts")
# Without them it works, and its logs, sessions and HyperPod's own reports do not come through.
HELPFUL: Final = ("eks", "logs", "sagemaker.api", "ssm")


@dataclass(frozen=True)
class _Way:
    """A kind of traffic that nodes cannot do without: where it goes, and the ports that rules have to let through."""

    said: str
    outbound: bool
    ports: tuple[int, int]

    @property
    def option(self) -> str:
        return "--egress" if self.outbound else "--ingress"


# Answers come to the ports that Linux gives to those who call.
_WAYS: Final = (
    _Way("HTTPS out", outbound=True, ports=(443, 443)),
    _Way("the answers to it", outbound=False, ports=(32_768, 60_999)),
)


class _Passage(Enum):
    ALL = auto()
    SOME = auto()
    NONE = auto()


def check(facts: Facts) -> Iterator[Check]:
    """Judge the VPC, then each subnet that instances stand in, or are to stand in."""
    if not facts.traffic.asked:
        return
    if facts.traffic.value is None:
        yield from (unchecked(name, facts.traffic) for name in (_DNS, _ACL))
        return
    traffic, vpc = facts.traffic.value, facts.vpc.value
    if vpc is None:
        return
    yield _dns(traffic, vpc.vpc_id)
    for subnet_id in [each for each in placed(facts, vpc) if each in {subnet.subnet_id for subnet in vpc.subnets}]:
        apart = not onward(vpc.table_of(subnet_id))
        if acl := traffic.acl_of(subnet_id):
            yield _acl(acl, subnet_id, apart=apart)
        if apart and traffic.services:
            yield _endpoints(traffic, subnet_id)


def _dns(traffic: Traffic, vpc_id: str) -> Check:
    """Judge name resolution: nodes find the cluster, file systems and endpoints by names of the VPC."""
    settings = {"dns-support": traffic.dns_support, "dns-hostnames": traffic.dns_hostnames}
    off = [name for name, is_on in settings.items() if not is_on]
    if not off:
        return passed(_DNS, f"names are resolved in {vpc_id}, and what stands in it has names", vpc_id)
    message = f"{vpc_id} has {' and '.join(off)} switched off: nodes do not find the cluster's endpoint by its name"
    # One attribute a call.
    remedy = "; ".join(f"aws ec2 modify-vpc-attribute --vpc-id {vpc_id} --enable-{each}" for each in off)
    return failed(_DNS, Priority.P0, message, remedy, vpc_id, [fact(name, value) for name, value in settings.items()])


def _acl(acl: NetworkAcl, subnet_id: str, *, apart: bool) -> Check:
    """Judge a network ACL, which keeps no state: what goes out does not let its answers in."""
    found = {way: _passage(acl.rules, way) for way in _WAYS}
    seen = [
        fact("network_acl", acl.acl_id),
        *(fact(f"rules on {way.said}", _rules_on(acl.rules, way)) for way in _WAYS),
    ]
    shut = [way for way, passage in found.items() if passage is _Passage.NONE]
    if shut:
        message = f"{acl.acl_id} keeps {' and '.join(way.said for way in shut)} of {subnet_id} back"
        return failed(_ACL, Priority.P0, message, "; ".join(_command(acl, way) for way in shut), subnet_id, seen)
    partly = [way.said for way, passage in found.items() if passage is _Passage.SOME]
    if partly:
        message = f"{acl.acl_id} lets only a part of {' and of '.join(partly)} of {subnet_id} through"
        if apart:  # what it needs is in the VPC, or what it is given
            return noted(_ACL, message, subnet_id, seen)
        return warned(_ACL, Priority.P1, message, "See that the rules keep back nothing of AWS.", subnet_id, seen)
    return passed(_ACL, f"{acl.acl_id} lets HTTPS out of {subnet_id}, and the answers in", subnet_id)


def _command(acl: NetworkAcl, way: _Way) -> str:
    """Write the command that puts a rule in front of all others."""
    before = min((rule.number for rule in acl.rules if rule.outbound is way.outbound), default=100) - 1
    low, high = way.ports
    return (
        f"aws ec2 create-network-acl-entry --network-acl-id {acl.acl_id} {way.option} --rule-number {max(before, 1)} "
        f"--protocol tcp --port-range From={low},To={high} --cidr-block {_EVERYWHERE} --rule-action allow"
    )


def _passage(rules: Sequence[AclRule], way: _Way) -> _Passage:
    """Walk the rules by their numbers to the first that is about all of a kind of traffic; none means a refusal."""
    earlier = set[bool]()
    for rule in _about(rules, way):
        if rule.cidr == _EVERYWHERE and _covers(rule, way):
            earlier.add(rule.allows)
            break
        earlier.add(rule.allows)
    else:
        earlier.add(False)
    if earlier == {True}:
        return _Passage.ALL
    return _Passage.SOME if True in earlier else _Passage.NONE


def _about(rules: Sequence[AclRule], way: _Way) -> list[AclRule]:
    fitting = [rule for rule in rules if rule.outbound is way.outbound and rule.protocol in _TCP and _meets(rule, way)]
    return sorted(fitting, key=lambda rule: rule.number)


def _covers(rule: AclRule, way: _Way) -> bool:
    return rule.ports is None or (rule.ports[0] <= way.ports[0] and way.ports[1] <= rule.ports[1])


def _meets(rule: AclRule, way: _Way) -> bool:
    return rule.ports is None or (rule.ports[0] <= way.ports[1] and way.ports[0] <= rule.ports[1])


def _rules_on(rules: Sequence[AclRule], way: _Way) -> str:
    return few([f"{rule.number} {'allow' if rule.allows else 'deny'} {rule.cidr}" for rule in _about(rules, way)])


def _endpoints(traffic: Traffic, subnet_id: str) -> Check:
    """Judge what a subnet without a way out of the VPC reaches AWS by."""
    seen = [fact("endpoints", ", ".join(sorted(traffic.services)))]
    remedy = "Make interface endpoints with private DNS in the VPC for {}, or give the subnet a route that leads on."
    if missing := [each for each in NEEDED if each not in traffic.services]:
        message = f"{subnet_id} leads nowhere, and its VPC has no endpoint for {', '.join(missing)}: nodes do not join"
        return failed(_ENDPOINTS, Priority.P0, message, remedy.format(", ".join(missing)), subnet_id, seen)
    if missing := [each for each in HELPFUL if each not in traffic.services]:
        message = f"{subnet_id} leads nowhere, and its VPC has no endpoint for {', '.join(missing)}"
        return warned(_ENDPOINTS, Priority.P1, message, remedy.format(", ".join(missing)), subnet_id, seen)
    return passed(_ENDPOINTS, f"{subnet_id} reaches AWS through endpoints in its VPC", subnet_id)
