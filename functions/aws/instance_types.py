"""What EC2 says of instance types. It is the same for all callers, and kept for a day once EC2 has said all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.aws.offerings import VALUES_OF_A_FILTER
from functions.catalog.models import Hardware
from functions.core import runtime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from types_boto3_ec2.type_defs import FilterTypeDef, InstanceTypeInfoTypeDef

    from functions.core.runtime import Patience

_PAGE: Final = 100
_KEPT_FOR: Final = timedelta(days=1)


@dataclass(frozen=True)
class _Read:
    """What was read of some types, all of it."""

    types: frozenset[str]
    hardware: Mapping[str, Hardware]
    at: datetime

    def has(self, types: Sequence[str]) -> bool:
        """Say whether these types were read not long ago."""
        return runtime.now() - self.at < _KEPT_FOR and self.types.issuperset(types)


@dataclass
class _Kept:
    """The last that was read; an error leaves no trace."""

    read: _Read | None = None


def describe(types: Sequence[str], patience: Patience | None = None) -> Mapping[str, Hardware]:
    """Describe EC2 instance types (without `ml.`); one that EC2 does not list in the region is left out.

    Raises botocore's ClientError or BotoCoreError.
    """
    kept = runtime.kept(_Kept)
    seen = kept.read
    if seen is None or not seen.has(types):
        seen = _Read(frozenset(types), dict(_described(types, patience)), runtime.now())
        if kept.read is None or len(types) >= len(kept.read.types):
            kept.read = seen
    return {name: seen.hardware[name] for name in types if name in seen.hardware}


def _described(types: Sequence[str], patience: Patience | None) -> Iterator[tuple[str, Hardware]]:
    paginator = runtime.client("ec2", patience).get_paginator("describe_instance_types")
    for start in range(0, len(types), VALUES_OF_A_FILTER):
        # A filter, because a name that EC2 does not know makes a request by names fail as a whole.
        values = list(types[start : start + VALUES_OF_A_FILTER])
        wanted: list[FilterTypeDef] = [{"Name": "instance-type", "Values": values}]
        for page in paginator.paginate(Filters=wanted, PaginationConfig={"PageSize": _PAGE}):
            for found in page["InstanceTypes"]:
                yield found.get("InstanceType", ""), _hardware(found)


def _hardware(found: InstanceTypeInfoTypeDef) -> Hardware:
    name, count, memory = _accelerator(found)
    return Hardware(
        architecture=next(iter(found.get("ProcessorInfo", {}).get("SupportedArchitectures", [])), ""),
        vcpus=found.get("VCpuInfo", {}).get("DefaultVCpus", 0),
        memory_mib=found.get("MemoryInfo", {}).get("SizeInMiB", 0),
        accelerator=name,
        accelerator_count=count,
        accelerator_memory_mib=memory,
        efa_interfaces=found.get("NetworkInfo", {}).get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
    )


def _accelerator(found: InstanceTypeInfoTypeDef) -> tuple[str | None, int, int]:
    """Read name, count and memory of each; GPUs and Neuron devices stand in structures of their own."""
    for gpu in found.get("GpuInfo", {}).get("Gpus", []):
        name = f"{gpu.get('Manufacturer', '')} {gpu.get('Name', '')}".strip()
        return name, gpu.get("Count", 0), gpu.get("MemoryInfo", {}).get("SizeInMiB", 0)
    for device in found.get("NeuronInfo", {}).get("NeuronDevices", []):
        name = f"AWS {device.get('Name', '')}".strip()
        return name, device.get("Count", 0), device.get("MemoryInfo", {}).get("SizeInMiB", 0)
    return None, 0, 0
