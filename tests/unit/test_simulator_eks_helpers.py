from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from moto import mock_aws

from infra.local.simulators.eks import Eks
from infra.local.simulators.eks_records import AddonObjects, EksHost
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


@dataclass
class World:
    """An account with a VPC, a role for control planes, and the simulator."""

    clock: Clock
    eks: Eks
    client: AwsClient
    ec2: AwsClient
    role: str
    subnets: list[str]
    issues: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    conflicts: dict[str, list[str]] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def create(self, name: str = "demo", **changes: object) -> dict[str, Any]:
        params: dict[str, object] = {
            "name": name,
            "roleArn": self.role,
            "resourcesVpcConfig": {"subnetIds": self.subnets},
            "accessConfig": {"authenticationMode": "API"},
            **changes,
        }
        cluster: dict[str, Any] = self.client.create_cluster(**params)["cluster"]
        return cluster

    def active(self, name: str = "demo", **changes: object) -> None:
        self.create(name, **changes)
        self.clock.advance(540)

    def addon(self, name: str) -> dict[str, Any]:
        addon: dict[str, Any] = self.client.describe_addon(clusterName="demo", addonName=name)["addon"]
        return addon


@contextmanager
def eks_world() -> Iterator[World]:
    """An account with a usable network, the roles a cluster needs, and the simulator."""
    with mock_aws():
        clock, ec2 = Clock(), moto_client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        usable = [zone_of(ec2, zone_id) for zone_id in ("use1-az1", "use1-az2")]
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{index}.0/24", AvailabilityZone=zone)["Subnet"]["SubnetId"]
            for index, zone in enumerate(usable)
        ]
        make_role("admin", "ec2.amazonaws.com", path="/people/")
        told: list[str] = []
        issues: dict[str, list[dict[str, Any]]] = {}
        conflicts: dict[str, list[str]] = {}
        host = EksHost(
            ec2=lambda: cast("BaseClient", ec2),
            iam=lambda: cast("BaseClient", moto_client("iam")),
            endpoint_of=lambda name: f"https://kubernetes.local/{name}",
            certificate_authority=lambda: base64.b64encode(b"PEM").decode(),
            on_cluster_active=lambda name: told.append(f"active {name}"),
            on_cluster_deleted=lambda name: told.append(f"deleted {name}"),
            addons=AddonObjects(
                install=lambda cluster, addon: told.append(f"{addon} in {cluster}"),
                remove=lambda cluster, addon: told.append(f"{addon} gone from {cluster}"),
                health=lambda cluster, addon: issues.get(addon, []),
                conflicts=lambda cluster, addon: conflicts.get(addon, []),
            ),
        )
        eks = Eks(clock, ACCOUNT, REGION, host)
        role = make_role("eks", "eks.amazonaws.com")
        yield World(clock, eks, client_of(eks), ec2, role, subnets, issues, conflicts, told)
