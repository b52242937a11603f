"""The checks of what is taken over, by name; the others of this package use them, and who makes a refusal."""

from __future__ import annotations

from typing import Final

VPC: Final = "reused_vpc"
VPC_DNS: Final = "reused_vpc_dns"
VPC_ROOM: Final = "reused_vpc_room"
SERVICE_RANGE: Final = "service_range_overlap"
ROUTES: Final = "reused_vpc_routes"
SUBNET: Final = "reused_subnet"
SUBNET_ADDRESSES: Final = "reused_subnet_addresses"
SUBNET_TAGS: Final = "lb_subnet_tags"
SECURITY_GROUP: Final = "reused_security_group"
SECURITY_GROUP_RULES: Final = "reused_security_group_rules"
ROLE: Final = "reused_role"
ROLE_TRUST: Final = "reused_role_trust"
ROLE_POLICY: Final = "reused_role_policy"
PASS_ROLE: Final = "pass_role"
BUCKET: Final = "reused_bucket"
BUCKET_ACCESS: Final = "reused_bucket_access"
OTHERS: Final = "reused_of_another_cluster"

# What only another request can put right; every other error may pass when the state of the account changes.
INVALID: Final = frozenset({VPC, SUBNET, SECURITY_GROUP, ROLE, BUCKET})
