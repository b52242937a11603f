"""Network ACLs of all subnets that nodes depend on: a NAT gateway's and the control plane's, beside their own."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Network
from typing import Final

import pytest

from functions.diagnostics.models.answers import Name, Priority, Status
from functions.diagnostics.models.facts import Facts, Seen
from functions.diagnostics.models.traffic import AclRule, Endpoints, NetworkAcl
from functions.network.subnets.models import Subnet
from tests.unit.test_diagnosis_rules import eks, facts, found, vpc

FAIL, WARN, PASS = Status.FAIL, Status.WARN, Status.PASS
P0, P1 = Priority.P0, Priority.P1
EVERYWHERE, NODES, DOORS, ENDS = "0.0.0.0/0", "10.0.0.0/20", "10.0.32.0/24", "10.0.64.0/24"
CALLERS: Final = (1024, 65535)


def rule(number: int, outbound: bool, ports: tuple[int, int] | None, cidr: str, allows: bool = True) -> AclRule:
    return AclRule(number, outbound, allows, "6" if ports else "-1", cidr, ports)


LAST: Final = tuple(rule(32767, outbound, None, EVERYWHERE, allows=False) for outbound in (True, False))
OPEN: Final = tuple(rule(100, outbound, None, EVERYWHERE) for outbound in (True, False))
# What each subnet needs at least, and nothing beside it.
OF_NODES: Final = (
    rule(100, True, (443, 443), EVERYWHERE),
    rule(110, True, (32768, 60999), DOORS),
    rule(100, False, CALLERS, EVERYWHERE),
)
OF_NAT: Final = (
    rule(100, False, (443, 443), NODES),
    rule(110, False, CALLERS, EVERYWHERE),
    rule(100, True, (443, 443), EVERYWHERE),
    rule(110, True, CALLERS, NODES),
)
OF_DOORS: Final = (
    rule(100, False, (443, 443), NODES),
    rule(110, False, (32768, 60999), NODES),
    rule(100, True, (10250, 10250), NODES),
    rule(110, True, (32768, 60999), NODES),
)


def world(nodes: tuple[AclRule, ...], nat: tuple[AclRule, ...], doors: tuple[AclRule, ...], **stands: object) -> Facts:
    """Nodes, their NAT gateway and the control plane in subnets of their own, each with an ACL of its own."""
    network, [first] = vpc(), vpc().subnets
    ranges = {"subnet-nat": "10.0.16.0/24", "subnet-doors": DOORS, "subnet-else": "10.0.48.0/24"}
    others = [replace(first, subnet_id=name, cidr=IPv4Network(cidr)) for name, cidr in ranges.items()]
    subnets: tuple[Subnet, ...] = (first, *others)
    acls = {"subnet-1": nodes, "subnet-nat": nat, "subnet-doors": doors, "subnet-else": ()}
    return facts(
        vpc=Seen(replace(network, subnets=subnets)),
        nat_subnets={"nat-1": "subnet-nat", "nat-2": "subnet-else"},
        eks=Seen(eks(subnet_ids=["subnet-doors"], **stands)),
        acls=Seen(tuple(NetworkAcl(f"acl-{name}", frozenset({name}), (*LAST, *own)) for name, own in acls.items())),
    )


OF_ENDS: Final = (rule(100, False, (443, 443), NODES), rule(100, True, (32768, 60999), NODES))


def with_endpoints(ends: tuple[AclRule, ...], *services: str, nodes: tuple[AclRule, ...] = OF_NODES) -> Facts:
    """The same with interface endpoints in a subnet of their own, and others elsewhere that no node calls."""
    known = world(nodes, OF_NAT, OF_DOORS)
    assert known.vpc.value
    assert known.acls.value
    last = replace(known.vpc.value.subnets[0], subnet_id="subnet-ends", cidr=IPv4Network(ENDS))
    acl = NetworkAcl("acl-subnet-ends", frozenset({"subnet-ends"}), (*LAST, *ends))
    endpoints = Endpoints(
        frozenset({*services, "kinesis"}),
        subnets={"subnet-ends": frozenset(services), "subnet-else": frozenset({"kinesis"})},
    )
    return replace(
        known,
        vpc=Seen(replace(known.vpc.value, subnets=(*known.vpc.value.subnets, last))),
        acls=Seen((*known.acls.value, acl)),
        endpoints=Seen(endpoints),
    )


def wrong(known: Facts) -> dict[str | None, tuple[Status, Priority | None]]:
    return {
        each.resource: (each.status, each.priority)
        for each in found(known, Name.NETWORK_ACL)
        if each.status is not PASS
    }


def test_what_each_subnet_needs_is_enough_and_subnets_of_nobody_are_not_judged() -> None:
    known = world(OF_NODES, OF_NAT, OF_DOORS)
    assert wrong(known) == {}
    judged = {"acl-subnet-1", "acl-subnet-nat", "acl-subnet-doors"}
    assert {each.resource for each in found(known, Name.NETWORK_ACL)} == judged


def test_an_acl_that_is_right_for_all_of_its_subnets_is_told_once() -> None:
    known = world(OPEN, OPEN, OPEN)
    shared = NetworkAcl("acl-1", frozenset({"subnet-1", "subnet-nat", "subnet-doors", "subnet-else"}), (*LAST, *OPEN))
    [check] = found(replace(known, acls=Seen((shared,))), Name.NETWORK_ACL)
    assert (check.status, check.resource) == (PASS, "acl-1")
    assert "of subnet-1, subnet-nat, subnet-doors: HTTPS out, " in check.message


@pytest.mark.parametrize(
    ("subnet", "needed", "without", "judged"),
    [
        *(("subnet-nat", OF_NAT, each, (FAIL, P0)) for each in range(4)),
        ("subnet-doors", OF_DOORS, 0, (FAIL, P0)),
        ("subnet-doors", OF_DOORS, 1, (FAIL, P1)),
        ("subnet-doors", OF_DOORS, 2, (FAIL, P1)),
        ("subnet-doors", OF_DOORS, 3, (FAIL, P0)),
        ("subnet-1", OF_NODES, 0, (FAIL, P0)),
        ("subnet-1", OF_NODES, 1, (FAIL, P1)),
        ("subnet-1", OF_NODES, 2, (FAIL, P0)),
    ],
)
def test_each_of_them_is_missed_and_what_the_remedy_says_helps(
    subnet: str, needed: tuple[AclRule, ...], without: int, judged: tuple[Status, Priority]
) -> None:
    rules = {"subnet-1": OPEN, "subnet-nat": OPEN, "subnet-doors": OPEN}
    rules[subnet] = (*needed[:without], *needed[without + 1 :])
    for _ in range(3):
        known = world(*rules.values())
        if not (faults := wrong(known)):
            break
        assert {*faults} == {subnet}
        [remedy] = [each.remedy or "" for each in found(known, Name.NETWORK_ACL) if each.resource == subnet]
        rules[subnet] = (*rules[subnet], *(opened(command) for command in remedy.split("; ") if "entry" in command))
    assert wrong(world(*rules.values())) == {}
    rules[subnet] = (*needed[:without], *needed[without + 1 :])
    assert wrong(world(*rules.values())) == {subnet: judged}


def opened(command: str) -> AclRule:
    """The rule that a command of the AWS CLI makes."""
    words = command.split()
    assert words[:3] == ["aws", "ec2", "create-network-acl-entry"]
    low, high = (int(each.partition("=")[2]) for each in words[words.index("--port-range") + 1].split(","))
    number, cidr = int(words[words.index("--rule-number") + 1]), words[words.index("--cidr-block") + 1]
    return rule(number, "--egress" in words, (low, high), cidr)


def test_a_nat_gateway_whose_answers_come_to_a_part_of_its_ports_drops_some_connections() -> None:
    narrow = (*OF_NAT[:1], rule(110, False, (32768, 60999), EVERYWHERE), *OF_NAT[2:])
    assert wrong(world(OF_NODES, narrow, OF_DOORS)) == {"subnet-nat": (WARN, P1)}


def test_nodes_that_reach_a_public_endpoint_alone_need_no_way_to_its_interfaces() -> None:
    assert wrong(world(OF_NODES, OF_NAT, OF_DOORS[1:3], private_endpoint=False)) == {}


def test_who_stands_in_one_subnet_asks_no_acl() -> None:
    known = world(OF_NODES, OPEN, OPEN)
    together = replace(known, eks=Seen(eks(subnet_ids=["subnet-1"])))
    assert wrong(replace(together, acls=world((OF_NODES[0], OF_NODES[2]), OF_NAT, ()).acls)) == {}


def test_a_control_plane_that_could_not_be_read_is_told_where_acls_pass() -> None:
    known = replace(world(OPEN, OPEN, OPEN), eks=Seen(why="AWS did not answer"))
    [check] = [each for each in found(known, Name.NETWORK_ACL) if each.resource == "acl-subnet-1"]
    assert check.message.endswith("; what the control plane needs is not checked")


# -- of endpoints


def test_what_endpoints_take_from_nodes_is_enough_and_those_that_no_node_calls_are_not_judged() -> None:
    known = with_endpoints(OF_ENDS, "ecr.api", "logs")
    assert wrong(known) == {}
    [check] = [each for each in found(known, Name.NETWORK_ACL) if each.resource == "acl-subnet-ends"]
    assert "subnet-ends: HTTPS from nodes to endpoints, answers of endpoints to nodes" in check.message


@pytest.mark.parametrize(("services", "priority"), [(("ecr.api", "logs"), P0), (("logs",), P1)])
@pytest.mark.parametrize("without", range(2))
def test_an_acl_that_keeps_endpoints_from_nodes_weighs_as_much_as_what_they_are_for(
    services: tuple[str, ...], priority: Priority, without: int
) -> None:
    lacking = (*OF_ENDS[:without], *OF_ENDS[without + 1 :])
    known = with_endpoints(lacking, *services)
    assert wrong(known) == {"subnet-ends": (FAIL, priority)}
    [remedy] = [each.remedy or "" for each in found(known, Name.NETWORK_ACL) if each.resource == "subnet-ends"]
    assert wrong(with_endpoints((*lacking, opened(remedy)), *services)) == {}


def test_nodes_that_reach_everything_but_the_endpoints_of_their_vpc_are_named() -> None:
    refused = (rule(50, True, (443, 443), ENDS, allows=False), *OF_NODES)
    assert wrong(with_endpoints(OF_ENDS, "sts", nodes=refused)) == {"subnet-1": (FAIL, P0)}
    unanswered = (rule(50, False, None, ENDS, allows=False), *OF_NODES)
    assert wrong(with_endpoints(OF_ENDS, "ssm", nodes=unanswered)) == {"subnet-1": (FAIL, P1)}


@pytest.mark.parametrize(
    ("beside", "priority"), [((), P0), (("ecr.api",), P0), (("sts",), P1), (("ecr.api", "logs", "sts"), P1)]
)
def test_what_nodes_have_beside_them_as_well_is_not_kept_from_them_by_an_acl_elsewhere(
    beside: tuple[str, ...], priority: Priority
) -> None:
    refused = (rule(50, True, (443, 443), ENDS, allows=False), *OF_NODES)
    for ends, nodes, named in (((), OF_NODES, "subnet-ends"), (OF_ENDS, refused, "subnet-1")):
        known = with_endpoints(ends, "sts", "logs", nodes=nodes)
        assert known.endpoints.value
        subnets = {**known.endpoints.value.subnets, "subnet-1": frozenset(beside)}
        known = replace(known, endpoints=Seen(replace(known.endpoints.value, subnets=subnets)))
        assert wrong(known) == {named: (FAIL, priority)}


def test_endpoints_that_could_not_be_read_are_told_where_acls_pass() -> None:
    known = replace(with_endpoints(OF_ENDS, "sts"), endpoints=Seen(why="AWS did not answer"))
    assert wrong(known) == {}
    [check] = [each for each in found(known, Name.NETWORK_ACL) if each.resource == "acl-subnet-1"]
    assert check.message.endswith("; what endpoints need is not checked")
