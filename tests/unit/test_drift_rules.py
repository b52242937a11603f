"""What counts as drift of a stack, which change sets are executed, and what a detection and a repair consist of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from functions.capacity.rules.drifts import GROUP
from functions.clusters.drift.models import DriftReport
from functions.clusters.drift.rules import plans, previews, stack
from functions.clusters.drift.rules.stack import Difference, ResourceDrift, StackChange
from functions.clusters.models import Condition
from functions.clusters.names import derived
from functions.core.cluster import ClusterNames, ClusterSpec, DesiredGroup, DesiredMount
from functions.core.drifts import ASIDE, LONGEST_VALUE, Drift, Unknown, drift, found_in, result_of, theirs
from functions.core.findings import Level

AT = datetime(2026, 1, 1, tzinfo=UTC)
DEPENDENCIES = [
    "access_entry:admin",
    "access_entry:operator",
    "cluster_role:operator",
    "helm_release:dependencies",
    "addon:coredns",
    "addon:eks-pod-identity-agent",
    "identity_chain:s3-csi-driver",
    "addon:aws-mountpoint-s3-csi-driver",
]
HYPERPOD = ["compute_subnet:us-west-2c", "lifecycle_scripts", "hyperpod_cluster", "hyperpod_nodes"]


def test_a_result_says_nothing_of_what_is_not_known_so_that_the_release_before_reads_it_too() -> None:
    found: list[Drift | Unknown] = [
        drift("r", "k", None, expected=None, actual="absent"),
        Unknown(resource="r", kind="k", why="denied"),
    ]
    assert result_of(found)["found"] == [
        {"state": "drifted", "resource": "r", "kind": "k", "actual": "absent"},
        {"state": "unknown", "resource": "r", "kind": "k", "why": "denied", "repaired_by": []},
    ]


def test_who_finds_something_of_others_in_the_place_of_what_was_made_is_told_what_helps() -> None:
    assert (theirs("c", "cluster").repaired_by, theirs("c", "cluster").remedy) == (None, ASIDE)


def spec(**changes: object) -> ClusterSpec:
    names = ClusterNames(**derived("t1", "123456789012", "us-west-2"))
    whole = ClusterSpec(
        tag="t1",
        account_id="123456789012",
        region="us-west-2",
        names=names,
        created_at=AT,
        availability_zone="us-west-2c",
        instance_groups=[
            DesiredGroup(name="gpu", instance_type="ml.g6.4xlarge", instance_count=2, capacity_type="on_demand")
        ],
        mounts=[DesiredMount(name="s3-claim", namespace="default"), DesiredMount(name="data", namespace="team")],
    )
    return whole.model_copy(update=changes)


def conditions(**statuses: str) -> list[Condition]:
    """Conditions by type; a status is `True`, or `False` with its reason after a colon."""
    parts = {kind: text.partition(":") for kind, text in statuses.items()}
    return [
        Condition.model_validate({"type": kind, "status": status, "reason": reason or "Stands"})
        for kind, (status, _, reason) in parts.items()
    ]


STANDING = conditions(FoundationReady="True", DependenciesReady="True", HyperPodReady="True", StorageReady="True")


def report(*found: Drift | Unknown) -> DriftReport:
    return DriftReport(
        cluster_tag="t1",
        operation_id="op",
        detected_at=AT,
        spec_version=1,
        in_sync="False",
        message="",
        drifts=[each for each in found if isinstance(each, Drift)],
        unknown=[each for each in found if isinstance(each, Unknown)],
    )


def counted(actual: str, expected: str = "2") -> Drift:
    return drift("gpu", GROUP, "hyperpod_cluster", "count", expected=expected, actual=actual)


# -- the stack


TAGS = stack.StackTags(
    standing={"team": "ml", "owner": "ann", "backup": "daily", "instantstart:operation": "old"},
    wanted={"team": "research", "cost-center": "42", "backup": "daily", "instantstart:operation": "old"},
    foreign=frozenset({"backup"}),
)


@pytest.mark.parametrize(
    ("tag", "value", "expected"),
    [
        # As somebody asked for it since the stack was made.
        ("team", "research", None),
        ("owner", None, None),
        ("cost-center", "42", None),
        # Of another operation than the stack's.
        ("instantstart:operation", "new", None),
        # Of others, who may do with it as they please.
        ("backup", "weekly", None),
        ("backup", None, None),
        ("team", "ml", "research"),
        ("team", None, "research"),
        ("owner", "bob", "absent"),
        ("cost-center", "43", "42"),
    ],
)
def test_a_tag_is_compared_with_what_is_wanted_by_now(tag: str, value: str | None, expected: str | None) -> None:
    difference = Difference("/Tags/0/Value", "whatever", value or "null", "NOT_EQUAL", tag, value)
    found = stack.drifts_of([ResourceDrift("Vpc", "vpc-1", "AWS::EC2::VPC", "MODIFIED", (difference,))], TAGS)
    assert [(each.property, each.expected, each.actual) for each in found] == (
        [(f"tag {tag}", expected, value or "absent")] if expected else []
    )


def test_company_tags_of_the_eks_cluster_are_compared_with_what_is_wanted_whatever_the_stack_expects() -> None:
    told = Difference("/Tags/0/Value", "ml", "bob", "NOT_EQUAL", "team", "bob")
    assert stack.drifts_of([ResourceDrift("EksCluster", "eks", stack.CLUSTER, "MODIFIED", (told,))], TAGS) == []
    found = stack.cluster_tag_drifts("eks", {"team": "ml", "owner": "ann", "cost-center": "42", "other": "1"}, TAGS)
    assert [(each.property, each.expected, each.actual) for each in found] == [
        ("tag owner", "absent", "ann"),
        ("tag team", "research", "ml"),
    ]


def test_a_tag_of_the_template_itself_is_compared_with_the_template() -> None:
    difference = Difference("/Tags/0/Value", "vpc", "mine", "NOT_EQUAL", "Name", "mine")
    [found] = stack.drifts_of([ResourceDrift("Vpc", "vpc-1", "AWS::EC2::VPC", "MODIFIED", (difference,))], TAGS)
    assert (found.property, found.expected, found.actual) == ("/Tags/0/Value", "vpc", "mine")


@pytest.mark.parametrize(
    ("kind", "difference", "own"),
    [
        (stack.ENDPOINT, Difference("/RouteTableIds/2", "null", "rtb-9", "ADD"), True),
        (stack.ENDPOINT, Difference("/RouteTableIds/0", "rtb-1", "null", "REMOVE"), False),
        (stack.CLUSTER, Difference("/Version", "1.33", "1.34", "NOT_EQUAL"), True),
        (stack.ADDON, Difference("/AddonVersion", "v1.9.9-eksbuild.1", "v1.20.4-eksbuild.1", "NOT_EQUAL"), True),
        (stack.ADDON, Difference("/AddonVersion", "v1.20.4-eksbuild.1", "v1.18.3-eksbuild.9", "NOT_EQUAL"), False),
        ("AWS::IAM::Role", Difference("/ManagedPolicyArns/1", "null", "arn", "ADD"), False),
    ],
)
def test_what_later_stages_and_upgrades_did_is_no_drift(kind: str, difference: Difference, own: bool) -> None:
    found = ResourceDrift("Thing", "id-1", kind, "MODIFIED", (difference,))
    assert stack.drifts_of([found]) == (
        []
        if own
        else [
            drift(
                "Thing (id-1)",
                kind,
                stack.STAGE,
                difference.path,
                expected=difference.expected,
                actual=difference.actual,
            )
        ]
    )


def test_a_resource_that_is_gone_is_told_as_a_whole() -> None:
    [found] = stack.drifts_of([ResourceDrift("Route", "", "AWS::EC2::Route", "DELETED")])
    assert (found.resource, found.property, found.actual) == ("Route", None, "absent")


def test_a_change_set_keeps_parameters_but_for_versions_that_moved_on() -> None:
    previous = {"KubernetesVersion": "1.33", "VpcCniVersion": "v1.20.4-eksbuild.1", "ClusterTag": "t1"}
    standing = {"KubernetesVersion": "1.34", "VpcCniVersion": "v1.18.3-eksbuild.1"}
    assert stack.parameters_after(previous, standing) == {
        "KubernetesVersion": "1.34",
        "VpcCniVersion": None,
        "ClusterTag": None,
    }


CHANGE = StackChange("Vpc", "AWS::EC2::VPC", "Modify", "False", "MODIFIED", frozenset({"EnableDnsHostnames"}))


@pytest.mark.case(3)
@pytest.mark.parametrize(
    ("change", "refused"),
    [
        (CHANGE, False),
        (replace(CHANGE, replacement="True"), True),
        (replace(CHANGE, replacement="Conditional"), True),
        (replace(CHANGE, action="Remove", replacement=""), True),
        (replace(CHANGE, action="Dynamic", replacement=""), True),
        (replace(CHANGE, action="Add", replacement="", drift_status="DELETED"), False),
        (replace(CHANGE, replacement="True", drift_status="DELETED"), False),
        (StackChange("EksCluster", stack.CLUSTER, "Add", "", "DELETED"), True),
    ],
)
def test_nothing_that_stands_is_made_anew_unless_it_was_agreed_to(change: StackChange, refused: bool) -> None:
    assert stack.replaced([change], []) == ([change.logical_id] if refused else [])
    assert stack.replaced([change], [change.logical_id]) == []


def test_a_change_set_that_only_takes_our_route_tables_is_not_worth_executing() -> None:
    tables = StackChange("S3Endpoint", stack.ENDPOINT, "Modify", "False", "MODIFIED", frozenset({"RouteTableIds"}))
    assert not stack.worth_executing([tables])
    assert stack.worth_executing([tables, CHANGE])
    assert stack.worth_executing([replace(tables, properties=frozenset({"RouteTableIds", "Tags"}))])


# -- plans


def test_what_was_made_follows_from_conditions_and_desired_state() -> None:
    every = [name for _, name in plans.made(spec(), STANDING, {})]
    assert every == [stack.STAGE, *DEPENDENCIES, *HYPERPOD, "mount:s3-claim", "mount:team/data"]
    founded = conditions(FoundationReady="True", DependenciesReady="False:Failed", HyperPodReady="False:Removed")
    assert [name for _, name in plans.made(spec(), founded, {})] == [stack.STAGE, *DEPENDENCIES]
    assert plans.made(spec(instance_groups=[], mounts=[]), STANDING, {})[-1][1] == DEPENDENCIES[-1]
    # A deletion that began to take the foundation left out what is inside of it.
    going = conditions(FoundationReady="False:RemovalFailed", StorageReady="True")
    assert plans.made(spec(), going, {}) == []


@pytest.mark.parametrize(
    ("recorded", "made"),
    [
        ({}, []),
        ({"foundation": ["foundation"]}, []),
        # In the order of a creation, and without what no stage can look at.
        (
            {"dependencies": ["subnet_tags", "addon:coredns", "cluster_role:operator", "access_entry:admin"]},
            ["access_entry:admin", "cluster_role:operator", "addon:coredns"],
        ),
        ({"hyperpod": HYPERPOD}, HYPERPOD),
        # Of an attempt in another zone, before the one that succeeded.
        ({"hyperpod": ["compute_subnet:us-west-2a", *HYPERPOD]}, HYPERPOD),
        # The HyperPod cluster itself was there already.
        ({"hyperpod": [HYPERPOD[0], "lifecycle_scripts", "hyperpod_nodes"]}, [HYPERPOD[0]]),
        ({"storage": ["mount:team/data"]}, ["mount:team/data"]),
    ],
)
def test_what_was_made_on_an_imported_cluster_is_on_record_whatever_was_found(
    recorded: dict[str, list[str]], made: list[str]
) -> None:
    assert [name for _, name in plans.made(spec(origin="imported"), STANDING, recorded)] == made
    assert plans.made(spec(), STANDING, recorded) == plans.made(spec(), STANDING, {})


def test_a_hyperpod_cluster_made_on_an_imported_one_is_mended_in_the_subnets_that_its_groups_were_given() -> None:
    [zonal] = spec().instance_groups
    given = zonal.model_copy(update={"name": "given", "subnet_id": "subnet-1"})
    asked = spec(origin="imported", instance_groups=[given, zonal])
    # What the caller gave is only judged, so no record says that it was made.
    made = plans.made(asked, STANDING, {"hyperpod": [*HYPERPOD]})
    whole = ["compute_subnet:subnet-1", *HYPERPOD]
    assert [name for _, name in made] == whole
    assert [name for _, name in plans.needed([counted("1")], made)] == whole


def test_a_repair_of_an_imported_cluster_ends_with_a_look_at_all_of_it() -> None:
    stages = plans.repair(report(), [("dependencies", "addon:coredns")], imported=True).stages
    assert [name for _, name in stages] == [
        "verify",
        "detect_cluster",
        "detect_workloads",
        "addon_drift:coredns",
        "drift_report",
    ]
    assert {phase for phase, _ in stages} == {"verify"}


def test_each_kind_of_stage_is_looked_at_once_and_a_report_ends_it() -> None:
    assert [name for _, name in plans.looks(plans.made(spec(), STANDING, {}))] == [
        "foundation_drift",
        "access_entry_drift:admin,operator",
        "cluster_role_drift:operator",
        "helm_release_drift:dependencies",
        "addon_drift:coredns,eks-pod-identity-agent,aws-mountpoint-s3-csi-driver",
        "identity_chain_drift:s3-csi-driver",
        "compute_subnet_drift",
        "hyperpod_drift",
        "mount_drift",
        "drift_report",
    ]


MADE = plans.made(spec(), STANDING, {})


@pytest.mark.parametrize(
    ("found", "needed"),
    [
        ([], []),
        ([drift("a", "b", None, expected="x", actual="y")], []),
        ([drift("coredns", "EKS add-on", "addon:coredns", expected="x", actual="y")], ["addon:coredns"]),
        # A stack that is brought back takes the subnets' route tables from its endpoint.
        ([drift("a", "b", stack.STAGE, expected="x", actual="y")], [stack.STAGE, HYPERPOD[0]]),
        ([counted("1")], HYPERPOD),
        ([Unknown(resource="a", kind="b", why="?", repaired_by=["mount:team/data"])], ["mount:team/data"]),
    ],
)
def test_a_repair_runs_the_stages_that_mend_something(found: list[Drift | Unknown], needed: list[str]) -> None:
    assert [name for _, name in plans.needed(found, MADE)] == needed
    left = set(plans.superfluous(found, MADE))
    assert [name for _, name in MADE if name not in left] == needed


def test_a_repair_without_a_detection_begins_with_one_and_every_repair_ends_with_one() -> None:
    with_own, by_report = plans.repair(None, MADE), plans.repair(report(), MADE)
    assert (with_own.detects, by_report.detects) == (True, False)
    assert [phase for phase, _ in with_own.stages[:10]] == ["drift"] * 10
    assert by_report.stages == [("verify", "verify"), *plans.looks(MADE, "verify")]
    assert with_own.stages[-len(by_report.stages) :] == by_report.stages


def test_a_cluster_is_in_sync_only_when_everything_was_seen() -> None:
    unseen = Unknown(resource="r", kind="k", why="denied")
    assert plans.sentence([], [])[:2] == ("True", "InSync")
    assert plans.sentence([], [unseen])[:2] == ("Unknown", "NotLookedAt")
    status, reason, message = plans.sentence([counted("1"), counted("1")], [unseen])
    assert (status, reason, message) == ("False", "Drifted", "1 resource differs: count of gpu is 1, not 2")


# -- previews


def test_a_preview_marks_what_ends_instances_and_keeps_what_was_agreed_to() -> None:
    more, fewer = report(counted("5")), report(counted("1"))
    plan = plans.repair(more, MADE)
    [change] = previews.changes(more, plan, [])
    assert (change.irreversible, "3 of its instances are ended" in change.reason) == (True, True)
    assert previews.agreed(more, plan) == ["instance group gpu 2"]
    [change] = previews.changes(fewer, plan, [])
    assert (change.irreversible, previews.agreed(fewer, plan)) == (False, [])


def test_a_preview_tells_what_reverting_the_stack_takes_for_a_moment_and_what_is_accepted() -> None:
    found = report(drift("Vpc (vpc-1)", "AWS::EC2::VPC", stack.STAGE, "/X", expected="a", actual="b"))
    changes = previews.changes(found, plans.repair(found, MADE), ["Vpc"])
    assert [(change.name, change.irreversible) for change in changes] == [
        ("Vpc (vpc-1)", False),
        ("S3Endpoint", False),
        ("Vpc", True),
    ]


def test_findings_say_what_was_not_looked_at_and_what_is_left_alone() -> None:
    assert [each.check for each in previews.findings(None, plans.repair(None, MADE))] == [previews.UNLOOKED]
    theirs = drift("cpu", GROUP, None, expected="absent", actual="somebody added it", remedy="Remove it.")
    unseen = Unknown(resource="r", kind="k", why="denied", remedy="Let us in.")
    found = report(theirs, unseen)
    told = previews.findings(found, plans.repair(found, MADE))
    assert [(each.check, each.remedy) for each in told] == [
        (previews.NOT_OURS, "Remove it."),
        (previews.UNSEEN, "Let us in."),
    ]
    assert not any("not made here" in each.message or (each.remedy or "?") in each.message for each in told)


@pytest.mark.parametrize(
    ("found", "request_path"),
    [
        (drift("data", "mount", "mount:team/data", expected="present", actual="absent"), "storage"),
        (drift("coredns", "EKS add-on", "addon:coredns", expected="installed", actual="absent"), "dependencies"),
        (drift("rtb-1", "table", HYPERPOD[0], "default route", expected="nat-1", actual="none"), "hyperpod"),
        (counted("5"), "hyperpod"),
        (drift("Vpc", "AWS::EC2::VPC", stack.STAGE, expected="present", actual="absent"), "drift"),
    ],
)
def test_what_no_stage_of_a_repair_mends_is_no_change_of_it_and_told_with_what_makes_it(
    found: Drift, request_path: str
) -> None:
    known = report(found)
    # Mounts are looked at as they are asked for; of these one was made here.
    plan = plans.repair(known, [("storage", "mount:s3-claim")])
    assert previews.changes(known, plan, []) == []
    assert previews.agreed(known, plan) == []
    [told] = previews.findings(known, plan)
    assert (told.check, told.level, told.resource) == (previews.UNPLANNED, Level.WARNING, found.resource)
    assert f"POST /api/clusters/t1/{request_path} " in (told.remedy or "")


def test_every_stage_that_mends_something_is_made_by_a_request() -> None:
    for _, name in plans.made(spec(), STANDING, {}):
        if name not in (stack.STAGE, plans.NODES):
            stray = report(drift("r", "k", name, expected="a", actual="b"))
            [told] = previews.findings(stray, plans.RepairPlan())
            assert "makes it as it is asked for" in (told.remedy or ""), name


def test_what_a_stage_found_survives_its_record_and_stays_small() -> None:
    found: list[Drift | Unknown] = [counted("1"), Unknown(resource="r", kind="k", why="denied")]
    assert found_in(result_of(found)) == found
    # As it was kept before there were remedies.
    kept = [{name: value for name, value in each.model_dump(mode="json").items() if name != "remedy"} for each in found]
    assert found_in({"found": [*kept]}) == found
    assert result_of([counted("1")] * 100)["more"] == 40
    long = drift("r", "k", None, expected="x" * 10_000, actual=None).expected or ""
    assert len(long) == LONGEST_VALUE + 1
