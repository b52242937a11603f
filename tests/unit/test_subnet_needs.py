"""Which subnet each group needs, and the addresses its nodes take there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from ipaddress import IPv4Network

import pytest

from functions.catalog.tables import instance_types
from functions.core.cluster import ClusterNames, ClusterSpec, DesiredGroup
from functions.core.errors import PreconditionFailed
from functions.core.ledger.models import Actor, Channel, JsonObject, Operation, Stage
from functions.core.stage import StageContext
from functions.network.subnets.models import Subnet
from functions.network.subnets.rules import needs
from functions.network.subnets.rules.requests import check_interfaces, given_fault, shortage_of
from functions.network.subnets.rules.shortage import shortage

ZONE, OTHER = "us-west-2c", "us-west-2b"
AT = datetime(2026, 1, 1, tzinfo=UTC)
OURS = {"instantstart:managed-by": "instantstart", "instantstart:cluster": "t1"}
GIVEN = "subnet-0123456789abcdef0"


def group(name: str = "gpu", count: int = 1, kind: str = "ml.p5.48xlarge", **network: object) -> DesiredGroup:
    described = {"name": name, "instance_type": kind, "instance_count": count, "capacity_type": "on_demand"}
    return DesiredGroup.model_validate(described | network)


def subnet(
    subnet_id: str = "subnet-1", tags: Mapping[str, str] | None = None, *, zone: str = ZONE, free: int = 4091
) -> Subnet:
    return Subnet(subnet_id, "vpc-1", zone, "usw2-az3", IPv4Network("10.0.16.0/20"), free, tags or {})


def context(*stages: tuple[str, JsonObject]) -> StageContext:
    names = dict.fromkeys(ClusterNames.model_fields, "x")
    cluster = ClusterSpec(
        tag="t1",
        account_id="123456789012",
        region="us-west-2",
        names=ClusterNames(**names),
        availability_zone=ZONE,
        created_at=AT,
    )
    listed = [
        Stage(number=1, phase="hyperpod", name=name, function="f", title=name, expected_seconds=1, result=result)
        for name, result in stages
    ]
    operation = Operation(
        operation_id="o1",
        kind="create_hyperpod",
        cluster_tag="t1",
        account_id="123456789012",
        region="us-west-2",
        actor=Actor(id="a", channel=Channel.REST, client="c"),
        stages=listed,
        request={},
        scopes=[],
        created_at=AT,
        updated_at=AT,
    )
    return StageContext(operation, cluster, listed[0])


# -- needs


def test_groups_share_the_subnet_of_their_zone_and_others_have_their_own_stage() -> None:
    groups = [
        group("a"),
        group("b", availability_zone=ZONE),
        group("c", availability_zone=OTHER),
        group("d", dedicated_subnet=True),
        group("e", dedicated_subnet=True, availability_zone=OTHER),
        group("f", subnet_id=GIVEN),
        group("g", subnet_id=GIVEN, availability_zone=OTHER),
    ]
    assert needs.stages_for(groups, ZONE) == [
        f"compute_subnet:{ZONE}",
        f"compute_subnet:{OTHER}",
        f"compute_subnet:{ZONE}/d",
        f"compute_subnet:{OTHER}/e",
        f"compute_subnet:{GIVEN}",
    ]
    found = {need.parameter: (need.kind, need.zone, need.names, need.owner) for need in needs.needs_of(groups, ZONE)}
    assert found == {
        ZONE: ("zone", ZONE, "a, b", None),
        OTHER: ("zone", OTHER, "c", None),
        f"{ZONE}/d": ("dedicated", ZONE, "d", "d"),
        f"{OTHER}/e": ("dedicated", OTHER, "e", "e"),
        GIVEN: ("given", None, "f, g", None),
    }


def test_each_group_finds_its_subnet_by_the_stage_that_settled_it() -> None:
    stages = [(ZONE, "subnet-a"), (f"{OTHER}/d", "subnet-d"), (GIVEN, GIVEN)]
    results: list[tuple[str, JsonObject]] = [(f"compute_subnet:{name}", {"subnet_id": found}) for name, found in stages]
    known = context(*results)
    assert needs.subnet_of(known, group("a")) == "subnet-a"
    assert needs.subnet_of(known, group("d", dedicated_subnet=True, availability_zone=OTHER)) == "subnet-d"
    assert needs.subnet_of(known, group("f", subnet_id=GIVEN)) == GIVEN
    with pytest.raises(PreconditionFailed, match="compute_subnet:us-west-2b has no result"):
        needs.subnet_of(known, group("x", availability_zone=OTHER))


@pytest.mark.parametrize(
    ("wanted", "size"),
    [
        (group(count=1, dedicated_subnet=True), 20),
        (group(count=50, dedicated_subnet=True), 20),
        (group(count=51, dedicated_subnet=True), 19),
        (group(count=60, dedicated_subnet=True), 19),
        (group(count=60, dedicated_subnet=True, network_interface="efa_only"), 20),
        (group(count=60, dedicated_subnet=True, subnet_prefix=24), 24),
        (group(count=6758, dedicated_subnet=True), 20),
    ],
)
def test_a_dedicated_subnet_is_as_asked_or_as_large_as_its_group_needs(wanted: DesiredGroup, size: int) -> None:
    [need] = needs.needs_of([wanted], ZONE)
    assert need.size == size


def test_the_subnet_of_a_zone_is_as_the_cluster_asks_or_a_twentieth() -> None:
    assert [need.size for need in needs.needs_of([group(count=6758)], ZONE)] == [20]
    assert [need.size for need in needs.needs_of([group()], ZONE, 18)] == [18]


def test_a_stage_knows_the_groups_that_need_its_subnet_now() -> None:
    groups = [group("a"), group("b", availability_zone=OTHER), group("c")]
    assert needs.need_at(ZONE, groups, ZONE, 22) == needs.Need(ZONE, "zone", ZONE, (groups[0], groups[2]), 22)
    assert needs.need_at(f"{ZONE}/gone", groups, ZONE, None) == needs.Need(f"{ZONE}/gone", "dedicated", ZONE, ())


# -- addresses


def test_every_type_says_how_many_addresses_a_node_takes() -> None:
    known = instance_types()
    assert (known["ml.p5.48xlarge"].subnet_ips, known["ml.p5.48xlarge"].subnet_ips_efa_only) == (81, 50)
    assert (known["ml.p4d.24xlarge"].subnet_ips, known["ml.p4d.24xlarge"].subnet_ips_efa_only) == (53, 50)
    assert all(1 <= each.subnet_ips_efa_only <= each.subnet_ips for each in known.values())
    cards = [each for each in known.values() if each.efa_interfaces > 1]
    assert all(each.subnet_ips > each.subnet_ips_efa_only for each in cards)


@pytest.mark.case(22)
def test_nodes_take_addresses_by_type_and_interfaces_and_running_ones_have_theirs() -> None:
    groups = [group("a", 60), group("b", 2, "ml.g6.4xlarge"), group("c", 4, network_interface="efa_only")]
    assert [needs.addresses([each]) for each in groups] == [4860, 60, 200]
    assert needs.addresses(groups) == 5120
    assert needs.addresses(groups, {"a": 58, "b": 3}) == 2 * 81 + 200


def test_a_subnet_gives_all_its_addresses_but_five() -> None:
    assert [needs.capacity(prefix) for prefix in (16, 20, 28)] == [65531, 4091, 11]
    assert [needs.prefix_for(count) for count in (0, 11, 12, 4091, 4092, 65531, 65532)] == [
        28,
        28,
        27,
        20,
        19,
        16,
        None,
    ]


@pytest.mark.case(22)
def test_a_shortage_is_told_with_figures_and_with_what_would_help() -> None:
    [need] = needs.needs_of([group("big", 60)], ZONE)
    problem = shortage(need, 4091, subnet_id="subnet-0c")
    assert problem is not None
    body = problem.body()
    assert (body.status, body.code, body.cause and body.cause.code) == (409, "conflict", "SUBNET_IP_SHORTAGE")
    assert body.cause is not None
    assert body.cause.resource == "subnet-0c"
    assert "needs 4860 addresses, the subnet subnet-0c has 4091" in body.detail
    assert "big: 60 x 81 of ml.p5.48xlarge" in body.detail
    assert body.remedy is not None
    assert "efa_only for big (then 3000 addresses are needed, which fits)" in body.remedy
    assert "dedicated_subnet: true for big (a /19 of its own)" in body.remedy
    assert "subnet_prefix" not in body.remedy
    assert shortage(need, 4860) is None


def test_what_would_not_help_is_not_offered() -> None:
    def remedy(*groups: DesiredGroup, subnet_id: str | None = None) -> str:
        [need] = needs.needs_of(groups, ZONE)
        problem = shortage(need, 10, subnet_id=subnet_id)
        assert problem is not None
        return str(problem.remedy)

    small = remedy(group(kind="ml.g6.4xlarge", count=200))
    assert "efa_only" not in small
    assert "subnet_prefix: 19" in small
    assert "which is not enough by itself" in remedy(group(count=60))
    huge = remedy(group(count=6758))
    assert ("dedicated_subnet" in huge, "subnet_prefix" in huge) == (False, False)
    own = remedy(group(count=60, dedicated_subnet=True), subnet_id="subnet-1")
    assert "another name for the group" in own
    assert "dedicated_subnet: true" not in own


def test_a_request_is_refused_at_once_only_for_what_is_certain() -> None:
    [big] = needs.needs_of([group("big", 45)], ZONE)
    partly = subnet(tags=OURS | {"instantstart:compute-subnet": "zone"}, free=100)
    untouched = shortage_of(big, [partly], "t1", untouched=True)
    assert untouched is not None
    assert "has 100" in untouched.detail
    # Some of the nodes may be those that took the addresses.
    assert shortage_of(big, [partly], "t1", untouched=False) is None
    [more] = needs.needs_of([group("big", 60)], ZONE)
    assert shortage_of(more, [partly], "t1", untouched=False) is not None
    [unknown] = needs.needs_of([group("big", 6758, subnet_id=GIVEN)], ZONE)
    assert shortage_of(unknown, [], "t1", untouched=True) is None


def test_interfaces_are_chosen_only_for_types_that_have_them() -> None:
    groups = [group(), group(network_interface="efa_only"), group(kind="ml.g6.4xlarge", network_interface="efa")]
    assert [error.field for error in check_interfaces(groups, ["a", "b", "c"])] == ["c.network_interface"]


@pytest.mark.parametrize(
    ("wanted", "found", "field"),
    [
        (group(subnet_id=GIVEN), None, "subnet_id"),
        (group(subnet_id=GIVEN), subnet(GIVEN), None),
        (group(subnet_id=GIVEN, availability_zone=ZONE), subnet(GIVEN), None),
        (group(subnet_id=GIVEN, availability_zone="usw2-az3"), subnet(GIVEN), None),
        (group(subnet_id=GIVEN, availability_zone=OTHER), subnet(GIVEN), "availability_zone"),
    ],
)
def test_a_given_subnet_has_to_exist_in_the_groups_zone(
    wanted: DesiredGroup, found: Subnet | None, field: str | None
) -> None:
    fault = given_fault(wanted, found, "vpc-1")
    assert (fault[0] if fault else None) == field
    assert given_fault(wanted, subnet(GIVEN), "vpc-2") is not None
