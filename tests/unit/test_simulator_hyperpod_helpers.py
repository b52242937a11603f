from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from moto import mock_aws

from infra.local.simulators.bus_event import BusEvent
from infra.local.simulators.eks import EksView
from infra.local.simulators.hyperpod.service import HyperPod
from infra.local.simulators.hyperpod.state import HyperPodHost
from tests.unit.test_simulator_service_helpers import (
    ACCOUNT,
    REGION,
    AwsClient,
    Clock,
    client_of,
    make_role,
    moto_client,
    zone_of,
)

if TYPE_CHECKING:
    from botocore.client import BaseClient

BUCKET = "sagemaker-demo"
EKS_ARN = f"arn:aws:eks:{REGION}:{ACCOUNT}:cluster/demo-eks"
GPU = "ml.g5.8xlarge"


@dataclass
class World:
    """An account with a network, a lifecycle script and an EKS cluster that is ready for HyperPod."""

    clock: Clock
    hyperpod: HyperPod
    client: AwsClient
    ec2: AwsClient
    role: str
    network: dict[str, list[str]]
    zones: list[str]
    eks: dict[str, EksView]
    dependencies: set[str]
    admitted: list[tuple[str, str]] = field(default_factory=list)
    published: list[BusEvent] = field(default_factory=list)

    def group(self, name: str = "gpu", count: int = 2, **changes: object) -> dict[str, object]:
        spec = {
            "InstanceGroupName": name,
            "InstanceType": GPU,
            "InstanceCount": count,
            "ExecutionRole": self.role,
            "LifeCycleConfig": {"SourceS3Uri": f"s3://{BUCKET}/scripts", "OnCreate": "on_create.sh"},
            "ThreadsPerCore": 2,
            **changes,
        }
        return {key: value for key, value in spec.items() if value is not None}

    def create(self, *groups: dict[str, object], name: str = "demo", **changes: object) -> str:
        params: dict[str, object] = {
            "ClusterName": name,
            "Orchestrator": {"Eks": {"ClusterArn": EKS_ARN}},
            "NodeProvisioningMode": "Continuous",
            "VpcConfig": self.network,
            "InstanceGroups": list(groups) or [self.group()],
            **changes,
        }
        return str(self.client.create_cluster(**{k: v for k, v in params.items() if v is not None})["ClusterArn"])

    def describe(self) -> dict[str, Any]:
        cluster: dict[str, Any] = self.client.describe_cluster(ClusterName="demo")
        return cluster

    def gpu(self) -> dict[str, Any]:
        group: dict[str, Any] = self.describe()["InstanceGroups"][0]
        return group

    def nodes(self) -> list[dict[str, Any]]:
        nodes: list[dict[str, Any]] = self.client.list_cluster_nodes(ClusterName="demo")["ClusterNodeSummaries"]
        return nodes

    def events(self, **filters: object) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = self.client.list_cluster_events(ClusterName="demo", **filters)["Events"]
        return events

    def failure_of(self, event: dict[str, Any]) -> str:
        """The failure message in an event's details."""
        answer = self.client.describe_cluster_event(ClusterName="demo", EventId=event["EventId"])["EventDetails"]
        [metadata] = answer["EventDetails"]["EventMetadata"].values()
        return str(metadata["FailureMessage"])

    def hours(self, count: float) -> timedelta:
        return timedelta(hours=count)

    def told(self, detail_type: str) -> list[dict[str, Any]]:
        """The details of the bus events of a type."""
        return [event.detail for event in self.published if event.detail_type == f"SageMaker HyperPod {detail_type}"]


@contextmanager
def hyperpod_world() -> Iterator[World]:
    """An account in which HyperPod's CreateCluster succeeds."""
    with mock_aws():
        clock, ec2, s3 = Clock(), moto_client("ec2"), moto_client("s3")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        zones = [zone_of(ec2, zone_id) for zone_id in ("use1-az1", "use1-az2")]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
            for index, zone in enumerate(zones)
        ]
        group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
        among_itself = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": group}]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=among_itself)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=among_itself)
        s3.create_bucket(Bucket=BUCKET)
        s3.put_object(Bucket=BUCKET, Key="scripts/on_create.sh", Body=b"#!/bin/bash\n")
        eks = {EKS_ARN: EksView("demo-eks", EKS_ARN, "ACTIVE", "API", "1.33", vpc)}
        dependencies, admitted = {"demo-eks"}, list[tuple[str, str]]()
        published: list[BusEvent] = []
        host = HyperPodHost(
            ec2=lambda: cast("BaseClient", ec2),
            iam=lambda: cast("BaseClient", moto_client("iam")),
            s3=lambda: cast("BaseClient", s3),
            logs=lambda: cast("BaseClient", moto_client("logs")),
            eks_cluster=eks.get,
            dependencies_installed=dependencies.__contains__,
            admit_nodes=lambda cluster, role: admitted.append((cluster, role)),
            publish=published.append,
        )
        hyperpod = HyperPod(clock, ACCOUNT, REGION, host)
        network = {"SecurityGroupIds": [group], "Subnets": subnets}
        role = make_role("nodes", "sagemaker.amazonaws.com", path="/instantstart/")
        yield World(
            clock, hyperpod, client_of(hyperpod), ec2, role, network, zones, eks, dependencies, admitted, published
        )
