"""What stands of resources that a cluster is to take over: VPC, subnets, roles, bucket. Reads only.

Each function makes the calls of one kind of resource and raises the client's own errors, so that a caller with little
time decides what a missing answer means; `everything` is for a caller that can wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.aws import buckets, iam, network, routing, security_groups
from functions.core import runtime
from functions.core.failures import code_of
from functions.core.tags import owner_in
from functions.network.reuse.models import Bucket, Facts, Network, Role
from functions.network.subnets.models import Vpc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef
    from types_boto3_s3 import S3Client
    from types_boto3_s3.type_defs import PublicAccessBlockConfigurationTypeDef

    from functions.capacity.preflight.models import SecurityGroup
    from functions.core.cluster import ReusedResources
    from functions.network.subnets.models import Subnet

# Source: Amazon S3 user guide, "Access control list (ACL) overview" (Amazon S3 predefined groups).
_ANYBODY: Final = (
    "http://acs.amazonaws.com/groups/global/AllUsers",
    "http://acs.amazonaws.com/groups/global/AuthenticatedUsers",
)
_ABSENT: Final = frozenset({"404", "NoSuchBucket", "NotFound"})
_DENIED: Final = frozenset({"403", "AccessDenied", "Forbidden"})


def everything(reused: ReusedResources, role_arns: Sequence[str], region: str, account: str) -> Facts:
    """Look up all that is taken over."""
    networks = {reused.vpc_id: find_network(reused.vpc_id, region)} if reused.vpc_id else None
    group_id, name = reused.security_group_id, reused.bucket
    return Facts(
        networks=networks,
        strangers=strangers(reused) if networks else {},
        security_groups=find_security_groups([group_id]) if group_id else None,
        roles={arn: find_role(arn) for arn in role_arns},
        buckets={name: find_bucket(name, account)} if name else None,
    )


def find_network(vpc_id: str, region: str) -> Network | None:
    """Read a VPC with all that clusters hang on; None when there is none."""
    wanted: list[FilterTypeDef] = [{"Name": "vpc-id", "Values": [vpc_id]}]
    found = runtime.client("ec2").describe_vpcs(Filters=wanted)["Vpcs"]
    if not found:
        return None
    subnets = network.subnets_of_vpc(vpc_id)
    zones = {subnet.subnet_id: subnet.zone for subnet in subnets}
    support, hostnames = network.dns_of(vpc_id)
    return Network(
        ranges=network.ranges_in(found[0]),
        dns_support=support,
        dns_hostnames=hostnames,
        parts=Vpc(
            vpc_id=vpc_id,
            subnets=tuple(subnets),
            tables=tuple(routing.tables_of_vpc(vpc_id)),
            nat_gateways=tuple(routing.nat_gateways_of_vpc(vpc_id, zones)),
            endpoints=tuple(routing.s3_endpoints_of_vpc(vpc_id, region)),
        ),
        owner=owner_in(network.tags_in(found[0].get("Tags", []))),
    )


def strangers(reused: ReusedResources) -> dict[str, Subnet]:
    """Read the subnets that are named and stand in another VPC than the one that is."""
    found = network.subnets_named(reused.subnet_ids)
    return {subnet.subnet_id: subnet for subnet in found if subnet.vpc_id != reused.vpc_id}


def find_security_groups(group_ids: Sequence[str]) -> dict[str, SecurityGroup | None]:
    """Read security groups, None for one that does not exist."""
    found = security_groups.describe(group_ids)
    return {group_id: found.get(group_id) for group_id in group_ids}


def find_role(arn: str) -> Role | None:
    """Read a role with the documents of all its policies; None when there is none of that ARN."""
    found = iam.find_role(arn.rpartition("/")[2])
    if found is None or found.arn != arn:
        return None
    documents = (*found.inline.values(), *(iam.policy_document(policy) for policy in sorted(found.attached)))
    return Role(arn, found.trust, documents, found.attached, owner_in(found.tags))


def find_bucket(name: str, account: str) -> Bucket | None:
    """Read where a bucket is and whether it is public; None when there is none."""
    client = runtime.client("s3")
    try:
        region = client.head_bucket(Bucket=name, ExpectedBucketOwner=account).get("BucketRegion", "")
    except ClientError as error:
        if code_of(error) in _ABSENT:
            return None
        if code_of(error) in _DENIED:
            return Bucket(open_to_us=False)
        raise
    owner = owner_in(buckets.tags(name) or {})
    return Bucket(open_to_us=True, region=region, public=_public(client, name), owner=owner)


def _public(client: S3Client, name: str) -> bool:
    """Say whether a policy or a list of grants lets anybody in, unless a block of public access makes it idle."""
    block: PublicAccessBlockConfigurationTypeDef = {}
    try:
        block = client.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
    except ClientError as error:
        if code_of(error) != "NoSuchPublicAccessBlockConfiguration":
            raise
    by_policy = not block.get("RestrictPublicBuckets") and _public_by_policy(client, name)
    return by_policy or (not block.get("IgnorePublicAcls") and _public_by_grants(client, name))


def _public_by_policy(client: S3Client, name: str) -> bool:
    try:
        return client.get_bucket_policy_status(Bucket=name)["PolicyStatus"].get("IsPublic", False)
    except ClientError as error:
        if code_of(error) != "NoSuchBucketPolicy":
            raise
        return False


def _public_by_grants(client: S3Client, name: str) -> bool:
    grants = client.get_bucket_acl(Bucket=name).get("Grants", [])
    return any(grant.get("Grantee", {}).get("URI") in _ANYBODY for grant in grants)
