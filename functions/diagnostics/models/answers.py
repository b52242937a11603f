"""The answer of a diagnosis: checks, each with what it found, how much that matters and where the runbook goes on."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Status(StrEnum):
    """What a check came to; WARN is also what could not be looked at, INFO what is not there yet."""

    FAIL = "FAIL"
    WARN = "WARN"
    INFO = "INFO"
    PASS = "PASS"  # the word of diagnoses, no secret


class Priority(StrEnum):
    """How much a FAIL or WARN matters: P0 blocks, P1 degrades, P2 is good to know."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"


class Area(StrEnum):
    """A part of a cluster that can be looked at by itself."""

    OPERATIONS = "operations"
    FOUNDATION = "foundation"
    CONTROL_PLANE = "control_plane"
    ACCESS = "access"
    ADDONS = "addons"
    HYPERPOD = "hyperpod"
    NETWORK = "network"
    LIFECYCLE = "lifecycle"
    CAPACITY = "capacity"
    NODES = "nodes"


class Name(StrEnum):
    """The checks, in the order in which a cluster comes into being; names never change."""

    LAST_OPERATION = "last_operation"
    FOUNDATION_STACK = "foundation_stack"
    EKS_CLUSTER = "eks_cluster"
    ENDPOINT_ACCESS = "endpoint_access"
    AUTHENTICATION_MODE = "authentication_mode"
    ACCESS_ENTRY = "access_entry"
    EXECUTION_ROLE = "execution_role"
    ADDON = "addon"
    HYPERPOD_CLUSTER = "hyperpod_cluster"
    INSTANCE_GROUPS = "instance_groups"
    CLUSTER_EVENTS = "cluster_events"
    EVENT_EFA_CHECK = "event_efa_check"
    EVENT_BOOTSTRAP = "event_bootstrap_network"
    EVENT_LIFECYCLE = "event_lifecycle_script"
    EVENT_CAPACITY = "event_capacity"
    EVENT_QUOTA = "event_quota"
    EVENT_ZONE = "event_no_subnet_in_zone"
    EVENT_ADDRESSES = "event_addresses"
    EVENT_HARDWARE = "event_hardware"
    EVENT_HEALTH_CHECK = "event_deep_health_check"
    EVENT_PROVISIONING = "event_provisioning"
    SELF_REFERENCE = "security_group_self_reference"
    EGRESS = "security_group_egress"
    CONTROL_PLANE_TRAFFIC = "security_group_control_plane"
    VPC_DNS = "vpc_dns"
    COMPUTE_SUBNET = "compute_subnet"
    SUBNET_ADDRESSES = "subnet_addresses"
    SUBNET_ROUTE = "subnet_route"
    S3_ROUTE = "s3_route"
    INTERFACE_ENDPOINTS = "interface_endpoints"
    NETWORK_ACL = "network_acl"
    LIFECYCLE_SCRIPT = "lifecycle_script"
    LIFECYCLE_LOG = "lifecycle_log"
    QUOTA = "cluster_usage_quota"
    TRAINING_PLAN = "training_plan"
    NODE_STATUS = "node_status"
    NODE_HEALTH = "node_health"


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Fact(_Answer):
    """One thing that was seen: an id, a number, a setting, or words of AWS or of a log with their time.

    Words of AWS and of logs are data about the cluster, shortened and without secrets; nobody follows them.
    """

    name: str
    value: str | int | float | bool
    at: datetime | None = None


class Check(_Answer):
    """What one check found of one resource; `more_evidence` counts the facts that are left out."""

    check: Name
    area: Area
    status: Status
    priority: Priority | None = Field(default=None, description="Of FAIL and WARN only.")
    message: str
    resource: str | None = None
    evidence: list[Fact] = []
    more_evidence: int = 0
    runbook: str = Field(description="Skill and section, as `diagnose-cluster-creation/quotas`.")
    remedy: str | None = None


class Counts(_Answer):
    """How many checks came to what, those that were left out of the list among them."""

    failed: int = 0
    warned: int = 0
    informed: int = 0
    passed: int = 0


class Diagnosis(_Answer):
    """A look at a cluster: checks in the order of their weight, what blocks first.

    `complete` says that everything could be looked at; `more_checks` counts those left out to keep the answer short.
    """

    cluster_tag: str
    checked_at: datetime
    complete: bool
    counts: Counts
    checks: list[Check]
    more_checks: int = 0
