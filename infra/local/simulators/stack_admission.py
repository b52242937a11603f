"""From a request to a stack record: the template fetched and checked, parameters and capabilities judged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from botocore.exceptions import ClientError

from infra.local.simulators.service import ServiceError
from infra.local.simulators.stack_conditions import settled
from infra.local.simulators.stack_intrinsics import Scope, malformed
from infra.local.simulators.stack_parameters import parameter_references, parameter_values
from infra.local.simulators.stack_records import Stack, StackResource
from infra.local.simulators.stack_resources import check_resources, needs_capability
from infra.local.simulators.stack_template import Template, parse

if TYPE_CHECKING:
    from datetime import datetime

    from infra.local.simulators.stack_host import StackHost


BODY_LIMIT = 51_200
OBJECT_LIMIT = 1_048_576
_PATH_STYLE = re.compile(r"s3[.-]([a-z0-9-]+\.)?amazonaws\.com(\.cn)?")
_HOST_STYLE = re.compile(r"(?P<bucket>[a-z0-9][a-z0-9.-]+)\.s3[.-]([a-z0-9-]+\.)?amazonaws\.com(\.cn)?")


@dataclass(frozen=True)
class Order:
    """A stack to be made, by a caller or by a parent."""

    name: str
    template_url: str | None = None
    template_body: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    capabilities: tuple[str, ...] = ()
    on_failure: str = "ROLLBACK"
    role_arn: str | None = None
    token: str | None = None
    termination_protection: bool = False


def admit(order: Order, host: StackHost, at: datetime, parent: Stack | None = None) -> Stack:
    """A new stack, nothing begun; faults in AWS's wording."""
    template = parse(_body(order, host))
    check_resources(template)
    parameters = parameter_values(template.parameters, order.parameters)
    _check_capabilities(template, order.capabilities)
    template = settled(template, _deciding(template, parameters, order.name, host))
    root_id = (parent.root_id or parent.stack_id) if parent else None
    return Stack(
        stack_id=f"arn:aws:cloudformation:{host.region}:{host.account_id}:stack/{order.name}/{uuid4()}",
        name=order.name,
        template=template,
        parameters=parameters,
        resources={
            name: StackResource(name, declared.type, declared.requires) for name, declared in template.resources.items()
        },
        created_at=at,
        tags=dict(order.tags),
        capabilities=list(order.capabilities),
        on_failure=order.on_failure,
        role_arn=order.role_arn,
        token=order.token,
        creation_token=order.token,
        termination_protection=order.termination_protection,
        parent_id=parent.stack_id if parent else None,
        root_id=root_id,
        wake=at,
    )


def scope_of(stack: Stack, host: StackHost) -> Scope:
    """What references inside a stack's template mean now."""
    pseudo = {**_pseudo(stack.name, host), "AWS::StackId": stack.stack_id}
    physical = {name: resource.physical_id for name, resource in stack.resources.items()}
    parameters = parameter_references(stack.template.parameters, stack.parameters)

    def attribute(target: str, name: str) -> str:
        found = stack.resources[target].attributes.get(name)
        if found is None:
            raise malformed(f"Template error: resource {target} has no attribute {name}")
        return found

    return Scope({**pseudo, **physical, **parameters}, attribute)


def _deciding(template: Template, given: dict[str, str], name: str, host: StackHost) -> dict[str, object]:
    """What conditions are decided by: parameters, and pseudo parameters that are known before there is a stack."""
    return {**_pseudo(name, host), **parameter_references(template.parameters, given)}


def _pseudo(name: str, host: StackHost) -> dict[str, str]:
    return {
        "AWS::AccountId": host.account_id,
        "AWS::Partition": "aws",
        "AWS::Region": host.region,
        "AWS::StackName": name,
        "AWS::URLSuffix": "amazonaws.com",
    }


def _check_capabilities(template: Template, given: tuple[str, ...]) -> None:
    needed = needs_capability(template)
    enough = {needed, "CAPABILITY_NAMED_IAM"}
    if needed and not enough & set(given):
        raise ServiceError("InsufficientCapabilitiesException", f"Requires capabilities : [{needed}]")


def _body(order: Order, host: StackHost) -> str:
    if (order.template_url is None) == (order.template_body is None):
        raise malformed("Either Template URL or Template Body must be specified.")
    if order.template_url is not None:
        return _fetched(order.template_url, host)
    body = order.template_body or ""
    if len(body.encode()) > BODY_LIMIT:
        raise malformed(
            f"1 validation error detected: Value '{body[:100]}...' at 'templateBody' failed to satisfy constraint: "
            f"Member must have length less than or equal to {BODY_LIMIT}"
        )
    return body


def _fetched(url: str, host: StackHost) -> str:
    bucket, key = _object_of(url)
    try:
        content: bytes = host.ask("s3", "get_object", Bucket=bucket, Key=key)["Body"].read()
    except ClientError as error:
        raise malformed(_s3_error(str(error.response["Error"].get("Message", "")))) from error
    if len(content) > OBJECT_LIMIT:
        raise malformed(f"Template may not exceed {OBJECT_LIMIT} bytes in size.")
    return content.decode()


def _s3_error(message: str) -> str:
    page = "http://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"
    return f"S3 error: {message.rstrip('.')}.\nFor more information check {page}"


def _object_of(url: str) -> tuple[str, str]:
    """Bucket and key of an S3 address, path-style or virtual-hosted."""
    parts = urlsplit(url)
    host, path = parts.hostname or "", unquote(parts.path.lstrip("/"))
    if parts.scheme != "https":
        raise malformed("TemplateURL must be a supported URL.")
    if _PATH_STYLE.fullmatch(host):
        bucket, _, key = path.partition("/")
        return bucket, key
    virtual = _HOST_STYLE.fullmatch(host)
    if virtual is None:
        raise malformed(f"S3 error: Domain name specified in {host} is not a valid S3 domain")
    return virtual["bucket"], path
