"""What SageMaker says of a cluster of others, written down as if it had been asked for here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from functions.aws import hyperpod_survey
from functions.core import runtime
from functions.core.cluster import DesiredGroup, DesiredTaint, DesiredVolume

ARN = "arn:aws:eks:us-west-2:123456789012:cluster/theirs"
NETWORK = {"SecurityGroupIds": ["sg-1"], "Subnets": ["subnet-1"]}
GROUP = {
    "InstanceGroupName": "future",
    "InstanceType": "ml.zz9.96xlarge",
    "CurrentCount": 1,
    "TargetCount": 3,
    "MinCount": 2,
    "ExecutionRole": "arn:aws:iam::123456789012:role/nodes",
    "ThreadsPerCore": 2,
    "Status": "InService",
    "TrainingPlanArn": "arn:aws:sagemaker:us-west-2:123456789012:training-plan/unheard-of",
    "LifeCycleConfig": {"SourceS3Uri": "s3://theirs/scripts", "OnCreate": "a.sh"},
    "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 100}}],
    "OnStartDeepHealthChecks": ["InstanceStress", "SomethingNew"],
    "KubernetesConfig": {
        "DesiredLabels": {"team": "a"},
        "DesiredTaints": [{"Key": "gpu", "Value": "yes", "Effect": "NoSchedule"}],
    },
    "NetworkInterface": {"InterfaceType": "efa-only"},
}
CLUSTERS: dict[str, dict[str, Any]] = {
    "slurm": {"ClusterName": "slurm", "ClusterArn": "arn:slurm", "ClusterStatus": "InService", "InstanceGroups": [{}]},
    "theirs-hp": {
        "ClusterName": "theirs-hp",
        "ClusterArn": "arn:hp",
        "ClusterStatus": "InService",
        "Orchestrator": {"Eks": {"ClusterArn": ARN}},
        "NodeRecovery": "None",
        "VpcConfig": NETWORK,
        "InstanceGroups": [
            GROUP,
            {
                "InstanceGroupName": "several",
                "InstanceRequirements": {"DesiredInstanceTypes": ["ml.g6.4xlarge", "ml.g5.4xlarge"]},
                "CapacityRequirements": {"Spot": {}},
                "OverrideVpcConfig": {"SecurityGroupIds": ["sg-2"], "Subnets": ["subnet-2", "subnet-3"]},
            },
        ],
    },
}


class SageMaker:
    """SageMaker as far as a look at clusters asks it."""

    def describe_cluster(self, ClusterName: str) -> dict[str, Any]:  # boto3's own spelling
        return CLUSTERS[ClusterName]

    def get_paginator(self, _: str) -> SimpleNamespace:
        pages = [{"ClusterSummaries": [{"ClusterName": name}]} for name in CLUSTERS]
        return SimpleNamespace(paginate=lambda **_: pages)


@pytest.fixture(autouse=True)
def sagemaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "client", lambda *_: SageMaker())


def test_the_hyperpod_cluster_of_an_eks_cluster_is_found_among_all() -> None:
    found = hyperpod_survey.of_eks_cluster(ARN)
    assert found is not None
    assert (found.name, found.continuous, found.node_recovery) == ("theirs-hp", False, "none")
    assert hyperpod_survey.of_eks_cluster("arn:other") is None


def test_a_group_is_written_down_as_it_is_even_where_nobody_here_knows_its_type() -> None:
    found = hyperpod_survey.describe("theirs-hp")
    assert found is not None
    future, several = found.groups
    assert future.desired == DesiredGroup(
        name="future",
        instance_type="ml.zz9.96xlarge",
        instance_count=3,
        min_instance_count=2,
        capacity_type="training_plan",
        training_plan_arn=str(GROUP["TrainingPlanArn"]),
        security_group_ids=["sg-1"],
        threads_per_core=2,
        deep_health_checks=["instance_stress", "SomethingNew"],
        labels={"team": "a"},
        taints=[DesiredTaint(key="gpu", value="yes", effect="NoSchedule")],
        volumes=[DesiredVolume(size_gib=100)],
        lifecycle=future.desired.lifecycle,
        subnet_id="subnet-1",
        network_interface="efa_only",
    )
    assert (future.current, future.execution_role_arn) == (1, GROUP["ExecutionRole"])
    assert (several.desired.types, several.desired.capacity_type) == (("ml.g6.4xlarge", "ml.g5.4xlarge"), "spot")
    # In several subnets it stands in none of them alone.
    assert (several.desired.subnet_id, several.subnet_ids) == (None, ("subnet-2", "subnet-3"))
