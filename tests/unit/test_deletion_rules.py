"""Decisions about deletions: their order, whose an interface is, what stands in the way, what a preview says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from functions.clusters.deletion.models import (
    BucketSeen,
    Deletion,
    Group,
    HyperPodSeen,
    Interface,
    Owner,
    Part,
    Seen,
    StackResource,
    StackSeen,
    VpcContents,
)
from functions.clusters.deletion.rules import preview
from functions.clusters.deletion.rules.blockers import (
    blocked,
    blockers_in,
    given_groups,
    going,
    leftover_interfaces,
    leftovers,
    of_cluster,
    owned_groups,
)
from functions.clusters.deletion.rules.findings import findings_of
from functions.clusters.deletion.rules.interfaces import Fate, blocker_of, fate_of, is_of_a_service, owner_of
from functions.clusters.deletion.rules.plan import DELETE_CLUSTER, DELETE_HYPERPOD, plan
from functions.clusters.rules import names_of
from functions.core.cluster import ClusterSpec, DesiredGroup, ReusedResources, Surroundings
from functions.core.ledger.models import PlannedStage
from functions.core.phases import BY_KIND

EKS = "eks-cluster-t1"
OWNER = Owner(EKS)
CLUSTER = "cluster.k8s.amazonaws.com/name"
SPEC = ClusterSpec(
    tag="t1",
    account_id="123456789012",
    region="us-west-2",
    names=names_of("t1", "123456789012", "us-west-2"),
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def interface(description: str, *, available: bool = False, instance: str = "") -> Interface:
    return Interface("eni-1", "subnet-1", description, available, instance)


def names(kind: str, *, imported: bool = False, **options: bool) -> list[str]:
    return [name for _, name in plan(kind, Deletion.model_validate(options), imported=imported)]


def case(seen: Seen, kind: str = DELETE_CLUSTER, deletion: Deletion | None = None) -> preview.Case:
    asked = deletion or Deletion()
    stages = [
        PlannedStage(phase=phase, name=name, function="f", title=name, expected_seconds=1)
        for phase, name in plan(kind, asked, imported=False)
    ]
    return preview.Case(kind, SPEC, asked, tuple(stages), seen)


def stack(status: str = "CREATE_COMPLETE", *, ours: bool = True) -> StackSeen:
    resources = (
        StackResource("Vpc", "AWS::EC2::VPC", "vpc-1", "CREATE_COMPLETE"),
        StackResource("ControlPlaneSubnetOne", "AWS::EC2::Subnet", "subnet-1", status),
        StackResource("NatGateway", "AWS::EC2::NatGateway", "nat-1", "CREATE_COMPLETE"),
        StackResource("Bucket", "AWS::S3::Bucket", SPEC.bucket, "CREATE_COMPLETE"),
    )
    return StackSeen("arn:stack", status, ours, resources)


def test_what_uses_goes_before_what_it_uses() -> None:
    order = names(DELETE_CLUSTER, delete_bucket=True)
    wanted = [
        "load_balancers_removal",
        "own_objects_removal:workloads",
        "hyperpod_removal",
        "addons_removal",
        "identity_chain_removal:s3-csi-driver",
        "helm_release_removal:dependencies",
        "compute_subnets_removal",
        "vpc_clearance",
        "foundation_removal",
        "bucket_removal",
        "absence",
    ]
    assert [name for name in order if name in wanted] == wanted


def test_a_bucket_goes_only_when_told() -> None:
    assert "bucket_removal" not in names(DELETE_CLUSTER)


def test_nothing_is_done_inside_a_cluster_that_is_left_out() -> None:
    skipped = set(names(DELETE_CLUSTER)) - set(names(DELETE_CLUSTER, skip_workloads=True))
    inside = {"load_balancers_removal", "own_objects_removal:workloads", "helm_release_removal:dependencies"}
    assert skipped == inside


def test_an_imported_cluster_keeps_its_foundation_and_its_load_balancers() -> None:
    spared = set(names(DELETE_CLUSTER)) - set(names(DELETE_CLUSTER, imported=True))
    assert spared == {"load_balancers_removal", "vpc_clearance", "foundation_removal"}


def test_the_door_of_an_imported_cluster_is_closed_once_nothing_can_stop_the_deletion() -> None:
    rights, left = "own_objects_removal:rights", "leave_cluster"
    last = ["compute_subnets_removal", rights, left, "absence"]
    assert names(DELETE_CLUSTER, imported=True)[-4:] == last
    # Each phase of a machine runs as a whole, in the machine's order.
    phases = [phase for phase, _ in plan(DELETE_CLUSTER, Deletion(), imported=True)]
    assert list(dict.fromkeys(phases)) == [each for each in BY_KIND[DELETE_CLUSTER].phases if each in phases]
    assert phases[-3:] == ["access_removal", "access_removal", "verify"]
    assert phases == sorted(phases, key=BY_KIND[DELETE_CLUSTER].phases.index)


def test_hyperpod_alone_leaves_the_rest() -> None:
    assert names(DELETE_HYPERPOD) == ["hyperpod_removal", "compute_subnets_removal", "absence"]


@pytest.mark.parametrize(
    ("description", "owner"),
    [
        ("ELB app/k8s-default-vllmext/50dc6c495c0c9188", "load balancer app/k8s-default-vllmext/50dc6c495c0c9188"),
        ("ELB a0123456789abcdef0123456789abcde", "load balancer a0123456789abcdef0123456789abcde"),
        ("Amazon EKS eks-cluster-t1", "control plane of EKS eks-cluster-t1"),
        ("aws-K8S-i-0abc", "pod network of node i-0abc"),
        ("Interface for NAT Gateway nat-1", "NAT gateway nat-1"),
        ("VPC Endpoint Interface vpce-1", "VPC endpoint vpce-1"),
        ("something", "an owner that it does not name (something)"),
        ("", "an owner that it does not name"),
    ],
)
def test_an_interface_is_known_by_its_description(description: str, owner: str) -> None:
    assert owner_of(interface(description)) == owner


def test_an_interface_of_an_instance_is_the_instances() -> None:
    assert owner_of(interface("", instance="i-1")) == "instance i-1"
    assert "Terminate" in blocker_of(interface("", instance="i-1")).remedy


@pytest.mark.parametrize(
    ("found", "fate"),
    [
        (interface(f"Amazon EKS {EKS}", available=True), Fate.DELETE),
        (interface(f"Amazon EKS {EKS}"), Fate.WAIT),
        (interface("Amazon EKS eks-cluster-t2", available=True), Fate.BLOCK),
        (interface("aws-K8S-i-1", available=True), Fate.DELETE),
        (interface("aws-K8S-i-1"), Fate.WAIT),
        (interface("ELB net/theirs/1"), Fate.WAIT),
        (interface("Interface for NAT Gateway nat-2"), Fate.BLOCK),
        (interface("mine", available=True), Fate.BLOCK),
        (interface("", instance="i-1"), Fate.BLOCK),
        (replace(interface("aws-K8S-i-1", available=True), tags={CLUSTER: "eks-cluster-t2"}), Fate.BLOCK),
        (replace(interface("aws-K8S-i-1", available=True), tags={CLUSTER: EKS}), Fate.DELETE),
    ],
)
def test_only_what_its_service_let_go_is_deleted(found: Interface, fate: Fate) -> None:
    assert fate_of(found, EKS) is fate


def test_the_interfaces_of_the_living_control_plane_are_not_waited_for() -> None:
    control_plane, node = interface(f"Amazon EKS {EKS}"), interface("aws-K8S-i-1")
    assert going([control_plane, node], EKS) == [node]
    assert leftover_interfaces([control_plane, node], EKS) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("net/k8s-default-vllmext-1/2", True),
        ("app/k8s-default-vllmext-1/2", True),
        ("a0123456789abcdef0123456789abcde", True),
        ("app/theirs/1", False),
        ("classic", False),
    ],
)
def test_load_balancers_of_services_are_known_by_their_names(name: str, expected: bool) -> None:
    assert is_of_a_service(name) is expected


def test_groups_that_the_cluster_s_controllers_made_are_its_leftovers() -> None:
    owned = Group("sg-1", "eks-cluster-sg-1", {f"kubernetes.io/cluster/{EKS}": "owned"})
    of_controller = Group("sg-2", "k8s-traffic", {"elbv2.k8s.aws/cluster": EKS})
    shared = Group("sg-3", "shared", {f"kubernetes.io/cluster/{EKS}": "shared"})
    other = Group("sg-4", "k8s-traffic", {"elbv2.k8s.aws/cluster": "eks-cluster-t2"})
    every = (owned, of_controller, shared, other)
    assert owned_groups(every, OWNER) == [owned, of_controller]
    assert leftovers(VpcContents((), every, ()), OWNER).groups == (owned, of_controller)
    # EKS takes its own along, as long as there is a cluster for it to delete.
    assert leftovers(VpcContents((), every, ()), replace(OWNER, stands=True)).groups == (of_controller,)


def test_a_group_that_the_cluster_was_given_is_never_a_leftover_of_it() -> None:
    group = DesiredGroup(name="a", instance_count=1, capacity_type="on_demand", security_group_ids=["sg-2", "sg-3"])
    plain = DesiredGroup(name="b", instance_count=1, capacity_type="on_demand")
    reused = ReusedResources(vpc_id="vpc-1", security_group_id="sg-1")
    around = Surroundings(eks_arn="arn", vpc_id="vpc-1", security_group_id="sg-4")
    spec = SPEC.model_copy(update={"reused": reused, "instance_groups": [group, plain], "surroundings": around})
    assert given_groups(spec) == {"sg-1", "sg-2", "sg-3", "sg-4"}
    assert given_groups(SPEC) == set()
    found = [Group(f"sg-{each}", "team", {f"kubernetes.io/cluster/{EKS}": "owned"}) for each in range(6)]
    owner = replace(OWNER, given=given_groups(spec))
    vpc = VpcContents((), tuple(found), ())
    spared = [found[0], found[5]]
    assert [*leftovers(vpc, owner).groups] == [*of_cluster(vpc, owner).groups] == spared
    # In a VPC of our own they stand in the way, and are named.
    assert [each.resource for each in blockers_in(vpc, owner, {"sg-4"})] == ["sg-1", "sg-2", "sg-3"]


def test_nothing_is_cleared_while_another_s_eks_cluster_has_the_name() -> None:
    left = replace(interface("aws-K8S-i-1", available=True), tags={CLUSTER: EKS})
    attached = replace(interface(f"Amazon EKS {EKS}"), interface_id="eni-2")
    node = replace(interface("aws-K8S-i-2"), interface_id="eni-3")
    group = Group("sg-1", "k8s-traffic", {"elbv2.k8s.aws/cluster": EKS})
    vpc, nothing = VpcContents((left, attached, node), (group,), ()), VpcContents((), (), ())
    theirs = replace(OWNER, stands=True, foreign=True)
    assert leftovers(vpc, replace(OWNER, stands=True)) == VpcContents((left,), (group,), ())
    assert leftovers(vpc, theirs) == of_cluster(vpc, theirs) == nothing
    # It is in the way of a VPC of our own; what leaves by itself is waited for as ever.
    assert [each.resource for each in blockers_in(vpc, theirs, set())] == ["eni-1", "eni-2", "sg-1"]
    assert blockers_in(vpc, OWNER, set()) == []
    # The preview promises no more than that.
    for foreign, deleted, blocking in ((False, ["eni-1"], []), (True, [], ["eni-1", "eni-2"])):
        asked = case(Seen(eks_status="ACTIVE", eks_foreign=foreign, interfaces=vpc.interfaces))
        named = [each.name for each in preview.changes_of(asked) if each.resource == "network interface"]
        blockers = [each.resource for each in findings_of(asked) if each.check == "blocker"]
        assert (named, blockers) == (deleted, blocking)


@pytest.mark.case(4)
def test_what_others_made_in_a_network_is_named_with_its_remedy_and_the_stack_s_own_is_not() -> None:
    vpc = VpcContents(
        interfaces=(
            interface("Interface for NAT Gateway nat-1"),
            Interface("eni-2", "subnet-1", "VPC Endpoint Interface vpce-2", available=False),
        ),
        groups=(Group("sg-1", "compute", {}), Group("sg-2", "theirs", {})),
        parts=(Part("subnet-1", "subnet"), Part("vpce-2", "VPC endpoint"), Part("rtb-2", "route table")),
    )
    found = blockers_in(vpc, OWNER, {"nat-1", "sg-1", "subnet-1"})
    assert [each.resource for each in found] == ["eni-2", "vpce-2", "rtb-2", "sg-2"]
    problem = blocked("The network", found, "t1")
    assert (problem.code, problem.status, [each.field for each in problem.errors]) == (
        "blocked",
        409,
        ["eni-2", "vpce-2", "rtb-2", "sg-2"],
    )
    assert "(and 1 more)" in problem.detail
    assert "DELETE /api/clusters/t1" in (problem.remedy or "")
    assert [each.remedy for each in problem.errors] == [each.remedy for each in found]
    assert all(each.remedy and each.remedy not in each.message for each in problem.errors)


def test_a_preview_deletes_backwards_and_marks_what_cannot_come_back() -> None:
    seen = Seen(
        stack=stack(),
        eks_status="ACTIVE",
        hyperpod=HyperPodSeen("arn:hp", "InService", 3, ours=True),
        bucket=BucketSeen(ours=True),
    )
    changes = preview.changes_of(replace(case(seen), ours=frozenset({"helm_release:dependencies"})))
    listed = [(each.action.value, each.resource, each.irreversible) for each in changes]
    assert listed == [
        ("delete", "HyperPod cluster", True),
        ("delete", "Helm release", False),
        ("delete", "CloudFormation stack", False),
        ("delete", "NAT gateway", False),
        ("delete", "subnet", False),
        ("delete", "VPC", False),
        ("delete", "record of the cluster", False),
        ("keep", "S3 bucket", False),
    ]


@pytest.mark.parametrize(
    ("origin", "ours", "others", "named"),
    [
        # Of a foundation alone nothing was installed.
        ("created", [], [], []),
        ("created", ["helm_release:dependencies"], [], ["delete"]),
        # Nobody could look, or there was none: it is not known to be anybody's.
        ("imported", [], [], []),
        ("imported", [], ["helm_release:dependencies"], ["keep"]),
        ("imported", ["helm_release:dependencies"], [], ["delete"]),
    ],
)
def test_a_release_goes_only_where_it_is_known_to_be_the_control_plane_s(
    origin: str, ours: list[str], others: list[str], named: list[str]
) -> None:
    asked = replace(
        case(Seen(eks_status="ACTIVE")),
        spec=SPEC.model_copy(update={"origin": origin}),
        ours=frozenset(ours),
        others=frozenset(others),
    )
    assert [each.action.value for each in preview.changes_of(asked) if each.resource == "Helm release"] == named


def test_a_stack_of_somebody_else_is_kept() -> None:
    changes = preview.changes_of(case(Seen(stack=stack(ours=False))))
    assert [(each.action.value, each.resource) for each in changes] == [
        ("delete", "record of the cluster"),
        ("keep", "CloudFormation stack"),
    ]


def test_a_hyperpod_cluster_of_somebody_else_is_kept_and_cannot_be_asked_to_go_alone() -> None:
    seen = Seen(hyperpod=HyperPodSeen("arn:hp", "InService", 3, ours=False))
    for kind in (DELETE_CLUSTER, DELETE_HYPERPOD):
        changes = preview.changes_of(case(seen, kind))
        listed = [each.action.value for each in changes if each.resource == "HyperPod cluster"]
        assert listed == ["keep"]
    [refused] = findings_of(case(seen, DELETE_HYPERPOD))
    assert (refused.level.value, refused.code, refused.resource) == ("error", "conflict", "arn:hp")
    assert findings_of(case(seen)) == []


@pytest.mark.parametrize(("origin", "ours"), [("imported", True), ("created", False)])
def test_a_bucket_that_is_not_the_control_plane_s_is_kept_whatever_was_asked_for(origin: str, ours: bool) -> None:
    spec = SPEC.model_copy(update={"origin": origin})
    for deletion in (Deletion(), Deletion(delete_bucket=True)):
        asked = replace(case(Seen(bucket=BucketSeen(ours)), deletion=deletion), spec=spec)
        [kept] = [each for each in preview.changes_of(asked) if each.resource == "S3 bucket"]
        assert (kept.action.value, kept.reason) == ("keep", "it is not the control plane's")
        refused = [(each.level.value, each.code, each.field) for each in findings_of(asked)]
        assert refused == ([("error", "conflict", "delete_bucket")] if deletion.delete_bucket else [])


def test_of_a_network_that_others_share_only_what_says_that_it_is_the_cluster_s_counts() -> None:
    ours = replace(interface("aws-K8S-i-1"), tags={CLUSTER: EKS})
    theirs = (interface("aws-K8S-i-2"), interface("ELB app/theirs/1"), interface("", instance="i-1"))
    group = Group("sg-1", "k8s-traffic", {"elbv2.k8s.aws/cluster": EKS})
    taken = Group("sg-2", "taken", {f"kubernetes.io/cluster/{EKS}": "owned"})
    vpc = VpcContents((ours, *theirs), (group, taken, Group("sg-3", "theirs", {})), (Part("subnet-1", "subnet"),))
    owner = replace(OWNER, given=frozenset({"sg-2"}))
    found = of_cluster(vpc, owner)
    assert found == VpcContents((ours,), (group,), ())
    assert blockers_in(found, owner, set()) == []


def test_load_balancers_in_a_reused_network_are_named_and_block_nothing() -> None:
    spec = SPEC.model_copy(update={"reused": ReusedResources(vpc_id="vpc-1")})
    balancer = interface("ELB net/k8s-default-vllmext-1/2")
    asked = replace(case(Seen(interfaces=(balancer,))), spec=spec)
    assert [each.resource for each in preview.changes_of(asked)] == ["record of the cluster", "VPC"]
    found = [(each.check, each.level.value, each.resource) for each in findings_of(asked)]
    assert found == [("load_balancer", "warning", "net/k8s-default-vllmext-1/2")]
    skipped = replace(case(Seen(interfaces=(balancer,)), deletion=Deletion(skip_workloads=True)), spec=spec)
    assert "load balancer" in [each.resource for each in preview.changes_of(skipped)]
    assert "blocker" not in [each.check for each in findings_of(skipped)]


@pytest.mark.case(5)
def test_only_what_failed_to_be_deleted_can_be_retained() -> None:
    asked = Deletion(retain_resources=["ControlPlaneSubnetOne"])
    [early] = findings_of(case(Seen(stack=stack()), deletion=asked))
    assert (early.level.value, early.code, early.field) == ("error", "conflict", "retain_resources")
    failed = Seen(stack=stack("DELETE_FAILED"))
    assert findings_of(case(failed, deletion=asked)) == []
    assert ("keep", "subnet") in [
        (each.action.value, each.resource) for each in preview.changes_of(case(failed, deletion=asked))
    ]
    [unknown] = findings_of(case(failed, deletion=Deletion(retain_resources=["Vpc"])))
    assert unknown.allowed == ["ControlPlaneSubnetOne"]


def test_an_unknown_stack_refuses_no_retention() -> None:
    seen = Seen(unchecked={"stack": "AWS answered Throttling"})
    findings = findings_of(case(seen, deletion=Deletion(retain_resources=["Vpc"])))
    assert [(each.check, each.level.value) for each in findings] == [("stack", "warning")]
