"""Where EC2 offers instance types."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef

    from functions.core.runtime import Patience

# Source: Amazon EC2 API reference, "List and filter your resources": at most 200 values of a filter in one request.
VALUES_OF_A_FILTER: Final = 200


def zones_by_type(types: Sequence[str], patience: Patience | None = None) -> dict[str, frozenset[str]]:
    """Map EC2 instance types (without `ml.`) to the zones of the region that offer them; one that none has is left out.

    Raises botocore's ClientError or BotoCoreError.
    """
    zones: dict[str, set[str]] = defaultdict(set)
    for start in range(0, len(types), VALUES_OF_A_FILTER):
        for kind, zone in _offered(types[start : start + VALUES_OF_A_FILTER], patience):
            zones[kind].add(zone)
    return {kind: frozenset(found) for kind, found in zones.items()}


def _offered(types: Sequence[str], patience: Patience | None) -> Iterator[tuple[str, str]]:
    wanted: list[FilterTypeDef] = [{"Name": "instance-type", "Values": list(types)}]
    paginator = runtime.client("ec2", patience).get_paginator("describe_instance_type_offerings")
    for page in paginator.paginate(LocationType="availability-zone", Filters=wanted):
        for offering in page["InstanceTypeOfferings"]:
            yield offering.get("InstanceType", ""), offering.get("Location", "")
