"""Where EC2 offers instance types."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef

    from functions.core.runtime import Patience


def zones_by_type(types: Sequence[str], patience: Patience | None = None) -> dict[str, frozenset[str]]:
    """Map EC2 instance types (without `ml.`) to the zones of the region that offer them; one that none has is left out.

    Raises botocore's ClientError or BotoCoreError.
    """
    wanted: list[FilterTypeDef] = [{"Name": "instance-type", "Values": list(types)}]
    client = runtime.client("ec2", patience)
    pages = client.get_paginator("describe_instance_type_offerings").paginate(
        LocationType="availability-zone", Filters=wanted
    )
    zones: dict[str, set[str]] = defaultdict(set)
    for offering in (each for page in pages for each in page["InstanceTypeOfferings"]):
        zones[offering.get("InstanceType", "")].add(offering.get("Location", ""))
    return {kind: frozenset(found) for kind, found in zones.items()}
