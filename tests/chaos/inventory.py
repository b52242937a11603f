"""What exists of a cluster, by names and never by ids, so that two runs can be compared as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from infra.local.kubernetes import resources
from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, string_map, value_at
from infra.local.kubernetes.resources import Resource
from infra.local.kubernetes.store import Store
from tests.host.driver import Driver, Json

Inventory = dict[str, list[str]]
"""The names of each kind of resource, sorted; two of a name are listed twice."""

_NODE_TYPE = ("metadata", "labels", "node.kubernetes.io/instance-type")


def taken(driver: Driver, eks: str) -> Inventory:
    """Take stock of everything in the account, and of what is ours in an EKS cluster."""
    host = driver.host
    found = {**_stacks(driver), **_network(driver), **_identity(driver), **_buckets(driver)}
    found |= _eks(driver, eks) | _hyperpod(driver)
    if eks in host.world.kubernetes:
        found |= _in_cluster(host.world.kubernetes[eks].store)
    return {kind: sorted(names) for kind, names in found.items()}


def differences(have: Inventory, want: Inventory) -> list[str]:
    """Say what is too much and what is missing."""
    found: list[str] = []
    for kind in sorted({*have, *want}):
        there, wanted = Counter(have.get(kind, [])), Counter(want.get(kind, []))
        found += [f"{kind}: {name} is {_times(count)} too many" for name, count in (there - wanted).items()]
        found += [f"{kind}: {name} is missing" for name in (wanted - there)]
    return found


def _times(count: int) -> str:
    return "one" if count == 1 else str(count)


def _stacks(driver: Driver) -> Inventory:
    stacks = driver.host.client("cloudformation").describe_stacks()["Stacks"]
    return {"stacks": [f"{stack['StackName']} {stack['StackStatus']}" for stack in stacks]}


def _network(driver: Driver) -> Inventory:
    ec2: Any = driver.host.client("ec2")
    # The account's own network, which moto makes, is nobody's.
    vpcs = [vpc for vpc in ec2.describe_vpcs()["Vpcs"] if not vpc["IsDefault"]]
    ids = {vpc["VpcId"] for vpc in vpcs}

    def ours(items: Iterable[Json]) -> list[Json]:
        return [item for item in items if item.get("VpcId") in ids]

    subnets = ours(ec2.describe_subnets()["Subnets"])
    tables = ours(ec2.describe_route_tables()["RouteTables"])
    named = {each["SubnetId"]: _named(each) for each in subnets} | {
        each["RouteTableId"]: _named(each) for each in tables
    }
    endpoints = ours(ec2.describe_vpc_endpoints()["VpcEndpoints"])
    return {
        "vpcs": [f"{_named(vpc)} {vpc['CidrBlock']}" for vpc in vpcs],
        "subnets": [f"{_named(each)} {each['CidrBlock']} {each['AvailabilityZone']}" for each in subnets],
        "route tables": [_table(table, named) for table in tables],
        "endpoints": [" ".join(sorted(named[table] for table in each["RouteTableIds"])) for each in endpoints],
        "NAT gateways": [each["State"] for each in ours(ec2.describe_nat_gateways()["NatGateways"])],
        "addresses": [each["Domain"] for each in ec2.describe_addresses()["Addresses"]],
        "security groups": [each["GroupName"] for each in ours(ec2.describe_security_groups()["SecurityGroups"])],
    }


def _named(item: Json) -> str:
    return next((str(tag["Value"]) for tag in item.get("Tags", []) if tag["Key"] == "Name"), "unnamed")


def _table(table: Json, named: dict[str, str]) -> str:
    subnets = sorted(named[each["SubnetId"]] for each in table["Associations"] if each.get("SubnetId"))
    through = sorted(key for route in table["Routes"] for key in ("NatGatewayId", "GatewayId") if route.get(key))
    return f"{_named(table)}: {', '.join(through)}; {', '.join(subnets)}"


def _identity(driver: Driver) -> Inventory:
    roles = driver.host.client("iam").get_account_authorization_details(Filter=["Role"])["RoleDetailList"]
    return {
        "roles": [role["Arn"] for role in roles],
        "attached policies": [
            f"{role['RoleName']} {each['PolicyName']}" for role in roles for each in role["AttachedManagedPolicies"]
        ],
        "inline policies": [
            f"{role['RoleName']} {each['PolicyName']}" for role in roles for each in role["RolePolicyList"]
        ],
    }


def _buckets(driver: Driver) -> Inventory:
    s3 = driver.host.client("s3")
    names = [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
    listed = {name: s3.list_objects_v2(Bucket=name).get("Contents", []) for name in names}
    return {"buckets": names, "objects": [f"{name}/{each['Key']}" for name, found in listed.items() for each in found]}


def _eks(driver: Driver, cluster: str) -> Inventory:
    eks = driver.host.client("eks")
    found: Inventory = {"EKS clusters": eks.list_clusters()["clusters"]}
    if cluster not in found["EKS clusters"]:
        return found
    addons = [
        eks.describe_addon(clusterName=cluster, addonName=name)
        for name in eks.list_addons(clusterName=cluster)["addons"]
    ]
    associations = eks.list_pod_identity_associations(clusterName=cluster)["associations"]
    return found | {
        "add-ons": [f"{each['addon']['addonName']} {each['addon']['status']}" for each in addons],
        "associations": [f"{each['namespace']}/{each['serviceAccount']}" for each in associations],
        "access entries": [
            _entry(driver, cluster, arn) for arn in eks.list_access_entries(clusterName=cluster)["accessEntries"]
        ],
    }


def _entry(driver: Driver, cluster: str, principal: str) -> str:
    eks = driver.host.client("eks")
    entry = eks.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
    policies = eks.list_associated_access_policies(clusterName=cluster, principalArn=principal)[
        "associatedAccessPolicies"
    ]
    held = sorted(each["policyArn"].rpartition("/")[2] for each in policies)
    return f"{principal} {sorted(entry.get('kubernetesGroups', []))} {held}"


def _hyperpod(driver: Driver) -> Inventory:
    sagemaker = driver.host.client("sagemaker")
    clusters = sagemaker.list_clusters()["ClusterSummaries"]
    nodes = [
        f"{node['InstanceGroupName']} {node['InstanceType']} {node['InstanceStatus']['Status']}"
        for cluster in clusters
        for node in sagemaker.list_cluster_nodes(ClusterName=cluster["ClusterName"])["ClusterNodeSummaries"]
    ]
    return {"HyperPod clusters": [f"{c['ClusterName']} {c['ClusterStatus']}" for c in clusters], "instances": nodes}


def _in_cluster(store: Store) -> Inventory:
    def named(resource: Resource, describe: Callable[[JsonObject], str], selector: str = "") -> list[str]:
        return [describe(item) for item in store.select(resource, "", selector)]

    return {
        "releases": named(resources.SECRETS, _release, "owner=helm,status!=superseded"),
        "nodes": named(resources.NODES, lambda node: str(value_at(node, *_NODE_TYPE))),
        "volumes": named(resources.PERSISTENT_VOLUMES, _phased),
        "claims": named(resources.PERSISTENT_VOLUME_CLAIMS, _phased),
        "daemon sets": named(resources.DAEMON_SETS, _object),
        "deployments": named(resources.DEPLOYMENTS, _object),
        "probes": named(resources.PODS, _object, "app.kubernetes.io/managed-by=instantstart"),
        "cluster roles": named(resources.CLUSTER_ROLES, _object, "app.kubernetes.io/managed-by=instantstart"),
    }


def _object(item: JsonObject) -> str:
    return f"{namespace_of(item)}/{name_of(item)}"


def _phased(item: JsonObject) -> str:
    return f"{_object(item)} {value_at(item, 'status', 'phase')}"


def _release(item: JsonObject) -> str:
    labels = string_map(item, "metadata", "labels")
    return f"{labels['name']} {labels['status']}"
