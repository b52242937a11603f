"""What a diagnosis makes of facts: which kind a failure is, what blocks, what nobody knows, and how long it gets."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

import pytest

from functions.capacity.preflight.models import ReservedCapacity, SecurityGroup, TrainingPlan
from functions.clusters.importing.models.found import FoundEks
from functions.clusters.names import derived
from functions.core.cluster import ClusterNames, ClusterSpec, DesiredGroup, DesiredLifecycle, Surroundings
from functions.core.errors import InvalidRequest
from functions.core.ledger.models import Actor, Channel, Operation, OperationStatus, Stage, StageStatus
from functions.diagnostics import rules
from functions.diagnostics.models.answers import Area, Check, Name, Priority, Status
from functions.diagnostics.models.facts import (
    AddonSeen,
    EksSeen,
    EntrySeen,
    Event,
    EventsSeen,
    Facts,
    GroupSeen,
    HyperPodSeen,
    Issue,
    LedgerSeen,
    Node,
    NodesSeen,
    Recorded,
    Seen,
    StackSeen,
)
from functions.diagnostics.rules import bounds
from functions.diagnostics.rules.areas import named
from functions.diagnostics.rules.control_plane import left_out
from functions.diagnostics.rules.events import classify
from functions.diagnostics.rules.history import made_good_by, newest_failure
from functions.diagnostics.rules.logs import log_of
from functions.diagnostics.rules.saying import fact, failed, is_unchecked, passed
from functions.identity.rules import ADMINISTRATOR, OPERATOR_GROUP
from functions.network.subnets.models import NatGateway, Route, RouteTable, Subnet, Vpc
from functions.network.subnets.rules.identity import KIND_TAG

if TYPE_CHECKING:
    from pydantic import JsonValue

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
ACCOUNT = "123456789012"
EKS_ARN = f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/eks-cluster-t1"
HYPERPOD_ARN = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:cluster/abc123"
ADMIN, OPERATOR, NODES = (f"arn:aws:iam::{ACCOUNT}:role/{name}" for name in ("admin", "operator", "nodes"))
EFA_TYPE = "ml.p5.48xlarge"
WHY = "AWS answered with AccessDeniedException"


def group(name: str = "gpu", **changes: object) -> DesiredGroup:
    whole = DesiredGroup(name=name, instance_type="ml.g6.4xlarge", instance_count=2, capacity_type="on_demand")
    return whole.model_copy(update=changes)


def spec(**changes: object) -> ClusterSpec:
    whole = ClusterSpec(
        tag="t1",
        account_id=ACCOUNT,
        region="us-west-2",
        names=ClusterNames(**derived("t1", ACCOUNT, "us-west-2")),
        created_at=AT - timedelta(days=1),
        availability_zone="us-west-2c",
        instance_groups=[group()],
    )
    return whole.model_copy(update=changes)


def eks(**changes: object) -> EksSeen:
    found = FoundEks(
        name="eks-cluster-t1",
        arn=EKS_ARN,
        status="ACTIVE",
        version="1.34",
        authentication_mode="API",
        role_arn=f"arn:aws:iam::{ACCOUNT}:role/control",
        vpc_id="vpc-1",
        subnet_ids=[],
        public_endpoint=True,
        private_endpoint=True,
        public_cidrs=["0.0.0.0/0"],
        service_cidr="172.20.0.0/16",
        issuer="",
        cluster_security_group_id="sg-eks",
        security_group_ids=["sg-1"],
    )
    return EksSeen(found.model_copy(update=changes))


def standing(desired: DesiredGroup, current: int) -> GroupSeen:
    return GroupSeen(desired, current, "InService", NODES, ("sg-1",), ("subnet-1",))


def hyperpod(*groups: GroupSeen, **changes: object) -> HyperPodSeen:
    whole = HyperPodSeen("hp-cluster-t1", HYPERPOD_ARN, "InService", "", EKS_ARN, continuous=True, groups=groups)
    return replace(whole, **changes)  # type: ignore[arg-type]


def vpc(target: str = "nat-1", available: bool = True) -> Vpc:
    subnet = Subnet("subnet-1", "vpc-1", "us-west-2c", "usw2-az3", IPv4Network("10.0.0.0/20"), 4000, {})
    table = RouteTable("rtb-1", {"subnet-1": "rtbassoc-1"}, Route(target), {})
    return Vpc("vpc-1", (subnet,), (table,), (NatGateway("nat-1", "us-west-2c", available, public=True),), ())


def security_group(**changes: object) -> SecurityGroup:
    return replace(SecurityGroup("sg-1", "vpc-1", from_itself=True, to_itself=True), **changes)  # type: ignore[arg-type]


def facts(**changes: object) -> Facts:
    """A cluster that stands and lacks nothing but an endpoint for S3."""
    whole = Facts(
        spec=spec(),
        at=AT,
        roles={"admin": ADMIN, "operator": OPERATOR},
        ledger=LedgerSeen(conditions={name: Recorded("True", "") for name in ("FoundationReady", "DependenciesReady")}),
        stack=Seen(StackSeen("arn:stack", "CREATE_COMPLETE")),
        eks=Seen(eks()),
        hyperpod=Seen(hyperpod(standing(group(), 2))),
        vpc=Seen(vpc()),
        security_groups=Seen({"sg-1": security_group()}),
        entries={
            ADMIN: Seen(EntrySeen((), (ADMINISTRATOR,))),
            OPERATOR: Seen(EntrySeen((OPERATOR_GROUP,))),
            NODES: Seen(EntrySeen(())),
        },
        addon_names=Seen(
            ("vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver")
        ),
        events=Seen(EventsSeen()),
        nodes=Seen(NodesSeen((Node("i-1", "gpu", "Running"), Node("i-2", "gpu", "Running")))),
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def found(known: Facts, name: Name) -> list[Check]:
    return [each for each in rules.diagnose(known).checks if each.check is name]


def heaviest(known: Facts, name: Name) -> tuple[Status, Priority | None, str | None]:
    first = found(known, name)[0]
    return first.status, first.priority, first.resource


FAIL, WARN, INFO, PASS = Status.FAIL, Status.WARN, Status.INFO, Status.PASS
P0, P1, P2 = Priority


def test_a_cluster_that_stands_has_one_thing_good_to_know() -> None:
    found = rules.diagnose(facts())
    assert [(each.check, each.status, each.priority) for each in found.checks if each.status in (FAIL, WARN)] == [
        (Name.S3_ROUTE, WARN, P2)
    ]
    assert found.complete


# -- kinds of failures


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("EFA health checks did not run successfully. Ensure that your VPC …", Name.EVENT_EFA_CHECK),
        ("Instance replacement failed: EFA health checks did not run successfully.", Name.EVENT_EFA_CHECK),
        ("Instance bootstrap failed due to network misconfiguration", Name.EVENT_BOOTSTRAP),
        ("The security group 'sg-0abc' does not exist", Name.EVENT_BOOTSTRAP),
        ('Instance `i-1` failed: "Lifecycle scripts did not run successfully. …"', Name.EVENT_LIFECYCLE),
        ("Lifecycle scripts timed out on instance i-1", Name.EVENT_LIFECYCLE),
        ("Instance lifecycle script execution for EC2 Instance i-1 has Failed", Name.EVENT_LIFECYCLE),
        ("We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances.", Name.EVENT_CAPACITY),
        ("Insufficient capacity in the Availability Zone", Name.EVENT_CAPACITY),
        ("No subnets in the capacity AZ", Name.EVENT_ZONE),
        ("The subnet 'subnet-0abc' does not exist", Name.EVENT_ZONE),
        ("The account-level service limit 'ml.p5.48xlarge for cluster usage' is 0 Instances", Name.EVENT_QUOTA),
        ("The maximum number of instances has been reached", Name.EVENT_QUOTA),
        ("There are insufficient free addresses in the subnet", Name.EVENT_ADDRESSES),
        ("The instance likely experienced a hardware failure", Name.EVENT_HARDWARE),
        ("Deep health checks failed on instance i-1", Name.EVENT_HEALTH_CHECK),
        ("Failed to provision EC2 Instance in Cluster X and InstanceGroup Y", Name.EVENT_PROVISIONING),
    ],
)
def test_a_failure_is_sorted_by_what_has_to_be_done_about_it(words: str, kind: Name) -> None:
    found, remedy = classify(words)
    assert (found, bool(remedy)) == (kind, True)


def test_a_failure_of_a_group_that_has_come_right_is_history() -> None:
    event = Event(AT, "gpu", "i-9", "Insufficient capacity", 4)
    seen = Seen(EventsSeen((event,)))
    assert heaviest(facts(events=seen), Name.EVENT_CAPACITY) == (INFO, None, "i-9")
    lacking = facts(events=seen, hyperpod=Seen(hyperpod(standing(group(), 1))))
    assert heaviest(lacking, Name.EVENT_CAPACITY) == (FAIL, P0, "i-9")
    evidence = {each.name: (each.value, each.at) for each in found(lacking, Name.EVENT_CAPACITY)[0].evidence}
    assert (evidence["failures"], evidence["event"]) == ((4, None), ("Insufficient capacity", AT))


def test_a_cluster_that_failed_whole_is_told_by_its_own_message_where_there_are_no_events() -> None:
    broken = hyperpod(status="Failed", failure="No subnets in the capacity AZ", continuous=False)
    known = facts(hyperpod=Seen(broken))
    assert heaviest(known, Name.HYPERPOD_CLUSTER) == (FAIL, P0, HYPERPOD_ARN)
    assert heaviest(known, Name.CLUSTER_EVENTS)[0] is INFO


@pytest.mark.case(25)
def test_the_log_of_a_script_is_where_the_failure_says_or_where_hyperpod_puts_it() -> None:
    said = "visit log group '/aws/sagemaker/Clusters/x/y' and log stream 'LifecycleConfig/gpu/i-1'."
    lifecycle = "Lifecycle scripts did not run successfully"
    named_one = Event(AT, "gpu", "i-1", f"{lifecycle}. {said}")
    silent = Event(AT, "gpu", "i-2", "Lifecycle scripts timed out")
    assert log_of(facts(events=Seen(EventsSeen((named_one,))))) == (
        "/aws/sagemaker/Clusters/x/y",
        "LifecycleConfig/gpu/i-1",
    )
    assert log_of(facts(events=Seen(EventsSeen((silent,))))) == (
        "/aws/sagemaker/Clusters/hp-cluster-t1/abc123",
        "LifecycleConfig/gpu/i-2",
    )
    assert log_of(facts()) is None


# -- operations


def operation(number: int, status: OperationStatus, phase: str = "hyperpod", **changes: object) -> Operation:
    stage = Stage(
        number=1, phase=phase, name="x", function="f", title="X", status=StageStatus.FAILED, expected_seconds=1
    )
    whole = Operation(
        operation_id=f"op-{number}",
        kind="create_cluster",
        cluster_tag="t1",
        account_id=ACCOUNT,
        region="us-west-2",
        actor=Actor(id="a", channel=Channel.REST, client="c"),
        status=status,
        stages=[stage],
        request={},
        scopes=[],
        created_at=AT + timedelta(minutes=number),
        updated_at=AT,
    )
    return whole.model_copy(update=changes)


def test_a_failure_is_made_good_by_its_kind_by_its_retry_or_by_what_made_its_phase_stand() -> None:
    failure = operation(1, OperationStatus.FAILED)
    ready = LedgerSeen(conditions={"HyperPodReady": Recorded("True", "")})
    same = operation(2, OperationStatus.SUCCEEDED)
    retried = operation(2, OperationStatus.SUCCEEDED, kind="other", retry_of="op-1")
    other = operation(2, OperationStatus.SUCCEEDED, kind="create_hyperpod")
    assert newest_failure([other, failure]) == failure
    assert made_good_by(failure, [same, failure], LedgerSeen()) == "op-2"
    assert made_good_by(failure, [retried, failure], LedgerSeen()) == "op-2"
    assert made_good_by(failure, [other, failure], ready) == "op-2"
    assert made_good_by(failure, [other, failure], LedgerSeen()) is None
    earlier = operation(0, OperationStatus.SUCCEEDED)
    assert made_good_by(failure, [failure, earlier], ready) is None


def test_instances_that_do_not_come_for_an_hour_without_a_word_are_told_to_be_stuck() -> None:
    lacking = Seen(hyperpod(standing(group(), 0)))
    newest = operation(1, OperationStatus.RUNNING, started_at=AT - timedelta(minutes=90))
    waiting = LedgerSeen(newest=newest, busy=("op-1",))
    assert heaviest(facts(hyperpod=lacking, ledger=waiting), Name.INSTANCE_GROUPS)[:2] == (WARN, P1)
    young = replace(waiting, newest=newest.model_copy(update={"started_at": AT - timedelta(minutes=30)}))
    assert heaviest(facts(hyperpod=lacking, ledger=young), Name.INSTANCE_GROUPS)[0] is INFO
    assert heaviest(facts(hyperpod=lacking), Name.INSTANCE_GROUPS)[:2] == (FAIL, P1)


# -- the control plane and access


@pytest.mark.parametrize(
    ("ranges", "egress", "outside"),
    [
        (["0.0.0.0/0"], ["192.0.2.1"], None),
        ([], ["192.0.2.1"], None),
        (["192.0.2.0/24"], ["192.0.2.1"], None),
        (["198.51.100.0/24"], ["192.0.2.1", "198.51.100.7"], "192.0.2.1"),
        (["198.51.100.0/24"], [], "addresses that change"),
    ],
)
def test_an_endpoint_has_to_answer_every_address_of_the_control_plane(
    ranges: list[str], egress: list[str], outside: str | None
) -> None:
    assert left_out(ranges, egress) == outside
    known = facts(eks=Seen(eks(public_cidrs=ranges)), egress=tuple(egress))
    assert heaviest(known, Name.ENDPOINT_ACCESS)[:2] == ((FAIL, P0) if outside else (PASS, None))


def test_an_endpoint_inside_alone_shuts_the_control_plane_out_and_one_outside_alone_costs_nodes_a_detour() -> None:
    assert heaviest(facts(eks=Seen(eks(public_endpoint=False))), Name.ENDPOINT_ACCESS)[:2] == (FAIL, P0)
    assert heaviest(facts(eks=Seen(eks(private_endpoint=False))), Name.ENDPOINT_ACCESS)[:2] == (WARN, P1)


@pytest.mark.case(7)
def test_a_cluster_without_access_entries_blocks_hyperpod() -> None:
    known = facts(eks=Seen(eks(authentication_mode="CONFIG_MAP")), entries={})
    assert heaviest(known, Name.AUTHENTICATION_MODE) == (FAIL, P0, EKS_ARN)
    assert "no way back" in str(found(known, Name.AUTHENTICATION_MODE)[0].remedy)


def test_what_eks_complains_of_is_told_with_the_resources_it_names() -> None:
    ill = replace(eks(), issues=(Issue("Ec2SubnetNotFound", "a subnet is gone", ("subnet-9",)),))
    check = found(facts(eks=Seen(ill)), Name.EKS_CLUSTER)[0]
    assert (check.status, check.priority) == (FAIL, P0)
    assert "subnet-9" in str(next(each.value for each in check.evidence if each.name == "issue Ec2SubnetNotFound"))


def test_an_imported_cluster_without_our_entries_is_a_matter_of_its_owners_consent() -> None:
    surroundings = Surroundings(eks_arn=EKS_ARN, vpc_id="vpc-1", security_group_id="sg-1")
    imported = spec(origin="imported", surroundings=surroundings)
    lacking = {ADMIN: Seen(EntrySeen(None)), NODES: Seen(EntrySeen(None))}
    known = facts(spec=imported, entries=lacking)
    assert {(each.status, each.priority, each.resource) for each in found(known, Name.ACCESS_ENTRY)} == {
        (WARN, P1, ADMIN),
        (FAIL, P0, NODES),
    }


def trust(service: str, effect: str = "Allow", action: str = "sts:AssumeRole") -> dict[str, JsonValue]:
    return {"Effect": effect, "Principal": {"Service": service}, "Action": action}


SAGEMAKER = trust("sagemaker.amazonaws.com")


@pytest.mark.parametrize(
    ("document", "judged"),
    [
        ({"Statement": SAGEMAKER}, PASS),
        ({"Statement": [trust("ec2.amazonaws.com"), SAGEMAKER]}, PASS),
        ({"Statement": [trust("*", action="sts:*")]}, PASS),
        ({"Statement": [trust("ec2.amazonaws.com")]}, FAIL),
        ({"Statement": [SAGEMAKER, trust("sagemaker.amazonaws.com", "Deny")]}, FAIL),
        ({}, FAIL),
        (None, FAIL),
    ],
)
def test_an_execution_role_has_to_be_there_and_to_trust_sagemaker(
    document: dict[str, JsonValue] | None, judged: Status
) -> None:
    assert heaviest(facts(trusts={NODES: Seen(document)}), Name.EXECUTION_ROLE)[0] is judged


def test_an_addon_that_waits_for_the_first_node_is_no_fault_until_there_is_one() -> None:
    waiting = AddonSeen("coredns", "DEGRADED", "v1", {"InsufficientNumberOfReplicas": "no nodes"})
    none_yet = facts(addons={"coredns": Seen(waiting)}, hyperpod=Seen())
    assert heaviest(none_yet, Name.ADDON)[0] is INFO
    assert heaviest(facts(addons={"coredns": Seen(waiting)}), Name.ADDON)[:2] == (WARN, P1)
    denied = replace(waiting, issues={"AccessDenied": "not authorized to perform ec2:DescribeTags"})
    assert heaviest(facts(addons={"coredns": Seen(denied)}), Name.ADDON) == (FAIL, P1, "coredns")
    cni = AddonSeen("vpc-cni", "CREATE_FAILED", "v1.19.0", {})
    assert heaviest(facts(addons={"vpc-cni": Seen(cni)}), Name.ADDON) == (FAIL, P0, "vpc-cni")
    old = AddonSeen("vpc-cni", "ACTIVE", "v1.12.0-eksbuild.1")
    assert heaviest(facts(addons={"vpc-cni": Seen(old)}), Name.ADDON) == (WARN, P1, "vpc-cni")


# -- the network


@pytest.mark.case(13)
def test_efa_asks_for_rules_that_name_the_group_itself() -> None:
    efa = Seen(hyperpod(standing(group(instance_type=EFA_TYPE), 2)))

    def judged(**changes: object) -> tuple[Status, Priority | None, str | None]:
        groups = Seen({"sg-1": security_group(**changes)})
        return heaviest(facts(hyperpod=efa, security_groups=groups), Name.SELF_REFERENCE)

    assert judged() == (PASS, None, "sg-1")
    assert judged(from_itself=False) == (FAIL, P0, "sg-1")
    assert judged(names_itself=False) == (WARN, P1, "sg-1")
    assert judged(vpc_id="vpc-2") == (FAIL, P0, "sg-1")
    assert heaviest(facts(security_groups=Seen({})), Name.SELF_REFERENCE) == (FAIL, P0, "sg-1")


def test_the_control_plane_reaches_nodes_by_a_group_they_share_or_by_a_rule() -> None:
    apart = Seen(eks(security_group_ids=[]))

    def judged(**changes: object) -> Status:
        groups = Seen({"sg-1": security_group(**changes)})
        return heaviest(facts(eks=apart, security_groups=groups), Name.CONTROL_PLANE_TRAFFIC)[0]

    assert (judged(), judged(admits=frozenset({"sg-eks"})), judged(admits=frozenset({"sg-x"}))) == (WARN, PASS, WARN)


@pytest.mark.parametrize(
    ("network", "judged"),
    [
        (vpc(), PASS),
        (vpc("tgw-1"), PASS),
        (vpc("igw-1"), FAIL),
        (vpc(available=False), FAIL),
        (replace(vpc(), tables=()), FAIL),
    ],
    ids=["nat", "transit gateway", "internet gateway", "gateway gone", "no table"],
)
def test_instances_need_a_way_out_that_takes_private_addresses_on(network: Vpc, judged: Status) -> None:
    assert heaviest(facts(vpc=Seen(network)), Name.SUBNET_ROUTE)[0] is judged


def test_a_subnet_of_another_vpc_or_zone_fits_no_group() -> None:
    assert heaviest(facts(vpc=Seen(replace(vpc(), subnets=()))), Name.COMPUTE_SUBNET) == (FAIL, P0, "subnet-1")
    elsewhere = group(availability_zone="us-west-2a")
    known = facts(spec=spec(instance_groups=[elsewhere]), hyperpod=Seen(hyperpod(standing(elsewhere, 2))))
    assert heaviest(known, Name.COMPUTE_SUBNET) == (FAIL, P0, "subnet-1")


# -- capacity

PLAN = f"arn:aws:sagemaker:us-west-2:{ACCOUNT}:training-plan/tp1"
PLANNED = TrainingPlan(
    PLAN,
    "tp1",
    "Active",
    2,
    ("hyperpod-cluster",),
    (ReservedCapacity(EFA_TYPE, "us-west-2c"),),
    ends_at=AT + timedelta(days=2),
)


@pytest.mark.case(15)
@pytest.mark.parametrize(
    ("plan", "judged"),
    [
        (PLANNED, (PASS, None)),
        (None, (FAIL, P0)),
        (replace(PLANNED, status="Expired"), (FAIL, P0)),
        (replace(PLANNED, status="Scheduled"), (INFO, None)),
        (replace(PLANNED, ends_at=AT + timedelta(minutes=30)), (WARN, P0)),
        (replace(PLANNED, targets=("training-job",)), (FAIL, P0)),
        (replace(PLANNED, capacities=(ReservedCapacity("ml.trn1.32xlarge", "us-west-2c"),)), (FAIL, P0)),
        (replace(PLANNED, capacities=(ReservedCapacity(EFA_TYPE, "us-west-2a"),)), (FAIL, P0)),
    ],
)
def test_a_plan_has_to_fit_its_group_in_kind_zone_and_time(
    plan: TrainingPlan | None, judged: tuple[Status, Priority | None]
) -> None:
    planned = group(instance_type=EFA_TYPE, capacity_type="training_plan", training_plan_arn=PLAN)
    known = facts(
        spec=spec(instance_groups=[planned]), hyperpod=Seen(hyperpod(standing(planned, 0))), plans={PLAN: Seen(plan)}
    )
    assert heaviest(known, Name.TRAINING_PLAN)[:2] == judged


# -- nodes


def test_failed_instances_are_told_with_their_messages_and_a_list_cut_short_says_so() -> None:
    listed = NodesSeen((Node("i-1", "gpu", "Failure", "EFA health checks did not run successfully"),), complete=False)
    checks = found(facts(nodes=Seen(listed)), Name.NODE_STATUS)
    assert [(each.status, each.priority) for each in checks] == [(FAIL, P1), (INFO, None)]
    assert "security group" in str(checks[0].remedy)
    ill = LedgerSeen(conditions={"NodesHealthy": Recorded("False", "i-2: NvidiaError")})
    assert heaviest(facts(ledger=ill), Name.NODE_HEALTH)[:2] == (FAIL, P1)


# -- three values

PARTS = ("stack", "eks", "hyperpod", "vpc", "security_groups", "addon_names", "events", "nodes")


@pytest.mark.parametrize("part", PARTS)
def test_what_could_not_be_read_is_told_with_its_reason_and_nothing_follows_from_it(part: str) -> None:
    known = facts(**{part: Seen(why=WHY)})
    found = rules.diagnose(known)
    unread = [each for each in found.checks if is_unchecked(each)]
    assert (found.complete, {each.status for each in unread}, found.counts.failed) == (False, {WARN}, 0)
    assert all(WHY in each.message and each.priority is P2 for each in unread)


def test_nothing_is_said_of_what_depends_on_what_could_not_be_read() -> None:
    nothing = facts(**dict.fromkeys(PARTS, Seen(why=WHY)), entries={})
    assert {each.status for each in rules.diagnose(nothing).checks} <= {WARN, INFO, PASS}


def test_how_many_addresses_are_wanted_is_not_guessed_while_hyperpod_is_silent() -> None:
    full = replace(vpc().subnets[0], available_addresses=1, tags={"instantstart:cluster": "t1"} | {KIND_TAG: "zone"})
    known = facts(vpc=Seen(replace(vpc(), subnets=(full,))), hyperpod=Seen(why=WHY))
    assert found(known, Name.SUBNET_ADDRESSES) == []
    assert heaviest(replace(known, hyperpod=Seen()), Name.SUBNET_ADDRESSES) == (FAIL, P0, "subnet-1")


@pytest.mark.parametrize(
    ("part", "area"),
    [
        ("eks", Area.ACCESS),
        ("eks", Area.ADDONS),
        ("hyperpod", Area.NODES),
        ("hyperpod", Area.NETWORK),
        ("hyperpod", Area.LIFECYCLE),
        ("hyperpod", Area.CAPACITY),
        ("stack", Area.NETWORK),
        ("events", Area.LIFECYCLE),
    ],
)
def test_an_area_by_itself_says_that_what_it_depends_on_could_not_be_read(part: str, area: Area) -> None:
    nothing: Seen[object] = Seen(asked=False)
    silent = facts(**{part: Seen(why=WHY)}, addon_names=nothing, nodes=nothing, entries={})
    told = rules.diagnose(silent, {area})
    assert (told.complete, told.counts.failed) == (False, 0)


def test_one_area_is_complete_though_another_could_not_be_read() -> None:
    known = facts(eks=Seen(why=WHY))
    assert rules.diagnose(known, named("foundation, nodes")).complete
    assert {each.area for each in rules.diagnose(known, named("foundation")).checks} == {Area.FOUNDATION}
    assert named(None) == named("") == frozenset(Area)
    with pytest.raises(InvalidRequest):
        named("foundation,weather")


# -- order and size


def test_what_blocks_comes_first_and_equal_weight_goes_the_way_a_cluster_comes_into_being() -> None:
    ill = facts(
        stack=Seen(StackSeen("arn:stack", "ROLLBACK_COMPLETE", failure=Seen(why=WHY))),
        eks=Seen(eks(public_endpoint=False)),
        security_groups=Seen({"sg-1": security_group(from_itself=False, leaves=False)}),
    )
    checks = rules.diagnose(ill).checks
    assert [(each.check, each.status, each.priority) for each in checks[:5]] == [
        (Name.FOUNDATION_STACK, FAIL, P0),
        (Name.ENDPOINT_ACCESS, FAIL, P0),
        (Name.SELF_REFERENCE, FAIL, P1),
        (Name.EGRESS, WARN, P1),
        (Name.S3_ROUTE, WARN, P2),
    ]
    assert [each.status for each in checks] == sorted((each.status for each in checks), key=list(Status).index)


def whole_size(known: Facts) -> int:
    return len(json.dumps(rules.diagnose(known).model_dump(mode="json")))


def test_a_hundred_broken_groups_fit_into_one_answer_that_says_how_much_it_leaves_out() -> None:
    words = "Lifecycle scripts did not run successfully. " + "é" * 3000
    many = [
        group(
            f"group-{number:03}",
            training_plan_arn=f"{PLAN}-{number}",
            capacity_type="training_plan",
            lifecycle=DesiredLifecycle(source_uri=f"s3://sagemaker-{number}/{'x' * 900}", on_create="on_create.sh"),
        )
        for number in range(100)
    ]
    groups = tuple(
        GroupSeen(each, 0, "Failed", f"{NODES}-{each.name}", (f"sg-{each.name}",), (f"subnet-{each.name}",))
        for each in many
    )
    places = {f"s3://sagemaker-{number}/{'x' * 900}/on_create.sh": Seen[None]() for number in range(100)}
    ill = facts(
        spec=spec(instance_groups=many),
        hyperpod=Seen(hyperpod(*groups, status="Failed", failure=words)),
        events=Seen(EventsSeen(tuple(Event(AT, each.name, f"i-{each.name}", words, 9) for each in many))),
        security_groups=Seen({}),
        plans={f"{PLAN}-{number}": Seen(None) for number in range(100)},
        entries={f"{NODES}-{each.name}": Seen(EntrySeen(None)) for each in many},
        scripts=places,
        nodes=Seen(NodesSeen(tuple(Node(f"i-{n}", "gpu", "Failure", words) for n in range(100)))),
    )
    told = rules.diagnose(ill)
    assert whole_size(ill) < bounds.SIZE_LIMIT
    assert max(Counter(each.check for each in told.checks).values()) == bounds.EACH
    assert sum(told.counts.model_dump().values()) == len(told.checks) + told.more_checks
    assert told.more_checks > 500
    assert any(each.more_evidence for each in told.checks)
    assert rules.diagnose(ill) == told


def test_evidence_goes_before_checks_do() -> None:
    long = [fact(f"f{number}", "x" * 320) for number in range(6)]
    checks = [failed(name, P0, "m" * 150, "r" * 150, "resource", long) for name in list(Name)[:20]]
    told = bounds.diagnosis("t1", AT, checks, complete=True)
    assert (len(told.checks), told.more_checks) == (20, 0)
    assert [bool(each.evidence) for each in told.checks] == sorted(
        (bool(e.evidence) for e in told.checks), reverse=True
    )
    assert {len(each.evidence) + each.more_evidence for each in told.checks} == {6}
    many = [passed(Name.ADDON, "m" * 480, "r" * 900).model_copy(update={"check": name}) for name in Name] * 3
    crowded = bounds.diagnosis("t1", AT, many, complete=True)
    assert len(json.dumps(crowded.model_dump(mode="json"))) < bounds.SIZE_LIMIT
    assert crowded.more_checks == len(many) - len(crowded.checks) > 0
