"""What keeps traffic of instances back beside routes, security groups and network ACLs: DNS, missing endpoints.

Sources: Amazon EKS user guide, "VPC considerations" (a VPC has to have DNS hostnames and DNS resolution) and "Deploy
private clusters with limited internet access".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import fact, failed, passed, unchecked, unread, warned
from functions.diagnostics.rules.subnets import placed
from functions.network.subnets.rules.routing import onward

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts
    from functions.diagnostics.models.traffic import Endpoints, VpcDns

_DNS, _ENDPOINTS = Name.VPC_DNS, Name.INTERFACE_ENDPOINTS
# What a node joins with and pulls images by, and what those call that run on it from the beginning.
NEEDED: Final = ("ec2", "ecr.api", "ecr.dkr", "eks-auth", "sts")
# Without them it works, and its logs, sessions and HyperPod's own reports do not come through.
HELPFUL: Final = ("eks", "logs", "sagemaker.api", "ssm", "ssmmessages")
_MAKE: Final = "Make interface endpoints with private DNS in the VPC for {}, or give the subnet a route that leads on."


def check(facts: Facts) -> Iterator[Check]:
    """Judge the VPC, then each subnet that instances stand in, or are to stand in."""
    yield from [_dns(facts.dns.value)] if facts.dns.value else unread(_DNS, facts.dns)
    vpc = facts.vpc.value
    if vpc is None:
        return
    for subnet_id in [each for each in placed(facts, vpc) if each in {subnet.subnet_id for subnet in vpc.subnets}]:
        if not onward(vpc.table_of(subnet_id)):
            yield from _endpoints_for(facts, subnet_id)


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
