"""AWS's refusals as problems: one table of codes with remedies; the first real cause is kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from functions.core.errors import Busy, Cause, Layer, Problem, QuotaExceeded, StageFailed, Throttled, Unavailable

THROTTLING: Final = frozenset(
    {
        "Throttling",
        "ThrottlingException",
        "RequestLimitExceeded",
        "TooManyRequestsException",
        "ProvisionedThroughputExceededException",
        "SlowDown",
    }
)
# The resource is being changed by an earlier call; what creates a resource treats "in use" as found, before this.
BUSY: Final = frozenset(
    {"ConflictException", "IncorrectState", "OperationAborted", "ResourceInUse", "ResourceInUseException"}
)
# EC2 answers so for ids it gave out a moment ago (EC2 API reference, "Eventual consistency").
_NOT_VISIBLE_YET: Final = re.compile(r"Invalid\w+\.NotFound")
DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})

UNSUPPORTED_ZONE: Final = "UNSUPPORTED_ZONE"
CAPACITY: Final = "CAPACITY"


@dataclass(frozen=True)
class Known:
    """A cause that is recognised by AWS's code or by the words AWS uses for it."""

    code: str
    pattern: re.Pattern[str]
    remedy: str
    quota: bool = False
    passing: bool = False
    aws_code: str = ""


# Codes of EC2, whose words for the same thing differ from call to call.
# Sources: Amazon EC2 API reference, "Error codes for the Amazon EC2 API"; AWS general reference, "Amazon VPC endpoints
# and quotas"; read 2026-11-29.
_NETWORK: Final = (
    Known(
        "SUBNET_QUOTA",
        re.compile(r"maximum number of subnets has been reached", re.I),
        "Delete an unused subnet of the VPC or request an increase of the quota 'Subnets per VPC' (service vpc, code "
        "L-407747CB), then retry the operation.",
        quota=True,
        aws_code="SubnetLimitExceeded",
    ),
    Known(
        "ROUTE_TABLE_QUOTA",
        re.compile(r"maximum number of route tables has been reached", re.I),
        "Delete an unused route table of the VPC or request an increase of the quota 'Route tables per VPC' (service "
        "vpc, code L-589F43AA), then retry the operation.",
        quota=True,
        aws_code="RouteTableLimitExceeded",
    ),
    Known(
        "ROUTE_QUOTA",
        re.compile(r"maximum number of routes has been reached", re.I),
        "Delete unused routes of the route table or request an increase of the quota 'Routes per route table' (service "
        "vpc, code L-93826ACB), then retry the operation.",
        quota=True,
        aws_code="RouteLimitExceeded",
    ),
    Known(
        "SUBNET_IP_SHORTAGE",
        re.compile(r"(not have|insufficient) (enough )?free addresses", re.I),
        "Ask for network_interface: efa_only or dedicated_subnet: true for the instance group, or for fewer instances.",
        quota=True,
        aws_code="InsufficientFreeAddressesInSubnet",
    ),
    Known(
        "SUBNET_RANGE",
        re.compile(r"The CIDR '[^']*' (is invalid|conflicts with another subnet)", re.I),
        "Retry the operation: the range is chosen anew from those that the VPC has and no subnet holds.",
        passing=True,
        aws_code="InvalidSubnet.Range",
    ),
    Known(
        "NAT_GATEWAY_GONE",
        re.compile(r"nat ?gateway (id )?'?nat-\w+'? (does not exist|was not found)", re.I),
        "Create a public NAT gateway in a public subnet of the VPC, then retry the operation; it is found by itself.",
        aws_code="NatGatewayNotFound",
    ),
)

# Order matters: the first match names the cause.
KNOWN: Final = (
    *_NETWORK,
    Known(
        "BUCKET_EXISTS",
        re.compile(r"AWS::S3::Bucket .*already exists", re.I),
        "A deleted cluster of this tag has kept its bucket, or somebody else holds the name. Delete the bucket if "
        "nobody needs what is in it, then retry the operation; or create the cluster under another tag.",
    ),
    Known(
        "EIP_QUOTA",
        re.compile(r"maximum number of addresses has been reached", re.I),
        "Release an unused Elastic IP address or request an increase of the quota 'EC2-VPC Elastic IPs' "
        "(service ec2, code L-0263D0A3), then retry the operation.",
        quota=True,
    ),
    Known(
        "VPC_QUOTA",
        re.compile(r"maximum number of VPCs has been reached", re.I),
        "Delete an unused VPC or request an increase of the quota 'VPCs per Region' (service vpc, code L-F678F1CE), "
        "then retry the operation.",
        quota=True,
    ),
    Known(
        "CLUSTER_USAGE_QUOTA",
        re.compile(r"account-level service limit '[^']*for cluster usage'", re.I),
        "Request an increase of the SageMaker quota named in the message; it can take days, then retry the operation.",
        quota=True,
    ),
    Known(
        UNSUPPORTED_ZONE,
        re.compile(r"targeted availability zone, does not currently have sufficient capacity", re.I),
        "Create the cluster under another tag, with two of the zones listed in the message as "
        "foundation.control_plane_availability_zones.",
    ),
    Known(
        CAPACITY,
        re.compile(r"do not have sufficient capacity|insufficient capacity", re.I),
        "Choose another availability zone or instance type, reserve capacity with a training plan, or retry later.",
        passing=True,
    ),
    Known(
        "EKS_CLUSTER_TAKEN",
        re.compile(r"external resource id .* already in use", re.I),
        "Wait until the HyperPod cluster that uses this EKS cluster is deleted, then retry the operation.",
        passing=True,
    ),
    Known(
        "EFA_CHECK",
        re.compile(r"EFA health checks did not run successfully", re.I),
        "Allow all traffic from and to itself, inbound and outbound, in the security group of the instances, and keep "
        "the group in one zone, then retry the operation.",
        passing=True,
    ),
    Known(
        "PLAN_ZONE",
        re.compile(r"No subnets in the capacity AZ", re.I),
        "Create another cluster whose group leaves availability_zone and subnet_id out: then the training plan's zone "
        "is used.",
    ),
    Known(
        "DEEP_HEALTH_CHECK",
        re.compile(r"Deep health checks failed", re.I),
        "HyperPod replaces what fails its check. Retry the operation to wait on; see the log streams "
        "DeepHealthCheckResults/<instance> of the cluster for what failed.",
        passing=True,
    ),
    Known(
        "LIFECYCLE_SCRIPT",
        re.compile(r"Lifecycle scripts did not run successfully", re.I),
        "Read the log stream named in the message, correct the script, then retry the operation.",
    ),
)

_DEFAULT_REMEDY: Final = "Remove the cause named in the message, then retry the operation: what stands is kept."


def recognise(message: str, code: str | None = None) -> Known | None:
    """Find the known cause that AWS's code stands for or its message speaks of."""
    coded = (known for known in KNOWN if code and known.aws_code == code)
    return next(coded, None) or next((known for known in KNOWN if known.pattern.search(message)), None)


def failure(message: str, cause: Cause) -> Problem:
    """Make the problem of a failed resource, with the known cause's code and remedy where there is one."""
    known = recognise(message, cause.code)
    if known is None:
        return StageFailed(message, cause=cause, remedy=_DEFAULT_REMEDY)
    named = cause.model_copy(update={"code": known.code})
    kind = QuotaExceeded if known.quota else StageFailed
    return kind(message, cause=named, remedy=known.remedy, retryable=known.passing)


def problem_of(error: ClientError | BotoCoreError, resource: str | None = None) -> Problem:
    """Make the problem of a refused call."""
    if isinstance(error, ParamValidationError):
        return StageFailed(
            f"A call to AWS was not even sent: {error}",
            cause=Cause(layer=Layer.CONTROL_PLANE, code=type(error).__name__, resource=resource),
            remedy="Change what the message names in the request, or deploy a newer release of the control plane.",
        )
    if not isinstance(error, ClientError):
        return Unavailable(
            f"AWS did not answer: {error}",
            cause=Cause(layer=Layer.AWS, code=type(error).__name__, resource=resource),
            remedy="Retry the operation.",
        )
    cause = cause_of(error, resource)
    message = f"{error.operation_name}: {error.response['Error'].get('Message', cause.code)}"
    if cause.code in THROTTLING:
        return Throttled(message, cause=cause, remedy="Retry the operation in a few minutes.")
    if status_of(error) >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Unavailable(message, cause=cause, remedy="Retry the operation in a few minutes.")
    if cause.code in BUSY or _NOT_VISIBLE_YET.fullmatch(cause.code or ""):
        return Busy(message, cause=cause, remedy="Retry the operation in a few minutes.")
    if cause.code in DENIED:
        remedy = f"Grant the action of {error.operation_name} to the control plane's role, then retry the operation."
        return StageFailed(message, cause=cause, remedy=remedy)
    return failure(message, cause)


def code_of(error: ClientError) -> str:
    """Give the error code of a refused call."""
    return str(error.response["Error"]["Code"])


def status_of(error: ClientError) -> int:
    """Give the HTTP status of a refused call; 400 when the answer had none."""
    metadata = error.response.get("ResponseMetadata")
    return metadata["HTTPStatusCode"] if metadata else 400


def cause_of(error: ClientError, resource: str | None = None) -> Cause:
    """Give the cause of a refused call: which service and call, which code, which resource."""
    metadata = error.response.get("ResponseMetadata")
    service: object = {**metadata}.get("Service") if metadata else None
    return Cause(
        layer=Layer.AWS,
        service=service if isinstance(service, str) else None,
        api_call=error.operation_name,
        code=code_of(error),
        resource=resource,
        request_id=metadata.get("RequestId") if metadata else None,
    )
