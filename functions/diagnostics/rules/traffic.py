"""What keeps traffic of instances back beside routes and security groups: DNS, network ACLs, missing endpoints.

Sources: Amazon EKS user guide, "VPC considerations" (a VPC has to have DNS hostnames and DNS resolution) and "Deploy
private clusters with limited internet access"; Amazon VPC user guide, "Network ACL rules" and "Ephemeral ports".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.openings import commands
from functions.diagnostics.rules.passage import Passage, Way, passage, rules_about
from functions.diagnostics.rules.saying import fact, failed, few, noted, passed, unchecked, unread, warned
from functions.diagnostics.rules.subnets import placed
from functions.network.subnets.rules.routing import onward

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts
    from functions.diagnostics.models.traffic import AclRule, Endpoints, NetworkAcl, VpcDns

_DNS, _ACL, _ENDPOINTS = Name.VPC_DNS, Name.NETWORK_ACL, Name.INTERFACE_ENDPOINTS
# What a node joins with and pulls images by, and what those call that run on it from the beginning.
NEEDED: Final = ("ec2", "ecr.api", "ecr.dkr", "eks-auth", "sts")
# Without them it works, and its logs, sessions and HyperPod's own reports do not come through.
HELPFUL: Final = ("eks", "logs", "sagemaker.api", "ssm", "ssmmessages")
_MAKE: Final = "Make interface endpoints with private DNS in the VPC for {}, or give the subnet a route that leads on."
# Nodes call from the ports that Linux gives. Pods leave by the address translation of the VPC CNI, which takes any port
# (AWS_VPC_K8S_CNI_RANDOMIZESNAT is `prng` by default), as NAT gateways do.
_CALLERS: Final = (1_024, 65_535)
_NODES: Final = (32_768, 60_999)
_WAYS: Final = (
    Way("HTTPS out", outbound=True, ports=(443, 443)),
    Way("the answers to it", outbound=False, ports=_CALLERS, core=_NODES),
)


def check(facts: Facts) -> Iterator[Check]:
    """Judge the VPC, then each subnet that instances stand in, or are to stand in."""
    yield from [_dns(facts.dns.value)] if facts.dns.value else unread(_DNS, facts.dns)
    yield from unread(_ACL, facts.acls, facts.vpc)
    vpc = facts.vpc.value
    if vpc is None:
        return
    for subnet_id in [each for each in placed(facts, vpc) if each in {subnet.subnet_id for subnet in vpc.subnets}]:
        apart = not onward(vpc.table_of(subnet_id))
        if acl := _acl_of(facts, subnet_id):
            yield _acl(acl, subnet_id, apart=apart)
        if apart:
            yield from _endpoints_for(facts, subnet_id)


def _acl_of(facts: Facts, subnet_id: str) -> NetworkAcl | None:
    """Give the network ACL of a subnet: it has exactly one."""
    return next((each for each in facts.acls.value or () if subnet_id in each.subnet_ids), None)


def _endpoints_for(facts: Facts, subnet_id: str) -> Iterator[Check]:
    if facts.endpoints.why:
        yield unchecked(_ENDPOINTS, facts.endpoints, subnet_id)
    elif facts.endpoints.value and facts.endpoints.value.interfaces:
        yield _endpoints(facts.endpoints.value, subnet_id)


def _dns(dns: VpcDns) -> Check:
    """Judge name resolution: nodes find the cluster, file systems and endpoints by names of the VPC."""
    vpc_id, settings = dns.vpc_id, {"dns-support": dns.support, "dns-hostnames": dns.hostnames}
    off = [name for name, is_on in settings.items() if not is_on]
    if not off:
        return passed(_DNS, f"names are resolved in {vpc_id}, and what stands in it has names", vpc_id)
    message = f"{vpc_id} has {' and '.join(off)} switched off: nodes do not find the cluster's endpoint by its name"
    # One attribute a call.
    remedy = "; ".join(f"aws ec2 modify-vpc-attribute --vpc-id {vpc_id} --enable-{each}" for each in off)
    return failed(_DNS, Priority.P0, message, remedy, vpc_id, [fact(name, value) for name, value in settings.items()])


def _acl(acl: NetworkAcl, subnet_id: str, *, apart: bool) -> Check:
    """Judge a network ACL, which keeps no state: what goes out does not let its answers in."""
    found = {way: passage(acl.rules, way) for way in _WAYS}
    seen = [
        fact("network_acl", acl.acl_id),
        *(fact(f"rules on {way.said}", _rules_on(acl.rules, way)) for way in _WAYS),
    ]
    shut = [way for way, passage in found.items() if passage is Passage.NONE]
    if shut:
        message = f"{acl.acl_id} keeps {' and '.join(way.said for way in shut)} of {subnet_id} back"
        return failed(_ACL, Priority.P0, message, commands(acl, shut), subnet_id, seen)
    partly = [way for way, passage in found.items() if passage is Passage.SOME]
    if partly:
        message = (
            f"{acl.acl_id} lets only a part of {' and of '.join(way.said for way in partly)} of {subnet_id} through"
        )
        if apart:  # what it needs is in the VPC, or what it is given
            return noted(_ACL, message, subnet_id, seen)
        remedy = f"See that nothing of AWS is kept back, or: {commands(acl, partly)}"
        return warned(_ACL, Priority.P1, message, remedy, subnet_id, seen)
    return passed(_ACL, f"{acl.acl_id} lets HTTPS out of {subnet_id}, and the answers in", subnet_id)


def _rules_on(rules: Sequence[AclRule], way: Way) -> str:
    return few([_said(rule) for rule in rules_about(rules, way)])


def _said(rule: AclRule) -> str:
    ports = f" {rule.ports[0]}-{rule.ports[1]}" if rule.ports else ""
    return f"{rule.number} {'allow' if rule.allows else 'deny'} {rule.cidr}{ports}"


def _endpoints(endpoints: Endpoints, subnet_id: str) -> Check:
    """Judge what a subnet without a way out of the VPC reaches AWS by."""
    seen = [fact("endpoints", ", ".join(sorted(endpoints.services)))]
    seen.append(fact("endpoints without private DNS", ", ".join(sorted(endpoints.nameless))))
    lacking = [each for each in (*NEEDED, *HELPFUL) if each not in endpoints.interfaces]
    if missing := [each for each in lacking if each in NEEDED]:
        message = f"{subnet_id} leads nowhere, and its VPC has no endpoint for {', '.join(missing)}: nodes do not join"
        return failed(_ENDPOINTS, Priority.P0, message, _MAKE.format(", ".join(missing)), subnet_id, seen)
    if nameless := [each for each in (*NEEDED, *HELPFUL) if each in endpoints.nameless]:
        message = (
            f"{subnet_id} leads nowhere, and the endpoints of its VPC for {', '.join(nameless)} have no private DNS: "
            "they serve only where something else gives the names of these services their addresses"
        )
        remedy = (
            "Switch private DNS on (aws ec2 modify-vpc-endpoint --private-dns-enabled), or see that a private hosted "
            "zone of the VPC has the names."
        )
        return warned(_ENDPOINTS, Priority.P1, message, remedy, subnet_id, seen)
    if lacking:
        message = f"{subnet_id} leads nowhere, and its VPC has no endpoint for {', '.join(lacking)}"
        return warned(_ENDPOINTS, Priority.P1, message, _MAKE.format(", ".join(lacking)), subnet_id, seen)
    message = (
        f"{subnet_id} reaches AWS through endpoints in its VPC, whose security groups and policies are not checked"
    )
    return passed(_ENDPOINTS, message, subnet_id)
