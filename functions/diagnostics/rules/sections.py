"""Which area a check belongs to, and which section of the runbook goes on from it."""

from __future__ import annotations

from typing import Final

from functions.diagnostics.models.answers import Area, Name

SKILL: Final = "diagnose-cluster-creation"
# Every section of the runbook has checks here, and every check has a section.
SECTIONS: Final = {
    Name.LAST_OPERATION: "operations",
    Name.FOUNDATION_STACK: "foundation",
    Name.EKS_CLUSTER: "control-plane",
    Name.ENDPOINT_ACCESS: "endpoint",
    Name.AUTHENTICATION_MODE: "access",
    Name.ACCESS_ENTRY: "access",
    Name.EXECUTION_ROLE: "access",
    Name.ADDON: "add-ons",
    Name.HYPERPOD_CLUSTER: "hyperpod-cluster",
    Name.INSTANCE_GROUPS: "provisioning",
    Name.CLUSTER_EVENTS: "events",
    Name.EVENT_EFA_CHECK: "security-groups",
    Name.EVENT_BOOTSTRAP: "bootstrap-network",
    Name.EVENT_LIFECYCLE: "lifecycle",
    Name.EVENT_CAPACITY: "capacity",
    Name.EVENT_QUOTA: "quotas",
    Name.EVENT_ZONE: "training-plans",
    Name.EVENT_ADDRESSES: "subnets",
    Name.EVENT_HARDWARE: "hardware",
    Name.EVENT_HEALTH_CHECK: "hardware",
    Name.EVENT_PROVISIONING: "provisioning",
    Name.SELF_REFERENCE: "security-groups",
    Name.EGRESS: "security-groups",
    Name.CONTROL_PLANE_TRAFFIC: "security-groups",
    Name.VPC_DNS: "dns",
    Name.COMPUTE_SUBNET: "subnets",
    Name.SUBNET_ADDRESSES: "subnets",
    Name.SUBNET_ROUTE: "routes",
    Name.S3_ROUTE: "routes",
    Name.INTERFACE_ENDPOINTS: "routes",
    Name.NETWORK_ACL: "network-acls",
    Name.LIFECYCLE_SCRIPT: "lifecycle",
    Name.LIFECYCLE_LOG: "lifecycle",
    Name.QUOTA: "quotas",
    Name.TRAINING_PLAN: "training-plans",
    Name.NODE_STATUS: "nodes",
    Name.NODE_HEALTH: "hardware",
}
_OF_NETWORK: Final = ("security_group_", "vpc_", "compute_", "subnet_", "s3_", "interface_", "network_")
AREAS: Final = {
    Name.LAST_OPERATION: Area.OPERATIONS,
    Name.FOUNDATION_STACK: Area.FOUNDATION,
    Name.EKS_CLUSTER: Area.CONTROL_PLANE,
    Name.ENDPOINT_ACCESS: Area.CONTROL_PLANE,
    Name.AUTHENTICATION_MODE: Area.ACCESS,
    Name.ACCESS_ENTRY: Area.ACCESS,
    Name.EXECUTION_ROLE: Area.ACCESS,
    Name.ADDON: Area.ADDONS,
    Name.HYPERPOD_CLUSTER: Area.HYPERPOD,
    Name.INSTANCE_GROUPS: Area.HYPERPOD,
    **{name: Area.HYPERPOD for name in Name if name.startswith(("cluster_events", "event_"))},
    **{name: Area.NETWORK for name in Name if name.startswith(_OF_NETWORK)},
    Name.LIFECYCLE_SCRIPT: Area.LIFECYCLE,
    Name.LIFECYCLE_LOG: Area.LIFECYCLE,
    Name.QUOTA: Area.CAPACITY,
    Name.TRAINING_PLAN: Area.CAPACITY,
    Name.NODE_STATUS: Area.NODES,
    Name.NODE_HEALTH: Area.NODES,
}


def runbook_of(name: Name) -> str:
    """Point to the section of the runbook that a check's finding is treated in."""
    return f"{SKILL}/{SECTIONS[name]}"
