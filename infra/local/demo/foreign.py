"""A world that others made: EKS clusters with network, add-ons and HyperPod, by AWS's own calls and by helm.

Nothing of the control plane takes part, so nothing here carries its tags.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infra.local.charts_standin import packed
from infra.local.helm_binary import helm_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.local.host import LocalHost

# Longer than EKS and its add-ons take, and HyperPod with its nodes.
_EKS_SECONDS: Final = 620
_ADDON_SECONDS: Final = 60
_HYPERPOD_SECONDS: Final = 1200
ZONES: Final = ("us-west-2a", "us-west-2b")
ADDONS: Final = ("vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent")
_RULE_OF_ALL: Final = "-1"


@dataclass(frozen=True)
class Network:
    """A VPC with two private subnets, a public one, and a security group that is open to itself."""

    vpc_id: str
    private: tuple[str, str]
    public: str
    security_group_id: str


@dataclass(frozen=True)
class Foreign:
    """An EKS cluster of somebody else."""

    name: str
    arn: str
    network: Network
    execution_role_arn: str
    bucket: str


class Maker:
    """Makes what others make, on one host."""

    def __init__(self, host: LocalHost) -> None:
        self._host = host

    def client(self, service: str) -> Any:  # noqa: ANN401  # any client: they have no common type
        """Give a client of a service."""
        return self._host.client(service)  # type: ignore[call-overload]  # the name is not known beforehand

    def cluster(
        self,
        name: str,
        block: int,
        *,
        mode: str = "API_AND_CONFIG_MAP",
        version: str = "1.33",
        public_endpoint: bool = True,
        addons: Sequence[str] = ADDONS,
    ) -> Foreign:
        """Make an EKS cluster in a VPC of its own, 10.<block>.0.0/16; wait until its add-ons are there."""
        network, account = self._network(name, block), self._host.identities.account_id
        region = self._host.options.region
        made = self.client("eks").create_cluster(
            name=name,
            version=version,
            roleArn=self.role(f"{name}-control-plane", "eks.amazonaws.com"),
            resourcesVpcConfig={
                "subnetIds": [*network.private],
                "securityGroupIds": [network.security_group_id],
                "endpointPublicAccess": public_endpoint,
                "endpointPrivateAccess": True,
            },
            accessConfig={"authenticationMode": mode, "bootstrapClusterCreatorAdminPermissions": True},
        )["cluster"]
        self._host.clock.sleep(_EKS_SECONDS)
        for addon in addons:
            self.client("eks").create_addon(clusterName=name, addonName=addon)
        self._host.clock.sleep(_ADDON_SECONDS)
        bucket = f"sagemaker-{name}-{account}"
        self.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": region})
        self.client("s3").put_object(Bucket=bucket, Key="scripts/on_create.sh", Body=b"#!/bin/bash\n")
        role = self.role(f"{name}-nodes", "sagemaker.amazonaws.com")
        return Foreign(name, str(made["arn"]), network, role, bucket)

    def dependencies_chart(self, cluster: Foreign) -> None:
        """Install HyperPod's dependencies chart by helm, as its documentation tells people to."""
        [chart] = packed()
        with tempfile.TemporaryDirectory() as folder:
            archive = Path(folder) / "chart.tgz"
            archive.write_bytes(chart.content)
            access = ["--kubeconfig", str(self._host.access.kubeconfig.path), "--kube-context", cluster.name]
            command = [str(helm_program()), "install", chart.release, str(archive), "-n", chart.namespace, *access]
            # Helm keeps its caches where it is told to: not in the home of whoever runs this.
            home = {"HOME": folder, "HELM_CACHE_HOME": folder, "HELM_CONFIG_HOME": folder, "HELM_DATA_HOME": folder}
            subprocess.run(command, check=True, capture_output=True, env=home)

    def hyperpod(self, cluster: Foreign, name: str, *, continuous: bool = True, count: int = 1) -> None:
        """Make a HyperPod cluster of one group on an EKS cluster that has the chart; wait until it has its nodes."""
        settings = {"NodeProvisioningMode": "Continuous"} if continuous else {}
        self.client("sagemaker").create_cluster(
            ClusterName=name,
            Orchestrator={"Eks": {"ClusterArn": cluster.arn}},
            NodeRecovery="Automatic",
            VpcConfig={
                "SecurityGroupIds": [cluster.network.security_group_id],
                "Subnets": [cluster.network.private[0]],
            },
            InstanceGroups=[self.group(cluster, "workers", count)],
            **settings,
        )
        self._host.clock.sleep(_HYPERPOD_SECONDS)

    def group(self, cluster: Foreign, name: str, count: int = 1) -> dict[str, Any]:
        """Specify an instance group."""
        return {
            "InstanceGroupName": name,
            "InstanceType": "ml.g6.4xlarge",
            "InstanceCount": count,
            "ExecutionRole": cluster.execution_role_arn,
            "LifeCycleConfig": {"SourceS3Uri": f"s3://{cluster.bucket}/scripts", "OnCreate": "on_create.sh"},
            "ThreadsPerCore": 1,
        }

    def role(self, name: str, service: str) -> str:
        """Make a role that a service may assume."""
        statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        return str(self.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"])

    def _network(self, name: str, block: int) -> Network:
        ec2 = self.client("ec2")
        vpc_id = ec2.create_vpc(CidrBlock=f"10.{block}.0.0/16")["Vpc"]["VpcId"]
        # EKS asks for both of a VPC whose nodes use the private endpoint; support is on in every new one.
        ec2.modify_vpc_attribute(VpcId=vpc_id, EnableDnsHostnames={"Value": True})
        ec2.create_tags(Resources=[vpc_id], Tags=[{"Key": "Name", "Value": name}])
        private = tuple(self._subnet(vpc_id, f"10.{block}.{place}.0/24", zone) for place, zone in enumerate(ZONES))
        public = self._subnet(vpc_id, f"10.{block}.9.0/24", ZONES[0])
        gateway = ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc_id)
        self._route(vpc_id, [public], GatewayId=gateway)
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        nat = ec2.create_nat_gateway(SubnetId=public, AllocationId=address)["NatGateway"]["NatGatewayId"]
        table = self._route(vpc_id, private, NatGatewayId=nat)
        service = f"com.amazonaws.{self._host.options.region}.s3"
        ec2.create_vpc_endpoint(VpcEndpointType="Gateway", VpcId=vpc_id, ServiceName=service, RouteTableIds=[table])
        return Network(vpc_id, (private[0], private[1]), public, self._security_group(name, vpc_id))

    def _subnet(self, vpc_id: str, cidr: str, zone: str) -> str:
        made = self.client("ec2").create_subnet(VpcId=vpc_id, CidrBlock=cidr, AvailabilityZone=zone)
        return str(made["Subnet"]["SubnetId"])

    def _route(self, vpc_id: str, subnets: Sequence[str], **target: str) -> str:
        ec2 = self.client("ec2")
        table = str(ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"])
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", **target)
        for subnet in subnets:
            ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)
        return table

    def _security_group(self, name: str, vpc_id: str) -> str:
        ec2 = self.client("ec2")
        group = ec2.create_security_group(GroupName=f"{name}-nodes", Description="nodes", VpcId=vpc_id)["GroupId"]
        itself = [{"IpProtocol": _RULE_OF_ALL, "UserIdGroupPairs": [{"GroupId": group}]}]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=itself)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=itself)
        return str(group)
