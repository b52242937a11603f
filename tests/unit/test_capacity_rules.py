"""Decisions about capacity: what CreateCluster is sent, what a script's log means, what is said of what is short."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from functions.aws.hyperpod_creation import NewCluster, NewGroup, request_of
from functions.capacity.nodes.rules import Unready, named, not_joined, said_of
from functions.capacity.preflight.rules.quotas import used_by
from functions.capacity.rules.alternatives import (
    Alternatives,
    PlanOffering,
    place_of,
    unavailable,
    unavailable_but,
)
from functions.capacity.rules.lifecycle_logs import diagnose, pointer_in
from functions.capacity.rules.shortfalls import Shortfall, rolled_back, short_groups
from functions.core.cluster import DesiredGroup, DesiredLifecycle, DesiredTaint, DesiredVolume

if TYPE_CHECKING:
    from pydantic import JsonValue

ROLE = "arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/instantstart-t1-us-west-2-execution"
EKS = "arn:aws:eks:us-west-2:123456789012:cluster/eks-cluster-t1"
OURS, OTHER = "subnet-0123456789abcdef0", "subnet-0123456789abcdef1"
GROUP = DesiredGroup(name="gpu", instance_type="ml.p5.48xlarge", instance_count=2, capacity_type="on_demand")
FULL = DesiredGroup(
    name="full",
    instance_types=["ml.g6.12xlarge", "ml.g6e.12xlarge"],
    instance_count=4,
    min_instance_count=1,
    capacity_type="spot",
    network_interface="efa",
    security_group_ids=["sg-01234567"],
    threads_per_core=1,
    deep_health_checks=["instance_stress", "instance_connectivity", "multi_node_training_validation"],
    labels={"team": "a"},
    taints=[DesiredTaint(key="own", value="yes", effect="NoSchedule"), DesiredTaint(key="own", effect="NoExecute")],
    volumes=[DesiredVolume(size_gib=500), DesiredVolume(root=True, kms_key_id="key")],
    lifecycle=DesiredLifecycle(source_uri="s3://sagemaker-x/own", on_init_complete="b.sh"),
    image_id="ami-0123456789abcdef0",
)


def sent_for(*groups: DesiredGroup, subnet: str = OURS) -> dict[str, Any]:
    new = [
        NewGroup(group, 2, subnet, tuple(group.security_group_ids or ["sg-0"]), "s3://b/p", "c.sh") for group in groups
    ]
    made = request_of(NewCluster("hp-cluster-t1", EKS, ROLE, OURS, "sg-0", True, new, {"a": "b"}))
    return {**made}


def test_what_is_sent_is_what_the_service_model_has() -> None:
    plan = "arn:aws:sagemaker:us-west-2:123456789012:training-plan/tp1"
    planned = GROUP.model_copy(update={"name": "plan", "capacity_type": "training_plan", "training_plan_arn": plan})
    model = botocore.session.Session().get_service_model("sagemaker").operation_model("CreateCluster")
    assert model.input_shape is not None
    report = ParamValidator().validate(sent_for(GROUP, FULL, planned), model.input_shape)
    assert not report.has_errors(), report.generate_report()


def test_a_plain_group_is_sent_without_what_nobody_asked_for() -> None:
    [group] = sent_for(GROUP)["InstanceGroups"]
    assert group == {
        "InstanceGroupName": "gpu",
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": 2,
        "ExecutionRole": ROLE,
        "LifeCycleConfig": {"SourceS3Uri": "s3://b/p", "OnCreate": "c.sh"},
        "ThreadsPerCore": 2,
    }


def test_a_full_group_is_sent_with_all_of_it() -> None:
    [group] = sent_for(FULL, subnet=OTHER)["InstanceGroups"]
    assert group == {
        "InstanceGroupName": "full",
        "InstanceRequirements": {"InstanceTypes": ["ml.g6.12xlarge", "ml.g6e.12xlarge"]},
        "InstanceCount": 4,
        "MinInstanceCount": 1,
        "ExecutionRole": ROLE,
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x/own", "OnInitComplete": "b.sh"},
        "ThreadsPerCore": 1,
        "CapacityRequirements": {"Spot": {}},
        "OverrideVpcConfig": {"SecurityGroupIds": ["sg-01234567"], "Subnets": [OTHER]},
        "NetworkInterface": {"InterfaceType": "efa"},
        "InstanceStorageConfigs": [
            {"EbsVolumeConfig": {"VolumeSizeInGB": 500}},
            {"EbsVolumeConfig": {"RootVolume": True, "VolumeKmsKeyId": "key"}},
        ],
        "OnStartDeepHealthChecks": ["InstanceStress", "InstanceConnectivity", "MultiNodeTrainingValidation"],
        "KubernetesConfig": {
            "Labels": {"team": "a"},
            "Taints": [
                {"Key": "own", "Value": "yes", "Effect": "NoSchedule"},
                {"Key": "own", "Effect": "NoExecute"},
            ],
        },
        "ImageId": "ami-0123456789abcdef0",
    }


@pytest.mark.case(25)
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("An error occurred (AccessDenied) when calling the GetObject operation: Access Denied", "LIFECYCLE_S3_ACCESS"),
        (
            "fatal error: An error occurred (403) when calling the HeadObject operation: Forbidden",
            "LIFECYCLE_S3_ACCESS",
        ),
        ("(AccessDenied) ... not authorized to perform: kms:Decrypt on the resource", "LIFECYCLE_KMS_ACCESS"),
        ('Connect timeout on endpoint URL: "https://b.s3.us-west-2.amazonaws.com/"', "LIFECYCLE_S3_UNREACHABLE"),
        ("/usr/bin/env: 'bash\\r': No such file or directory", "LIFECYCLE_LINE_ENDINGS"),
        ("on_create.sh: line 3: $'\\r': command not found", "LIFECYCLE_LINE_ENDINGS"),
        ("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1", "LIFECYCLE_PACKAGE_LOCK"),
        ("curl: (6) Could not resolve host: github.com", "LIFECYCLE_NETWORK"),
        ("sed: can't read /etc/eks/containerd/config.toml: No such file or directory", "LIFECYCLE_FILE_MISSING"),
    ],
)
def test_a_known_line_of_a_scripts_log_is_known_by_its_cause(line: str, code: str) -> None:
    found = diagnose(["[SageMaker] Downloading lifecycle scripts", line], "the-role", "the-bucket")
    assert found is not None
    assert found.code == code
    if code.endswith("ACCESS"):
        assert "the-role" in found.remedy
        assert "the-bucket" in found.remedy


def test_an_unknown_log_has_no_known_cause() -> None:
    assert diagnose(["exit status 1"], "role", "bucket") is None


def test_the_log_of_a_script_is_found_in_the_words_of_its_failure() -> None:
    words = (
        "Lifecycle scripts did not run successfully. To view lifecycle script logs, visit log group "
        "'/aws/sagemaker/Clusters/c/abc' and log stream 'LifecycleConfig/gpu/i-0'."
    )
    found = pointer_in(words)
    assert found is not None
    assert (found.group, found.stream) == ("/aws/sagemaker/Clusters/c/abc", "LifecycleConfig/gpu/i-0")
    assert pointer_in("something else") is None


SHORT = "We currently do not have sufficient capacity to launch new ml.p5.48xlarge instances. Please try again."
LIMIT = "The account-level service limit 'ml.p5.48xlarge for cluster usage' is 0 Instances, with current utilization"


def test_a_lack_of_capacity_is_told_apart_from_a_quota() -> None:
    assert (Shortfall(GROUP, SHORT).lacks_capacity, Shortfall(GROUP, SHORT).needs_a_quota) == (True, False)
    assert (Shortfall(GROUP, LIMIT).lacks_capacity, Shortfall(GROUP, LIMIT).needs_a_quota) == (False, True)


def test_which_groups_are_short_and_which_were_given_up() -> None:
    minimum = FULL.model_copy(update={"instance_count": 2})
    assert short_groups([GROUP, minimum], {"gpu": 2, "full": 1}) == [minimum]
    assert rolled_back([GROUP, minimum], {"gpu": 0, "full": 2}) is None
    assert rolled_back([GROUP, minimum], {"gpu": 0, "full": 0}) == minimum


@pytest.mark.case(14)
def test_what_could_be_had_stands_at_the_fields_to_change() -> None:
    other = Alternatives(["us-west-2b"], [PlanOffering("tpo-1", "2 in us-west-2b")])
    problem = unavailable_but(GROUP, "instance_groups[1]", SHORT, "arn", other)
    assert {error.field: error.allowed for error in problem.errors} == {
        "instance_groups[1].availability_zone": ["us-west-2b"],
        "instance_groups[1].training_plan_arn": ["tpo-1"],
        "instance_groups[1].capacity_type": ["spot"],
    }
    assert problem.cause is not None
    assert (problem.cause.code, problem.retryable) == ("CAPACITY", True)
    assert unavailable(GROUP, SHORT, "arn").errors == []


def test_what_could_not_be_found_out_is_said_and_a_plan_is_not_offered_a_plan() -> None:
    unknown = unavailable_but(GROUP, "instance_groups[0]", SHORT, "arn", Alternatives(None, None))
    assert [error.allowed for error in unknown.errors] == [None, None, ["spot"]]
    planned = GROUP.model_copy(update={"training_plan_arn": "arn", "capacity_type": "training_plan"})
    fields = [
        error.field
        for error in unavailable_but(planned, "instance_groups[0]", SHORT, "arn", Alternatives([], [])).errors
    ]
    assert fields == ["instance_groups[0].availability_zone", "instance_groups[0].capacity_type"]
    spot = GROUP.model_copy(update={"capacity_type": "spot"})
    assert unavailable_but(spot, "instance_groups[0]", SHORT, "arn", Alternatives([], [])).errors[-1].allowed == [
        "on_demand"
    ]


def test_a_group_is_found_in_the_request_of_either_route() -> None:
    hyperpod: dict[str, JsonValue] = {"instance_groups": [{"name": "a"}, {"name": "b"}], "system_group": {}}
    assert place_of("b", {"hyperpod": hyperpod}) == "hyperpod.instance_groups[1]"
    assert (place_of("a", hyperpod), place_of("system", hyperpod)) == ("instance_groups[0]", "system_group")


def test_use_is_counted_by_quota_and_a_plans_instances_in_the_total_alone() -> None:
    groups = [(["a"], "on_demand", 2), (["a", "b"], "on_demand", 1), (["a"], "spot", 4), (["a"], "training_plan", 8)]
    assert used_by(groups) == {
        "a for cluster usage": 3,
        "a for cluster spot instance usage": 4,
        "L-3308CCC7": 15,
        "L-97A2C724": 4,
    }


@pytest.mark.case(31)
def test_nodes_under_check_are_said_with_the_first_start() -> None:
    at = datetime(2026, 1, 1, 14, 2, tzinfo=UTC)
    checked = [Unready("n1", "", True, at.replace(hour=15)), Unready("n2", "", True, at)]
    assert said_of(checked) == "waiting for deep health check of 2 nodes, started 14:02 UTC"
    assert said_of([Unready("n1", "no network", False, None)]) == "n1: no network"
    assert said_of([]) == ""


@pytest.mark.case(32)
def test_of_many_instances_the_first_are_named_and_the_rest_counted() -> None:
    instances = [f"i-{number}" for number in range(8)]
    assert named(instances) == "i-0, i-1, i-2, i-3, i-4 and 3 more"
    problem = not_joined(instances, "the-role", "the-cluster")
    assert problem.cause is not None
    assert (problem.cause.code, problem.cause.resource) == ("NODE_NOT_JOINED", "i-0")
