"""What keeps traffic of instances back beside routes: settings of the VPC, rules of its ACLs, endpoints that lack."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Never

import pytest

from functions.diagnostics import rules
from functions.diagnostics.models.answers import Area, Name, Priority, Status
from functions.diagnostics.models.facts import Facts, Seen
from functions.diagnostics.models.traffic import AclRule, Endpoints, NetworkAcl, VpcDns
from functions.diagnostics.rules.saying import is_unchecked
from functions.diagnostics.rules.traffic import HELPFUL, NEEDED
from functions.network.subnets.models import S3Endpoint, Vpc
from tests.unit.test_diagnosis_rules import WHY, facts, found, heaviest, vpc

FAIL, WARN, INFO, PASS = Status.FAIL, Status.WARN, Status.INFO, Status.PASS
P0, P1, P2 = Priority
EVERYWHERE: Final = "0.0.0.0/0"
# What no rule fits is refused, which EC2 lists as a rule too.
LAST: Final = (
    AclRule(32767, outbound=True, allows=False, protocol="-1", cidr=EVERYWHERE),
    AclRule(32767, outbound=False, allows=False, protocol="-1", cidr=EVERYWHERE),
)
OUT: Final = AclRule(100, outbound=True, allows=True, protocol="-1", cidr=EVERYWHERE)
IN: Final = replace(OUT, outbound=False)


def acl(*own: AclRule, **changes: object) -> Facts:
    rule_set = NetworkAcl("acl-1", frozenset({"subnet-1"}), (*LAST, *own))
    dns = VpcDns("vpc-1", support=True, hostnames=True)
    return replace(facts(dns=Seen(dns), acls=Seen((rule_set,)), endpoints=Seen(Endpoints())), **changes)  # type: ignore[arg-type]


def served(*services: str, nameless: tuple[str, ...] = ()) -> Seen[Endpoints]:
    return Seen(Endpoints(frozenset(services) - {*nameless}, frozenset(nameless)))


@pytest.mark.parametrize(
    ("support", "hostnames", "judged", "commands"),
    [(True, True, PASS, 0), (False, True, FAIL, 1), (True, False, FAIL, 1), (False, False, FAIL, 2)],
)
def test_a_vpc_needs_both_settings_of_dns(support: bool, hostnames: bool, judged: Status, commands: int) -> None:
    [check] = found(acl(dns=Seen(VpcDns("vpc-1", support, hostnames))), Name.VPC_DNS)
    assert (check.status, check.priority) == (judged, P0 if judged is FAIL else None)
    assert (check.remedy or "").count("modify-vpc-attribute") == commands


TCP: Final = replace(IN, protocol="6")
HALVES: Final = (replace(IN, cidr="0.0.0.0/1"), replace(IN, number=110, cidr="128.0.0.0/1"))


@pytest.mark.parametrize(
    ("own", "judged"),
    [
        ((OUT, IN), PASS),
        ((OUT,), FAIL),
        ((IN,), FAIL),
        ((), FAIL),
        ((OUT, IN, replace(IN, number=50, allows=False)), FAIL),
        ((OUT, IN, replace(IN, number=200, allows=False)), PASS),
        ((OUT, IN, replace(IN, number=50, allows=False, cidr="10.0.0.0/8")), WARN),
        ((OUT, replace(IN, cidr="10.0.0.0/8")), WARN),
        ((OUT, replace(TCP, ports=(1024, 65535))), PASS),
        # Pods leave by any port of 1024-65535, nodes themselves by 32768-60999.
        ((OUT, replace(TCP, ports=(32768, 60999))), WARN),
        ((OUT, replace(TCP, ports=(1024, 32767))), FAIL),
        ((OUT, replace(TCP, ports=(32768, 33000))), FAIL),
        ((OUT, IN, replace(TCP, number=50, ports=(1024, 32767), allows=False)), WARN),
        ((OUT, IN, replace(TCP, number=50, ports=(1024, 60000), allows=False)), FAIL),
        ((OUT, replace(TCP, ports=(1024, 40000)), replace(TCP, number=110, ports=(40001, 65535))), PASS),
        ((OUT, replace(TCP, ports=(1024, 40000)), replace(TCP, number=110, ports=(40002, 65535))), WARN),
        ((OUT, *HALVES), PASS),
        ((OUT, *HALVES, replace(IN, number=90, cidr="192.0.2.0/24", allows=False)), WARN),
        ((OUT, HALVES[0], replace(HALVES[1], allows=False)), WARN),
        ((OUT, *(replace(each, allows=False, number=50) for each in HALVES), IN), FAIL),
        ((OUT, replace(TCP, ports=(443, 443))), FAIL),
        ((OUT, replace(TCP, ports=(49152, 65535))), WARN),
        ((OUT, IN, replace(TCP, number=50, ports=(22, 22), allows=False)), PASS),
        ((OUT, IN, replace(IN, number=50, protocol="17", allows=False)), PASS),
        ((replace(OUT, protocol="6", ports=(443, 443)), IN), PASS),
        ((replace(OUT, protocol="6", ports=(80, 80)), IN), FAIL),
    ],
)
def test_each_part_of_the_traffic_is_decided_on_by_the_first_rule_for_it(
    own: tuple[AclRule, ...], judged: Status
) -> None:
    status, priority, resource = heaviest(acl(*own), Name.NETWORK_ACL)
    assert (status, resource) == (judged, "acl-1" if judged is PASS else "subnet-1")
    assert priority is {FAIL: P0, WARN: P1, PASS: None}[judged]


def test_the_rule_to_be_made_comes_before_the_one_that_refuses() -> None:
    [check] = found(acl(OUT, IN, replace(IN, number=40, allows=False)), Name.NETWORK_ACL)
    assert check.remedy is not None
    assert "--network-acl-id acl-1 --ingress --rule-number 39 " in check.remedy
    assert "--port-range From=1024,To=65535 " in check.remedy
    assert "--egress" not in check.remedy


DENIED: Final = replace(IN, allows=False)


@pytest.mark.parametrize(
    ("own", "others", "call"),
    [
        ([replace(DENIED, number=1)], (), ("replace", 1)),
        ([replace(TCP, number=1, ports=(22, 22)), replace(DENIED, number=2)], (), ("replace", 2)),
        ([replace(TCP, number=39, ports=(22, 22)), replace(DENIED, number=40)], (), ("create", 38)),
        ([replace(DENIED, number=2)], ((False, 1),), ("replace", 2)),
        ([replace(DENIED, number=2)], ((True, 1),), ("create", 1)),
    ],
)
def test_a_number_that_is_taken_is_never_given_to_a_new_rule(
    own: list[AclRule], others: tuple[tuple[bool, int], ...], call: tuple[str, int]
) -> None:
    rule_set = NetworkAcl("acl-1", frozenset({"subnet-1"}), (*LAST, OUT, *own), frozenset(others))
    [check] = found(acl(acls=Seen((rule_set,))), Name.NETWORK_ACL)
    told = f"aws ec2 {call[0]}-network-acl-entry --network-acl-id acl-1 --ingress --rule-number {call[1]} "
    assert (check.status, (check.remedy or "")[: len(told)]) == (FAIL, told)


def test_what_opens_the_rest_of_the_ports_is_told_with_those_that_are_open() -> None:
    [check] = found(acl(OUT, replace(TCP, ports=(32768, 60999))), Name.NETWORK_ACL)
    assert check.remedy is not None
    assert "create-network-acl-entry" in check.remedy
    assert "--ingress --rule-number 32766 --protocol tcp --port-range From=1024,To=65535 " in check.remedy
    [seen] = [each.value for each in check.evidence if each.name == "rules on the answers to it"]
    assert seen == "100 allow 0.0.0.0/0 32768-60999, 32767 deny 0.0.0.0/0"


def test_a_subnet_of_another_acl_is_not_judged_by_this_one() -> None:
    other = NetworkAcl("acl-2", frozenset({"subnet-2"}), LAST)
    assert found(acl(acls=Seen((other,))), Name.NETWORK_ACL) == []


APART: Final[Seen[Vpc]] = Seen(replace(vpc(), tables=()))

S3: Final = S3Endpoint("vpce-s3", gateway=False, available=True, route_table_ids=frozenset(), private_dns=True)
S3_APART: Final[Seen[Vpc]] = Seen(replace(vpc(), tables=(), endpoints=(S3,)))


@pytest.mark.parametrize(
    ("services", "judged", "priority"),
    [
        ({*NEEDED, *HELPFUL}, PASS, None),
        ({*NEEDED}, WARN, P1),
        ({*NEEDED, *HELPFUL} - {"sts"}, FAIL, P0),
        ({"logs"}, FAIL, P0),
        ({*NEEDED, *HELPFUL} - {"ssmmessages"}, WARN, P1),
    ],
)
def test_a_subnet_without_a_way_out_is_judged_by_the_endpoints_of_its_vpc(
    services: set[str], judged: Status, priority: Priority | None
) -> None:
    apart = acl(OUT, IN, endpoints=served(*services), vpc=APART)
    assert heaviest(apart, Name.INTERFACE_ENDPOINTS) == (judged, priority, "subnet-1")
    assert heaviest(apart, Name.SUBNET_ROUTE)[0] is INFO


def test_an_endpoint_without_private_dns_is_there_and_may_serve() -> None:
    apart = acl(OUT, IN, endpoints=served(*NEEDED, *HELPFUL, nameless=("sts", "ssm")), vpc=APART)
    [check] = found(apart, Name.INTERFACE_ENDPOINTS)
    assert (check.status, check.priority) == (WARN, P1)
    assert "for sts, ssm have no private DNS" in check.message
    assert heaviest(replace(apart, endpoints=served(nameless=NEEDED)), Name.SUBNET_ROUTE)[0] is INFO
    lacking = replace(apart, endpoints=served("ec2", nameless=("sts",)))
    [check] = found(lacking, Name.INTERFACE_ENDPOINTS)
    assert (check.status, check.priority) == (FAIL, P0)
    assert "no endpoint for ecr.api, ecr.dkr, eks-auth:" in check.message


def test_endpoints_that_pass_are_told_with_what_nobody_checked() -> None:
    [check] = found(acl(endpoints=served(*NEEDED, *HELPFUL), vpc=APART), Name.INTERFACE_ENDPOINTS)
    assert (check.status, "security groups and policies are not checked" in check.message) == (PASS, True)


def test_where_nothing_leads_on_and_nothing_is_there_the_route_is_what_lacks() -> None:
    apart = acl(OUT, IN, vpc=APART)
    assert heaviest(apart, Name.SUBNET_ROUTE) == (FAIL, P0, "subnet-1")
    assert found(apart, Name.INTERFACE_ENDPOINTS) == []


def test_who_leads_on_needs_no_endpoints_and_who_does_not_need_not_let_everything_through() -> None:
    some = acl(OUT, replace(IN, cidr="10.0.0.0/8"), endpoints=served(*NEEDED, *HELPFUL))
    assert found(some, Name.INTERFACE_ENDPOINTS) == []
    assert heaviest(some, Name.NETWORK_ACL)[0] is WARN
    assert heaviest(replace(some, vpc=APART), Name.NETWORK_ACL)[0] is INFO


SILENT: Final[Seen[Never]] = Seen(why=WHY)
WHOLE: Final = acl(OUT, IN, endpoints=served(*NEEDED, *HELPFUL))


@pytest.mark.parametrize(
    ("lacks", "told"),
    [
        ("dns", {Name.VPC_DNS}),
        ("acls", {Name.NETWORK_ACL}),
        ("endpoints", {Name.S3_ROUTE, Name.SUBNET_ROUTE, Name.INTERFACE_ENDPOINTS}),
        ("vpc", {Name.COMPUTE_SUBNET, Name.NETWORK_ACL}),
    ],
)
@pytest.mark.parametrize("network", [WHOLE.vpc, S3_APART], ids=["through a NAT gateway", "by endpoints"])
def test_what_could_not_be_read_is_told_and_condemns_nothing(network: Seen[Vpc], lacks: str, told: set[Name]) -> None:
    apart = network is S3_APART
    said = rules.diagnose(replace(replace(WHOLE, vpc=network), **{lacks: SILENT}), {Area.NETWORK})  # type: ignore[arg-type]
    # Who leads on needs them for S3 alone.
    expected = {Name.S3_ROUTE} if lacks == "endpoints" and not apart else told
    assert {each.check for each in said.checks if is_unchecked(each)} == expected
    assert (said.complete, said.counts.failed) == (not expected, 0)
    if lacks == "acls" and apart:
        assert {each.status for each in said.checks if each.check in (Name.SUBNET_ROUTE, Name.INTERFACE_ENDPOINTS)} == {
            INFO,
            PASS,
        }
