"""The resource types that stacks can hold, and the judgement of a template's resources against them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.service import unverified
from infra.local.simulators.stack_handlers import ResourceType, names
from infra.local.simulators.stack_intrinsics import malformed, references
from infra.local.simulators.stack_live import Live
from infra.local.simulators.stack_live_network import LIVE_NETWORK
from infra.local.simulators.stack_live_others import LIVE_OTHERS
from infra.local.simulators.stack_records import STACK_TYPE
from infra.local.simulators.stack_resources_cluster import CLUSTER_TYPES
from infra.local.simulators.stack_resources_identity import IDENTITY_TYPES
from infra.local.simulators.stack_resources_network import NETWORK_TYPES
from infra.local.simulators.stack_resources_storage import STORAGE_TYPES

if TYPE_CHECKING:
    from infra.local.simulators.stack_template import Declared, Template

RESOURCE_TYPES: dict[str, ResourceType] = {**NETWORK_TYPES, **IDENTITY_TYPES, **STORAGE_TYPES, **CLUSTER_TYPES}
# How each of them is read and mended. A nested stack is not looked into.
LIVE_TYPES: dict[str, Live] = {**LIVE_NETWORK, **LIVE_OTHERS}
_NESTED_PROPERTIES = names("TemplateURL Parameters Tags")
# Services that have resource types; a type of another one cannot exist, one of these may.
_SERVICES = names(
    "ApiGateway ApiGatewayV2 ApplicationAutoScaling AutoScaling Backup CertificateManager CloudFormation CloudFront "
    "CloudTrail CloudWatch Cognito DynamoDB EC2 ECR ECS EFS EKS ElasticLoadBalancing ElasticLoadBalancingV2 Events FSx "
    "Grafana IAM KMS Lambda Logs APS RDS Route53 S3 SNS SQS SSM SageMaker Scheduler SecretsManager ServiceQuotas "
    "StepFunctions"
)


def check_resources(template: Template) -> None:
    """Refuse types, properties and attributes that do not exist or that are not simulated."""
    _check_types(template)
    for declared in template.resources.values():
        known = _NESTED_PROPERTIES if declared.type == STACK_TYPE else RESOURCE_TYPES[declared.type].properties
        unknown = declared.properties.keys() - known
        if unknown:
            raise unverified(f"property {', '.join(sorted(unknown))} of {declared.type}")
    values = [declared.properties for declared in template.resources.values()]
    for reference in references([*values, list(template.outputs.values())]):
        if reference.attribute is not None:
            _check_attribute(template.resources[reference.target], reference.attribute)


def needs_capability(template: Template) -> str | None:
    """The capability that a template asks for, if it makes roles."""
    roles = [declared for declared in template.resources.values() if declared.type == "AWS::IAM::Role"]
    if not roles:
        return None
    return "CAPABILITY_NAMED_IAM" if any("RoleName" in role.properties for role in roles) else "CAPABILITY_IAM"


def _check_types(template: Template) -> None:
    other = {declared.type for declared in template.resources.values()} - RESOURCE_TYPES.keys() - {STACK_TYPE}
    invented = sorted(name for name in other if not _may_exist(name))
    if invented:
        raise malformed(f"Template format error: Unrecognized resource types: [{', '.join(invented)}]")
    if other:
        raise unverified(f"resource type {', '.join(sorted(other))}")


def _may_exist(name: str) -> bool:
    vendor, *rest = name.split("::")
    if vendor == "Custom":
        return len(rest) == 1
    return vendor == "AWS" and len(rest) == 2 and rest[0] in _SERVICES


def _check_attribute(declared: Declared, attribute: str) -> None:
    if declared.type == STACK_TYPE:
        known = attribute.startswith("Outputs.")
    else:
        known = attribute in RESOURCE_TYPES[declared.type].attributes
    if not known:
        raise unverified(f"attribute {attribute} of {declared.type}")
