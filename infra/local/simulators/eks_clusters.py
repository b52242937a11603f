"""EKS clusters: creation with AWS's refusals, description, deletion, offered Kubernetes versions."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from infra.local.simulators import eks_network, neighbours
from infra.local.simulators.eks_catalog import DEFAULT_VERSION, VERSIONS
from infra.local.simulators.eks_records import CREATION, DELETION, ClusterRecord, EksState, invalid
from infra.local.simulators.paging import identifier, page
from infra.local.simulators.service import ServiceError, refuse_unverified, unverified

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from infra.local.simulators.neighbours import Subnet
    from infra.local.simulators.service import JsonObject, ServiceRequest

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")
CREATE_MEMBERS = frozenset(
    [
        "name",
        "version",
        "roleArn",
        "resourcesVpcConfig",
        "kubernetesNetworkConfig",
        "logging",
        "clientRequestToken",
        "tags",
        "encryptionConfig",
        "accessConfig",
        "bootstrapSelfManagedAddons",
        "upgradePolicy",
    ]
)
VPC_MEMBERS = frozenset(
    ["subnetIds", "securityGroupIds", "endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs"]
)
BOOTSTRAP = "bootstrapClusterCreatorAdminPermissions"
NETWORK_MEMBERS = frozenset({"serviceIpv4Cidr", "ipFamily"})


class Clusters:
    """The cluster operations of EKS."""

    def __init__(self, state: EksState, admit_creator: Callable[[ClusterRecord, str], None]) -> None:
        self._state = state
        self._admit_creator = admit_creator

    def create(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """CreateCluster; a repeated client token gives the cluster it made before."""
        existing = self._state.records.clusters.get(params["name"])
        if existing and existing.request_token == params.get("clientRequestToken"):
            return {"cluster": self.described(existing)}
        self._refuse(params, taken=existing is not None)
        subnets = self._subnets(params)
        cluster = self._record(params, subnets)
        self._state.records.clusters[cluster.name] = cluster
        if cluster.described["accessConfig"][BOOTSTRAP]:
            self._admit_creator(cluster, request.principal.arn)
        return {"cluster": self.described(cluster)}

    def describe(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeCluster."""
        return {"cluster": self.described(self._state.cluster(params["name"]))}

    def list_all(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """ListClusters; `include` adds connected clusters, of which there are none."""
        names, token = page(
            sorted(self._state.records.clusters),
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"clusters": names, "nextToken": token}

    def delete(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DeleteCluster; its add-ons and access entries go with it."""
        cluster = self._state.cluster(params["name"])
        if standing := self._state.host.hyperpod_on(cluster.arn):
            raise unverified(f"the deletion of an EKS cluster on which the HyperPod cluster {standing} stands")
        cluster.deleted_at = cluster.deleted_at or self._state.now()
        return {"cluster": self.described(cluster)}

    def describe_versions(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        """DescribeClusterVersions."""
        refuse_unverified(params, {"clusterType", "maxResults", "nextToken", "defaultOnly", "clusterVersions",
                                   "status", "versionStatus", "includeAll"})  # fmt: skip
        if params.get("clusterType", "eks") != "eks":
            raise invalid(f"Unsupported cluster type: {params['clusterType']}")
        offered = [version.described(self._state.now(), DEFAULT_VERSION) for version in VERSIONS.values()]
        chosen, token = page(
            [version for version in reversed(offered) if _wanted(version, params)],
            token=params.get("nextToken"),
            size=params.get("maxResults"),
            invalid="InvalidParameterException",
        )
        return {"clusterVersions": chosen, "nextToken": token}

    def settle(self) -> None:
        """Tell the host of clusters that became ACTIVE or are gone."""
        now = self._state.now()
        for cluster in list(self._state.records.clusters.values()):
            if not cluster.announced and not cluster.deleted_at and now >= cluster.created_at + CREATION:
                cluster.announced = True
                eks_network.make_interfaces(self._state.host, cluster)
                self._state.host.on_cluster_active(cluster.name)
            if cluster.deleted_at and now >= cluster.deleted_at + DELETION:
                del self._state.records.clusters[cluster.name]
                eks_network.remove_interfaces(self._state.host, cluster, forgets=self._state.records.forgets_interfaces)
                eks_network.delete_cluster_group(self._state.host.ec2(), cluster.security_group_id)
                if cluster.announced:
                    self._state.host.on_cluster_deleted(cluster.name)

    def described(self, cluster: ClusterRecord) -> JsonObject:
        """The Cluster structure; addresses appear when the control plane is up."""
        status = cluster.status(self._state.now())
        document: JsonObject = {
            **cluster.described,
            "name": cluster.name,
            "arn": cluster.arn,
            "createdAt": cluster.created_at,
            "version": cluster.version,
            "status": status,
            "platformVersion": "eks.1",
            "certificateAuthority": {},
            "health": {"issues": []},
            "deletionProtection": False,
            "tags": cluster.tags,
            "clientRequestToken": cluster.request_token,
        }
        if status == "ACTIVE" or cluster.announced:
            document |= {
                "endpoint": self._state.host.endpoint_of(cluster.name),
                "certificateAuthority": {"data": self._state.host.certificate_authority()},
                "identity": {"oidc": {"issuer": cluster.issuer}},
            }
            group = {"clusterSecurityGroupId": cluster.security_group_id}
            document["resourcesVpcConfig"] = {**cluster.described["resourcesVpcConfig"], **group}
        return document

    def _refuse(self, params: JsonObject, *, taken: bool) -> None:
        refuse_unverified(params, CREATE_MEMBERS)
        refuse_unverified(params["resourcesVpcConfig"], VPC_MEMBERS)
        refuse_unverified(params.get("kubernetesNetworkConfig", {}), NETWORK_MEMBERS)
        if params.get("kubernetesNetworkConfig", {}).get("ipFamily", "ipv4") != "ipv4":
            refuse_unverified({"ipFamily=ipv6": True}, ())
        if taken:
            message = f"Cluster already exists with name: {params['name']}"
            raise ServiceError("ResourceInUseException", message, 409, clusterName=params["name"])
        if params.get("version", DEFAULT_VERSION) not in VERSIONS:
            raise invalid("unsupported Kubernetes version", clusterName=params["name"])
        access = params.get("accessConfig", {})
        if access.get("authenticationMode", "CONFIG_MAP") == "CONFIG_MAP" and not access.get(BOOTSTRAP, True):
            raise invalid(f"{BOOTSTRAP} must be true if cluster authentication mode is set to CONFIG_MAP")
        self._refuse_role(params)

    def _refuse_role(self, params: JsonObject) -> None:
        role = neighbours.role_of(self._state.host.iam(), params["roleArn"])
        if role is None or not neighbours.trusts(role, "eks.amazonaws.com"):
            message = (
                f"Role with arn: {params['roleArn']}, could not be assumed because it does not exist or the trusted"
                " entity is not correct"
            )
            raise invalid(message, clusterName=params["name"])

    def _subnets(self, params: JsonObject) -> list[Subnet]:
        ec2 = self._state.host.ec2()
        network = params["resourcesVpcConfig"]
        try:
            subnets = neighbours.subnets(ec2, network.get("subnetIds", []))
            neighbours.require_security_groups(ec2, network.get("securityGroupIds", []))
        except neighbours.Missing as missing:
            message = f"{missing} (Service: Ec2, Status Code: 400)"
            raise invalid(message, clusterName=params["name"]) from missing
        eks_network.refuse_zones(params["name"], subnets, neighbours.zones(ec2), self._state.records)
        return subnets

    def _record(self, params: JsonObject, subnets: list[Subnet]) -> ClusterRecord:
        ec2 = self._state.host.ec2()
        vpc_id = subnets[0].vpc_id
        blocks = [IPv4Network(block) for block in neighbours.vpc_cidrs(ec2, vpc_id)]
        asked = params.get("kubernetesNetworkConfig", {}).get("serviceIpv4Cidr")
        service_cidr = eks_network.service_cidr(asked, blocks)
        seed = self._state.mint()
        oidc = identifier(f"{seed}:oidc", 32, "0123456789ABCDEF")
        return ClusterRecord(
            name=params["name"],
            arn=self._state.arn(f"cluster/{params['name']}"),
            version=params.get("version", DEFAULT_VERSION),
            created_at=self._state.now(),
            described=_repeated(params, vpc_id, service_cidr),
            vpc_id=vpc_id,
            security_group_id=eks_network.create_cluster_group(ec2, params["name"], vpc_id, seed),
            issuer=f"https://oidc.eks.{self._state.region}.amazonaws.com/id/{oidc}",
            request_token=params.get("clientRequestToken"),
            tags=params.get("tags", {}),
        )


def _wanted(version: Mapping[str, object], params: JsonObject) -> bool:
    if params.get("defaultOnly") and not version["defaultVersion"]:
        return False
    if version["clusterVersion"] not in params.get("clusterVersions", [version["clusterVersion"]]):
        return False
    return all(params.get(key, version[key]) == version[key] for key in ("status", "versionStatus"))


def _repeated(params: JsonObject, vpc_id: str, service_cidr: str) -> JsonObject:
    """The part of a description that repeats the request, AWS's defaults filled in (EKS API reference)."""
    network = params["resourcesVpcConfig"]
    access = params.get("accessConfig", {})
    return {
        "roleArn": params["roleArn"],
        "resourcesVpcConfig": {
            "subnetIds": network["subnetIds"],
            "securityGroupIds": network.get("securityGroupIds", []),
            "vpcId": vpc_id,
            "endpointPublicAccess": network.get("endpointPublicAccess", True),
            "endpointPrivateAccess": network.get("endpointPrivateAccess", False),
            "publicAccessCidrs": network.get("publicAccessCidrs", ["0.0.0.0/0"]),
        },
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": service_cidr,
            "ipFamily": "ipv4",
            "elasticLoadBalancing": {"enabled": False},
        },
        "logging": {"clusterLogging": _logging(params.get("logging", {}))},
        "encryptionConfig": params.get("encryptionConfig"),
        "accessConfig": {
            "authenticationMode": access.get("authenticationMode", "CONFIG_MAP"),
            BOOTSTRAP: access.get(BOOTSTRAP, True),
        },
        "upgradePolicy": {"supportType": params.get("upgradePolicy", {}).get("supportType", "EXTENDED")},
    }


def _logging(asked: JsonObject) -> list[JsonObject]:
    on = {kind for setup in asked.get("clusterLogging", []) if setup.get("enabled") for kind in setup.get("types", [])}
    setups = [
        {"types": [kind for kind in LOG_TYPES if kind in on], "enabled": True},
        {"types": [kind for kind in LOG_TYPES if kind not in on], "enabled": False},
    ]
    return [setup for setup in setups if setup["types"]]
