"""The names that a request about capacity is made of, each judged where it stands."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from functions.catalog.rules import (
    INSTANCE_TYPE_PATTERN,
    instance_type,
    looks_like_an_instance_type,
    similar_instance_types,
)
from functions.core.requests import check_name, fits

GROUP_NAME_PATTERN: Final = r"^[a-zA-Z0-9](-*[a-zA-Z0-9])*$"
GROUP_NAME_LIMIT: Final = 63

# Kubernetes, "Labels and Selectors"; the lengths are SageMaker's own (API reference, ClusterKubernetesConfig).
LABEL_NAME_PATTERN: Final = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_DOMAIN_PATTERN: Final = r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?"
LABEL_KEY_PATTERN: Final = rf"^({_DOMAIN_PATTERN}/)?{LABEL_NAME_PATTERN}$"
LABEL_KEY_LIMIT: Final = 317
LABEL_VALUE_LIMIT: Final = 63
# Source: SageMaker developer guide, "Custom Kubernetes labels and taints" of HyperPod.
RESERVED_DOMAINS: Final = (
    "kubernetes.io",
    "k8s.io",
    "sagemaker.amazonaws.com",
    "eks.amazonaws.com",
    "k8s.aws",
    "karpenter.sh",
)


def check_group_name(value: str) -> str:
    """Refuse a name that SageMaker would refuse."""
    return check_name(value, "group_name", GROUP_NAME_PATTERN, GROUP_NAME_LIMIT)


def check_instance_type(value: str) -> str:
    """Refuse a type that HyperPod does not know, and name those that come closest."""
    if instance_type(value) is not None:
        return value
    if not looks_like_an_instance_type(value):
        raise PydanticCustomError(
            "instance_type",
            "has to look like ml.<family>.<size>, for example ml.g6.4xlarge",
            {"allowed": similar_instance_types(f"ml.{value}")},
        )
    raise PydanticCustomError(
        "instance_type",
        "{value} is not an instance type of HyperPod clusters",
        {"value": value, "allowed": similar_instance_types(value)},
    )


def check_label_key(value: str) -> str:
    """Refuse a key that Kubernetes would refuse, or whose domain belongs to Kubernetes, EKS or SageMaker."""
    if not fits(value, LABEL_KEY_PATTERN, LABEL_KEY_LIMIT):
        raise PydanticCustomError(
            "label_key",
            "has to be a name of at most 63 letters, digits, '-', '_' and '.', after a domain and '/' if need be",
        )
    domain = value.rpartition("/")[0]
    if any(domain == reserved or domain.endswith(f".{reserved}") for reserved in RESERVED_DOMAINS):
        raise PydanticCustomError(
            "reserved_key",
            "uses the reserved domain {domain}; choose a domain of your own, none of {reserved}",
            {"domain": domain, "reserved": ", ".join(RESERVED_DOMAINS)},
        )
    return value


def check_label_value(value: str) -> str:
    """Refuse a value that Kubernetes or SageMaker would refuse; the latter takes no empty one."""
    if re.fullmatch(LABEL_NAME_PATTERN, value) is None:
        raise PydanticCustomError(
            "label_value",
            "has to have 1 to 63 letters, digits, '-', '_' and '.', and begin and end with one of the first",
        )
    return value


GroupName = Annotated[
    str,
    AfterValidator(check_group_name),
    Field(json_schema_extra={"pattern": GROUP_NAME_PATTERN, "maxLength": GROUP_NAME_LIMIT}),
]
InstanceTypeName = Annotated[
    str, AfterValidator(check_instance_type), Field(json_schema_extra={"pattern": INSTANCE_TYPE_PATTERN})
]
LabelKey = Annotated[str, AfterValidator(check_label_key), Field(json_schema_extra={"maxLength": LABEL_KEY_LIMIT})]
LabelValue = Annotated[
    str, AfterValidator(check_label_value), Field(json_schema_extra={"maxLength": LABEL_VALUE_LIMIT})
]
