"""What follows from a look at somebody else's cluster: refusals, warnings, conditions, changes, what is left alone."""

from __future__ import annotations

import base64
import gzip
import json
from datetime import UTC, datetime
from typing import Literal

import pytest

from functions.clusters.importing.models.found import (
    Component,
    Detected,
    FoundEks,
    FoundGroup,
    FoundHyperPod,
    FoundNetwork,
    FoundSecurityGroup,
    FoundSubnet,
    FoundVolume,
    Inside,
    Outside,
    Presence,
    Reach,
    Unknown,
)
from functions.clusters.importing.models.requests import Consents, ForgetCluster, ImportCluster
from functions.clusters.importing.rules import adoption, conclusions, planning
from functions.clusters.importing.rules.access import commands
from functions.clusters.importing.rules.admission import admit
from functions.clusters.importing.rules.conclusions import Given
from functions.clusters.importing.rules.conditions import conditions_of
from functions.clusters.importing.rules.findings import findings_of
from functions.clusters.models import Condition
from functions.core.cluster import ClusterSpec, DesiredGroup
from functions.core.findings import Level
from functions.kubernetes_api import releases

AT = datetime(2026, 1, 1, tzinfo=UTC)
ARN = "arn:aws:eks:us-west-2:123456789012:cluster/theirs"
ROLE = "arn:aws:iam::123456789012:role/nodes"
OPERATOR = "instantstart:operator"
NEEDED = (
    ("helm_release", "dependencies"),
    ("addon", "coredns"),
    ("addon", "eks-pod-identity-agent"),
    ("cluster_role", OPERATOR),
    ("addon", "vpc-cni"),
)
IN = Reach(reachable="present", reason="LetIn", message="in")
OUT = Reach(reachable="absent", reason="NoAccessEntry", message="out")


def eks(**changes: object) -> FoundEks:
    found = {
        "name": "theirs",
        "arn": ARN,
        "status": "ACTIVE",
        "version": "1.33",
        "authentication_mode": "API",
        "role_arn": "arn:aws:iam::123456789012:role/control-plane",
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-1"],
        "public_endpoint": True,
        "private_endpoint": True,
        "public_cidrs": ["0.0.0.0/0"],
        "service_cidr": "10.100.0.0/16",
        "issuer": "https://issuer",
        "cluster_security_group_id": "sg-own",
        "security_group_ids": ["sg-more"],
    }
    return FoundEks.model_validate(found | changes)


def subnet(**changes: object) -> FoundSubnet:
    found = {
        "subnet_id": "subnet-1",
        "availability_zone": "us-west-2a",
        "cidr": "10.0.0.0/24",
        "free_addresses": 250,
        "of_control_plane": True,
        "public": False,
        "load_balancer_roles": ["kubernetes.io/role/internal-elb"],
    }
    return FoundSubnet.model_validate(found | changes)


NETWORK = FoundNetwork(vpc_id="vpc-1", subnets=[subnet()], nat_gateways=["nat-1"], s3_endpoints=[])
WORKERS = FoundGroup(
    name="workers",
    instance_types=["ml.g6.4xlarge"],
    current=2,
    target=2,
    capacity_type="on_demand",
    status="InService",
    execution_role_arn=ROLE,
)
HYPERPOD = FoundHyperPod(
    name="theirs-hp", arn="arn:hp", status="InService", provisioning="classic", node_recovery="none", groups=[WORKERS]
)
DESIRED = DesiredGroup.model_validate(
    {
        "name": "workers",
        "instance_type": "ml.unheard.of",
        "instance_count": 2,
        "capacity_type": "on_demand",
        "subnet_id": "subnet-1",
        "security_group_ids": ["sg-nodes"],
        "lifecycle": {"source_uri": "s3://sagemaker-theirs/scripts", "on_create": "a.sh"},
    }
)


def component(kind: str, name: str, presence: Presence = "present", **more: object) -> Component:
    version = {"version": "v1.19.2-eksbuild.1"} if name == "vpc-cni" else {}
    return Component.model_validate({"kind": kind, "name": name, "presence": presence, **version, **more})


def parts(*without: str) -> list[Component]:
    return [component(kind, name) for kind, name in NEEDED if name not in without]


def outside(**changes: object) -> Outside:
    found: dict[str, object] = {
        "eks": eks(),
        "groups": [DESIRED],
        "network": NETWORK,
        "hyperpod": HYPERPOD,
        "components": parts(),
    }
    return Outside.model_validate(found | changes)


def inside(**changes: object) -> Inside:
    return Inside.model_validate({"reach": IN} | changes)


def spec(**changes: object) -> ClusterSpec:
    request = ImportCluster(eks_cluster_name="theirs", tag="a")
    made = planning.spec_of(request, "a", "123456789012", "us-west-2", eks(), AT)
    return made.model_copy(update=changes)


def detected(found: Outside, seen: Inside) -> Detected:
    return conclusions.detected(found, seen, [], "01", AT)


def verdict(kind: str, found: Outside, seen: Inside) -> tuple[str, str]:
    judged = conditions_of(found, seen)[kind]
    return judged.status, judged.reason


@pytest.mark.parametrize(
    ("found", "consents", "checks"),
    [
        (eks(), Consents(), []),
        (eks(version="1.27"), Consents(), [("kubernetes_version", Level.WARNING)]),
        (eks(status="CREATING"), Consents(), [("eks_cluster_status", Level.ERROR)]),
        (eks(public_endpoint=False), Consents(), [("private_endpoint_only", Level.ERROR)]),
        (eks(authentication_mode="CONFIG_MAP"), Consents(), [("unsupported_auth_mode", Level.ERROR)]),
        (
            eks(authentication_mode="CONFIG_MAP"),
            Consents(move_authentication_mode=True),
            [("unsupported_auth_mode", Level.WARNING)],
        ),
        (None, Consents(), [("eks_cluster_absent", Level.ERROR)]),
    ],
)
def test_a_cluster_is_judged_before_it_is_taken_in(
    found: FoundEks | None, consents: Consents, checks: list[tuple[str, Level]]
) -> None:
    findings = admit("theirs", found, consents)
    assert [(each.check, each.level) for each in findings] == checks
    assert all(each.remedy for each in findings if each.level is Level.ERROR)


@pytest.mark.parametrize(
    ("kind", "found", "seen", "judged"),
    [
        ("FoundationReady", outside(), inside(), ("True", "Found")),
        ("FoundationReady", outside(eks=eks(status="UPDATING")), inside(), ("False", "NotActive")),
        ("FoundationReady", outside(network=None), inside(), ("Unknown", "NetworkUnknown")),
        ("FoundationReady", outside(components=parts("vpc-cni")), inside(reach=OUT), ("Unknown", "CniUnknown")),
        ("FoundationReady", outside(components=parts("vpc-cni")), inside(), ("False", "CniUnsuitable")),
        (
            "FoundationReady",
            outside(components=[*parts("vpc-cni"), component("addon", "vpc-cni", version="v1.15.0-eksbuild.1")]),
            inside(),
            ("False", "CniUnsuitable"),
        ),
        ("DependenciesReady", outside(), inside(), ("True", "Found")),
        ("DependenciesReady", outside(components=parts("dependencies")), inside(reach=OUT), ("Unknown", "NotLookedAt")),
        (
            "DependenciesReady",
            outside(components=[*parts("coredns"), component("addon", "coredns", "absent")]),
            inside(),
            ("False", "Missing"),
        ),
        (
            "DependenciesReady",
            outside(components=[*parts("coredns"), component("addon", "coredns", status="DEGRADED")]),
            inside(),
            ("False", "Missing"),
        ),
        ("HyperPodReady", outside(), inside(), ("True", "Found")),
        ("HyperPodReady", outside(hyperpod=None), inside(), ("False", "Absent")),
        (
            "HyperPodReady",
            outside(hyperpod=None, unknown=[Unknown(what="hyperpod", reason="denied")]),
            inside(),
            ("Unknown", "NotLookedAt"),
        ),
        (
            "HyperPodReady",
            outside(hyperpod=HYPERPOD.model_copy(update={"groups": [WORKERS.model_copy(update={"current": 1})]})),
            inside(),
            ("False", "Short"),
        ),
        ("StorageReady", outside(), inside(), ("False", "Absent")),
        ("StorageReady", outside(), inside(reach=OUT), ("Unknown", "NotLookedAt")),
        ("KubernetesReachable", outside(), inside(reach=OUT), ("False", "NoAccessEntry")),
    ],
)
def test_conditions_are_measured_and_what_was_not_seen_is_unknown(
    kind: str, found: Outside, seen: Inside, judged: tuple[str, str]
) -> None:
    assert verdict(kind, found, seen) == judged


def test_a_bound_volume_is_storage() -> None:
    volume = FoundVolume(name="data", driver="fsx.csi.aws.com", handle="fs-1", phase="Bound")
    assert verdict("StorageReady", outside(), inside(volumes=[volume])) == ("True", "Found")


@pytest.mark.case(13)
@pytest.mark.case(60)
def test_what_will_hurt_later_is_a_warning_with_a_remedy() -> None:
    found = outside(
        network=FoundNetwork(
            vpc_id="vpc-1", subnets=[subnet(load_balancer_roles=[])], nat_gateways=[], s3_endpoints=[]
        ),
        security_groups=[FoundSecurityGroup(group_id="sg-nodes", from_itself=True, to_itself=False)],
        components=parts("vpc-cni"),
        s3_driver_role_arn="arn:aws:iam::123456789012:role/theirs",
    )
    findings = findings_of(found, inside(), "instantstart-a-us-west-2-s3-csi")
    assert [each.check for each in findings] == [
        "vpc_cni_version",
        "lb_subnet_tags",
        "no_nat_gateway",
        "efa_security_group",
        "s3_driver_role",
    ]
    assert {each.level for each in findings} == {Level.WARNING}
    assert all(each.remedy for each in findings)
    assert findings_of(outside(), inside(), "instantstart-a-us-west-2-s3-csi") == []


def test_the_desired_state_takes_what_was_found_even_of_types_that_nobody_here_knows() -> None:
    changes = conclusions.spec_changes(spec(), outside(), Given())
    assert set(changes) == {"names", "surroundings", "instance_groups", "node_recovery", "availability_zone"}
    read = ClusterSpec.model_validate(spec().model_dump(mode="json") | changes)
    assert (read.names.hyperpod_cluster, read.names.bucket, read.names.execution_role) == (
        "theirs-hp",
        "sagemaker-theirs",
        "nodes",
    )
    assert read.instance_groups == [DESIRED]
    assert read.surroundings is not None
    assert (read.surroundings.security_group_id, read.surroundings.execution_role_arn) == ("sg-nodes", ROLE)
    assert conclusions.spec_changes(read, outside(), Given()) == {}


def test_what_could_not_be_seen_changes_no_groups() -> None:
    known = ClusterSpec.model_validate(
        spec().model_dump(mode="json") | conclusions.spec_changes(spec(), outside(), Given())
    )
    blind = outside(hyperpod=None, groups=None, unknown=[Unknown(what="hyperpod", reason="denied")])
    assert "instance_groups" not in conclusions.spec_changes(known, blind, Given())
    gone = outside(hyperpod=None, groups=[])
    assert conclusions.spec_changes(known, gone, Given())["instance_groups"] == []


ASKED = spec().model_copy(update={"instance_groups": [DESIRED.model_copy(update={"labels": {"team": "ours"}})]})


@pytest.mark.parametrize("marked", [True, None])
def test_a_hyperpod_cluster_that_was_made_here_stays_as_it_was_asked_for(*, marked: bool | None) -> None:
    asked = ASKED
    changes = conclusions.spec_changes(asked, outside(hyperpod_marked=marked), Given(), made_hyperpod=True)
    assert set(changes) == {"names", "surroundings"}
    read = ClusterSpec.model_validate(asked.model_dump(mode="json") | changes)
    assert read.names.hyperpod_cluster == asked.names.hyperpod_cluster
    assert read.names.bucket == "sagemaker-theirs"


def test_a_hyperpod_cluster_that_others_put_in_the_place_of_ours_is_taken_as_it_is() -> None:
    changes = conclusions.spec_changes(ASKED, outside(hyperpod_marked=False), Given(), made_hyperpod=True)
    read = ClusterSpec.model_validate(ASKED.model_dump(mode="json") | changes)
    assert (read.names.hyperpod_cluster, read.instance_groups) == ("theirs-hp", [DESIRED])


def test_a_security_group_for_instances_is_chosen_that_lets_its_members_talk() -> None:
    open_one = FoundSecurityGroup(group_id="sg-more", from_itself=True, to_itself=True)
    bare = outside(hyperpod=None, groups=[])
    for groups, chosen in (([], "sg-own"), ([open_one], "sg-more")):
        changes = conclusions.spec_changes(spec(), bare.model_copy(update={"security_groups": groups}), Given())
        around = changes.get("surroundings") or spec().model_dump(mode="json")["surroundings"]
        assert isinstance(around, dict)
        assert around["security_group_id"] == chosen


def test_two_looks_are_compared_in_sentences() -> None:
    before = detected(outside(), inside())
    added = WORKERS.model_copy(update={"name": "added", "target": 4})
    grown = WORKERS.model_copy(update={"target": 3})
    now = detected(
        outside(
            eks=eks(version="1.34"),
            hyperpod=HYPERPOD.model_copy(update={"groups": [grown, added]}),
            components=[*parts("coredns"), component("addon", "coredns", "absent")],
        ),
        inside(reach=OUT),
    )
    assert conclusions.changes_since(None, before) == []
    assert conclusions.changes_since(before, before) == []
    assert conclusions.changes_since(before, now) == [
        "EKS cluster theirs: version 1.33 → 1.34",
        "API server of theirs: LetIn → NoAccessEntry",
        "instance group added was added: 4 x ml.g6.4xlarge",
        "instance group workers: 2 → 3 instances",
        "addon coredns: present → absent",
    ]
    assert "instance group added is gone" in conclusions.changes_since(now, before)


def test_what_is_there_twice_is_told_once_and_what_is_there_counts() -> None:
    absent, found = component("addon", "vpc-cni", "absent"), component("addon", "vpc-cni", managed_by="manifests")
    assert conclusions.merged([absent, found]) == [found]
    eks_addon = component("addon", "vpc-cni", managed_by="external")
    assert conclusions.merged([eks_addon, found]) == [eks_addon]


STAGES = [
    ("dependencies", "access_entry:admin"),
    ("dependencies", "helm_release:dependencies"),
    ("dependencies", "addon:coredns"),
    ("dependencies", "identity_chain:s3-csi-driver"),
    ("dependencies", "addon:aws-mountpoint-s3-csi-driver"),
]
S3 = "aws-mountpoint-s3-csi-driver"


def fitted(found: list[Component], bucket: str | None = "sagemaker-a", role: str | None = None) -> set[str]:
    """The stages that are left out."""
    names = spec().names.model_copy(update={"bucket": bucket})
    known = detected(outside(components=found, s3_driver_role_arn=role), inside())
    stages, findings = adoption.fitted(STAGES, spec(names=names), known)
    left = {name for _, name in STAGES} - {name for _, name in stages}
    assert {each.resource for each in findings} == left
    return left


def test_what_others_run_is_left_alone() -> None:
    chart = component("helm_release", "dependencies", status="deployed", managed_by="Helm")
    assert fitted([]) == set()
    assert fitted([chart]) == {"helm_release:dependencies"}
    assert fitted([chart.model_copy(update={"status": "failed"})]) == set()
    assert fitted([chart.model_copy(update={"managed_by": "instantstart"})]) == set()
    assert fitted([component("addon", "coredns", managed_by="manifests")]) == {"addon:coredns"}
    assert fitted([component("addon", "coredns", managed_by="external")]) == set()
    both = {"identity_chain:s3-csi-driver", f"addon:{S3}"}
    assert fitted([], bucket=None) == both
    assert fitted([component("addon", S3, "absent"), component("csi_driver", "s3.csi.aws.com")]) == both
    assert fitted([], role="arn:aws:iam::123456789012:role/theirs") == {"identity_chain:s3-csi-driver"}
    assert (
        fitted(
            [], role="arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/instantstart-a-us-west-2-s3-csi"
        )
        == set()
    )


@pytest.mark.parametrize(
    ("manager", "presence", "ours"),
    [
        ("instantstart", "present", {"helm_release:dependencies"}),
        ("instantstart", "absent", set()),
        ("Helm", "present", set()),
        (None, "unknown", set()),
    ],
)
def test_a_release_is_the_control_plane_s_where_the_last_look_found_its_mark(
    manager: str | None, presence: Presence, ours: set[str]
) -> None:
    chart = component("helm_release", "dependencies", presence, managed_by=manager)
    addon = component("addon", "coredns", managed_by="instantstart")
    assert adoption.run_by_us(detected(outside(components=[chart, addon]), inside())) == ours
    assert adoption.run_by_us(None) == set()


def test_nothing_is_left_out_of_a_cluster_of_our_own() -> None:
    ours = spec(origin="created")
    assert adoption.fitted(STAGES, ours, None) == (STAGES, [])
    assert adoption.in_the_way(["hyperpod", "storage"], ours, None) == []


@pytest.mark.parametrize(
    ("groups", "status", "runs"),
    [(["workers"], "Unknown", True), ([], "True", True), ([], "Unknown", False), ([], "False", False)],
)
def test_forgetting_names_capacity_that_may_run_on(
    groups: list[str], status: Literal["True", "False", "Unknown"], *, runs: bool
) -> None:
    wanted = [
        DesiredGroup(
            name=name, instance_type="ml.g6.4xlarge", instance_count=1, capacity_type="on_demand", subnet_id="subnet-1"
        )
        for name in groups
    ]
    judged = [Condition(type="HyperPodReady", status=status)]
    cluster = spec(instance_groups=wanted)
    assert planning.leaves_capacity(cluster, judged) is runs
    listed = planning.forget_changes(cluster, ForgetCluster(), planning.Remembered(conditions=judged))
    named = [(each.name, each.reason) for each in listed if each.resource == "HyperPod cluster"]
    assert named == ([(cluster.names.hyperpod_cluster, "it runs on, and costs money")] if runs else [])


def test_consents_decide_what_an_import_does() -> None:
    reading = [("detection", "detect_cluster"), ("verify", "detect_workloads")]
    assert planning.import_stages(eks(), Consents(move_authentication_mode=True)) == reading
    everything = Consents(move_authentication_mode=True, create_access_entry=True, tag_subnets=True)
    assert [name for _, name in planning.import_stages(eks(authentication_mode="CONFIG_MAP"), everything)] == [
        "detect_cluster",
        "authentication_mode",
        "access_entry:admin",
        "access_entry:operator",
        "cluster_role:operator",
        "subnet_tags",
        "detect_cluster:again",
        "detect_workloads",
    ]


@pytest.mark.parametrize(
    ("name", "tag"), [("theirs", "theirs"), ("Theirs_1", "hypd-1"), ("a-name-that-is-longer-than-tags", "hypd-1")]
)
def test_a_tag_left_out_is_the_name_where_that_can_be_a_tag(name: str, tag: str) -> None:
    assert planning.tag_of(ImportCluster(eks_cluster_name=name), "hypd-1") == tag


def test_the_commands_of_an_administrator_name_roles_groups_and_policies() -> None:
    written = commands("theirs", "us-west-2", {"admin": "arn:admin", "operator": "arn:operator"})
    assert written.split(" && ") == [
        "aws eks create-access-entry --region us-west-2 --cluster-name theirs --principal-arn arn:admin "
        "--type STANDARD",
        "aws eks associate-access-policy --region us-west-2 --cluster-name theirs --principal-arn arn:admin "
        "--policy-arn arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy --access-scope type=cluster",
        "aws eks create-access-entry --region us-west-2 --cluster-name theirs --principal-arn arn:operator "
        f"--type STANDARD --kubernetes-groups {OPERATOR}",
    ]


@pytest.mark.parametrize(
    ("payload", "chart"),
    [
        (gzip.compress(json.dumps({"chart": {"metadata": {"name": "a", "version": "1"}}}).encode()), ("a", "1")),
        (b"neither", (None, None)),
    ],
    ids=["of helm", "of nobody"],
)
def test_a_release_tells_its_chart_or_nothing(payload: bytes, chart: tuple[str | None, str | None]) -> None:
    encoded = base64.b64encode(base64.b64encode(payload)).decode()
    assert releases._chart(encoded) == chart  # what helm writes is nowhere else decoded
    assert releases._chart("no base64!") == (None, None)
