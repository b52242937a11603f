"""Everything in the simulated account, by names and never by ids, so that two moments or two runs can be compared.

What a deletion is measured by: the account after it is the account before the creation, but for what was to be kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from infra.local.kubernetes import resources
from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, string_map, value_at
from infra.topology import AUDIT_BUCKET, PREFIX

if TYPE_CHECKING:
    from infra.local.host import LocalHost
    from infra.local.kubernetes.resources import Resource
    from infra.local.kubernetes.store import Store

Inventory = dict[str, list[str]]
"""The names of each kind of resource, sorted; two of a name are listed twice."""

Found = dict[str, Any]
_AUDIT: Final = f"{PREFIX}{AUDIT_BUCKET.name}-"
_NODE_TYPE: Final = ("metadata", "labels", "node.kubernetes.io/instance-type")
_OURS: Final = "app.kubernetes.io/managed-by=instantstart"
# Ids in descriptions and names differ from run to run.
_ID: Final = re.compile(r"\b(i|nat|eni|vpce|subnet)-[0-9a-f]{8,}")
_KIND: Final = r"\1-*"
_GONE: Final = ("deleted", "deleting")


def taken(host: LocalHost) -> Inventory:
    """Take stock of the whole account, and of what is in its clusters."""
    found = {**_stacks(host), **_network(host), **_interfaces(host), **_compute(host), **_identity(host)}
    found["topics"] = [each["TopicArn"].rpartition(":")[2] for each in host.client("sns").list_topics()["Topics"]]
    found |= _buckets(host) | _logs(host) | _eks(host) | _hyperpod(host)
    for name in sorted(host.world.kubernetes):
        for kind, names in _in_cluster(host.world.kubernetes[name].store).items():
            found.setdefault(kind, []).extend(names)
    return {kind: sorted(names) for kind, names in found.items() if names}


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


def _listed(host: LocalHost, service: str, method: str, key: str, **arguments: object) -> list[Found]:
    """List everything, page by page where the service has pages."""
    # Of some services no type stubs are installed.
    client_of: Callable[[str], Any] = host.client  # type: ignore[assignment]
    client = client_of(service)
    if not client.can_paginate(method):
        return list(getattr(client, method)(**arguments)[key])
    return [item for page in client.get_paginator(method).paginate(**arguments) for item in page.get(key, [])]


def _stacks(host: LocalHost) -> Inventory:
    stacks = _listed(host, "cloudformation", "describe_stacks", "Stacks")
    return {"stacks": [f"{stack['StackName']} {stack['StackStatus']}" for stack in stacks]}


def _network(host: LocalHost) -> Inventory:
    def ec2(method: str, key: str) -> list[Found]:
        return _listed(host, "ec2", method, key)

    subnets, tables = ec2("describe_subnets", "Subnets"), ec2("describe_route_tables", "RouteTables")
    named = {each["SubnetId"]: _named(each) for each in subnets}
    named |= {each["RouteTableId"]: _named(each) for each in tables}
    endpoints = [each for each in ec2("describe_vpc_endpoints", "VpcEndpoints") if each["State"].lower() not in _GONE]
    nats = [each for each in ec2("describe_nat_gateways", "NatGateways") if each["State"] not in _GONE]
    return {
        "vpcs": [f"{_named(vpc)} {vpc['CidrBlock']}" for vpc in ec2("describe_vpcs", "Vpcs")],
        "subnets": [f"{_named(each)} {each['CidrBlock']} {each['AvailabilityZone']}" for each in subnets],
        "route tables": [_table(table, named) for table in tables],
        "endpoints": [" ".join(sorted(named[table] for table in each["RouteTableIds"])) for each in endpoints],
        "NAT gateways": [each["State"] for each in nats],
        "addresses": [each["Domain"] for each in ec2("describe_addresses", "Addresses")],
        "internet gateways": [_named(each) for each in ec2("describe_internet_gateways", "InternetGateways")],
        "security groups": [_group(each["GroupName"]) for each in ec2("describe_security_groups", "SecurityGroups")],
        "network ACLs": [str(each["IsDefault"]) for each in ec2("describe_network_acls", "NetworkAcls")],
    }


def _named(item: Found) -> str:
    return next((str(tag["Value"]) for tag in item.get("Tags", []) if tag["Key"] == "Name"), "unnamed")


def _group(name: str) -> str:
    """Give the name of a security group without the number that EKS gives to its own."""
    return f"{name.rpartition('-')[0]}-*" if name.startswith("eks-cluster-sg-") else name


def _table(table: Found, named: dict[str, str]) -> str:
    subnets = sorted(named[each["SubnetId"]] for each in table["Associations"] if each.get("SubnetId"))
    through = sorted(key for route in table["Routes"] for key in ("NatGatewayId", "GatewayId") if route.get(key))
    return f"{_named(table)}: {', '.join(through)}; {', '.join(subnets)}"


def _interfaces(host: LocalHost) -> Inventory:
    found = _listed(host, "ec2", "describe_network_interfaces", "NetworkInterfaces")
    balancers = _listed(host, "elbv2", "describe_load_balancers", "LoadBalancers")
    return {
        "interfaces": [f"{_ID.sub(_KIND, each['Description'])} {each['Status']}" for each in found],
        "load balancers": [each["LoadBalancerName"] for each in balancers],
    }


def _compute(host: LocalHost) -> Inventory:
    reservations = _listed(host, "ec2", "describe_instances", "Reservations")
    instances = [each for reservation in reservations for each in reservation["Instances"]]
    return {
        "volumes": [f"{_named(each)} {each['Size']}" for each in _listed(host, "ec2", "describe_volumes", "Volumes")],
        "EC2 instances": [f"{_named(each)} {each['State']['Name']}" for each in instances],
    }


def _identity(host: LocalHost) -> Inventory:
    iam = host.client("iam")
    roles: list[Any] = iam.get_account_authorization_details(Filter=["Role"])["RoleDetailList"]
    policies = _listed(host, "iam", "list_policies", "Policies", Scope="Local")
    providers = iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]
    return {
        "roles": [role["Arn"] for role in roles],
        "attached policies": [
            f"{role['RoleName']} {each['PolicyName']}" for role in roles for each in role["AttachedManagedPolicies"]
        ],
        "inline policies": [
            f"{role['RoleName']} {each['PolicyName']}" for role in roles for each in role["RolePolicyList"]
        ],
        "policies": [each["PolicyName"] for each in policies],
        "identity providers": [each["Arn"].rpartition("/")[0] for each in providers],
    }


def _buckets(host: LocalHost) -> Inventory:
    names = [bucket["Name"] for bucket in host.client("s3").list_buckets()["Buckets"]]
    # The audit grows by a file a day, whatever becomes of clusters.
    counted = [name for name in names if not name.startswith(_AUDIT)]
    keys = {name: _listed(host, "s3", "list_objects_v2", "Contents", Bucket=name) for name in counted}
    return {"buckets": names, "objects": [f"{name}/{each['Key']}" for name, found in keys.items() for each in found]}


def _logs(host: LocalHost) -> Inventory:
    found = _listed(host, "logs", "describe_log_groups", "logGroups")
    # HyperPod's end with the id of the cluster.
    names = [each["logGroupName"] for each in found]
    hyperpod = "/aws/sagemaker/Clusters/"
    return {"log groups": [f"{n.rpartition('/')[0]}/*" if n.startswith(hyperpod) else n for n in names]}


def _eks(host: LocalHost) -> Inventory:
    names = host.client("eks").list_clusters()["clusters"]
    found: Inventory = {"EKS clusters": [*names], "add-ons": [], "associations": [], "access entries": []}
    for name in names:
        found["add-ons"] += list(_addons(host, name))
        associations = _listed(host, "eks", "list_pod_identity_associations", "associations", clusterName=name)
        found["associations"] += [f"{each['namespace']}/{each['serviceAccount']}" for each in associations]
        entries = host.client("eks").list_access_entries(clusterName=name)["accessEntries"]
        found["access entries"] += [_entry(host, name, arn) for arn in entries]
    return found


def _addons(host: LocalHost, cluster: str) -> Iterator[str]:
    eks = host.client("eks")
    for name in eks.list_addons(clusterName=cluster)["addons"]:
        addon = eks.describe_addon(clusterName=cluster, addonName=name)["addon"]
        yield f"{name} {addon.get('status')}"


def _entry(host: LocalHost, cluster: str, principal: str) -> str:
    eks = host.client("eks")
    entry = eks.describe_access_entry(clusterName=cluster, principalArn=principal)["accessEntry"]
    policies = eks.list_associated_access_policies(clusterName=cluster, principalArn=principal)[
        "associatedAccessPolicies"
    ]
    held = sorted(each["policyArn"].rpartition("/")[2] for each in policies)
    return f"{principal} {sorted(entry.get('kubernetesGroups', []))} {held}"


def _hyperpod(host: LocalHost) -> Inventory:
    sagemaker = host.client("sagemaker")
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
        "volumes in clusters": named(resources.PERSISTENT_VOLUMES, _phased),
        "claims": named(resources.PERSISTENT_VOLUME_CLAIMS, _phased),
        "daemon sets": named(resources.DAEMON_SETS, _object),
        "deployments": named(resources.DEPLOYMENTS, _object),
        "probes": named(resources.PODS, _object, _OURS),
        "cluster roles": named(resources.CLUSTER_ROLES, _object, _OURS),
    }


def _object(item: JsonObject) -> str:
    return f"{namespace_of(item)}/{name_of(item)}"


def _phased(item: JsonObject) -> str:
    return f"{_object(item)} {value_at(item, 'status', 'phase')}"


def _release(item: JsonObject) -> str:
    labels = string_map(item, "metadata", "labels")
    return f"{labels['name']} {labels['status']}"
