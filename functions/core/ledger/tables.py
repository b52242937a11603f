"""The ledger's tables as plain data: infrastructure builds them from here, the ledger names their keys from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Key:
    """One key attribute and its DynamoDB type."""

    name: str
    type: Literal["S", "N"] = "S"


@dataclass(frozen=True)
class Index:
    """A global secondary index; it holds whole items unless `keys_only`."""

    name: str
    partition: Key
    sort: Key
    keys_only: bool = False


LISTED_MARK: Final = "yes"


@dataclass(frozen=True)
class Table:
    """A table, and the environment variable that tells a function its deployed name."""

    name: str
    variable: str
    partition: Key
    sort: Key | None = None
    indexes: tuple[Index, ...] = ()
    ttl_attribute: str | None = None
    point_in_time_recovery: bool = False
    stream: bool = False
    billing: Literal["PAY_PER_REQUEST"] = "PAY_PER_REQUEST"


# Only leased scopes carry both attributes, so the sweeper finds expired leases without a scan.
BY_LEASE_EXPIRY: Final = Index("by_lease_expiry", Key("leased"), Key("expires_at"), keys_only=True)

# Only a cluster's `spec` carries these: a bus event names what AWS made, and the ledger says whose it is.
BY_HYPERPOD_CLUSTER: Final = Index("by_hyperpod_cluster", Key("hyperpod_cluster"), Key("cluster_tag"), keys_only=True)
BY_STACK: Final = Index("by_stack", Key("stack"), Key("cluster_tag"), keys_only=True)
BY_EKS_CLUSTER: Final = Index("by_eks_cluster", Key("eks_cluster"), Key("cluster_tag"), keys_only=True)

# What a list of clusters shows of each: its `spec`, its conditions and its taken leases, side by side and by tag.
BY_TAG: Final = Index("by_tag", Key("listed"), Key("tag_record"))

CLUSTERS: Final = Table(
    name="clusters",
    variable="CLUSTERS_TABLE",
    partition=Key("cluster_tag"),
    sort=Key("record"),
    indexes=(BY_LEASE_EXPIRY, BY_HYPERPOD_CLUSTER, BY_STACK, BY_EKS_CLUSTER, BY_TAG),
    point_in_time_recovery=True,
)

# Only the `operation` record carries the attributes of these three; stages stay out of every index.
BY_CLUSTER: Final = Index("by_cluster", Key("cluster_tag"), Key("created_at_id"))
BY_MONTH: Final = Index("by_month", Key("month"), Key("created_at_id"))
UNFINISHED: Final = Index("unfinished", Key("unfinished"), Key("updated_at"), keys_only=True)

# Only audit entries carry these.
BY_AUDIT_MONTH: Final = Index("by_audit_month", Key("audit_month"), Key("entry_id"))

OPERATIONS: Final = Table(
    name="operations",
    variable="OPERATIONS_TABLE",
    partition=Key("operation_id"),
    sort=Key("record"),
    indexes=(BY_CLUSTER, BY_MONTH, UNFINISHED, BY_AUDIT_MONTH),
    ttl_attribute="expires_at",
    point_in_time_recovery=True,
    stream=True,
)

IDEMPOTENCY: Final = Table(
    name="idempotency",
    variable="IDEMPOTENCY_TABLE",
    partition=Key("caller_route_key"),
    ttl_attribute="expires_at",
)

PREFERENCES: Final = Table(
    name="preferences",
    variable="PREFERENCES_TABLE",
    partition=Key("caller"),
    sort=Key("record"),
    point_in_time_recovery=True,
)

CLUSTER_EVENTS: Final = Table(
    name="cluster_events",
    variable="CLUSTER_EVENTS_TABLE",
    partition=Key("cluster_tag"),
    sort=Key("time_id"),
    ttl_attribute="expires_at",
    stream=True,
)

CONNECTIONS: Final = Table(
    name="connections",
    variable="CONNECTIONS_TABLE",
    partition=Key("connection_id"),
    ttl_attribute="expires_at",
)

TICKETS: Final = Table(
    name="tickets",
    variable="TICKETS_TABLE",
    partition=Key("ticket_hash"),
    ttl_attribute="expires_at",
)

# What people were told already, so that a repeat tells them nothing.
NOTICES: Final = Table(
    name="notices",
    variable="NOTICES_TABLE",
    partition=Key("notice"),
    ttl_attribute="expires_at",
)

TABLES: Final = (CLUSTERS, OPERATIONS, CLUSTER_EVENTS, IDEMPOTENCY, CONNECTIONS, TICKETS, PREFERENCES, NOTICES)


def listing_marks(tag: str, record: str) -> dict[str, str]:
    """Give the attributes by which a record of a cluster is part of the list of clusters."""
    return {BY_TAG.partition.name: LISTED_MARK, BY_TAG.sort.name: f"{tag}#{record}"}
