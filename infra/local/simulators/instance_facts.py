"""Facts of HyperPod's instance types that nodes show in Kubernetes, from `data/instance_types.json`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).parent / "data" / "instance_types.json"
_RESOURCES = {"nvidia": "nvidia.com/gpu", "neuron": "aws.amazon.com/neurondevice"}


@dataclass(frozen=True)
class InstanceFacts:
    """One ml.* type."""

    vcpus: int
    memory_mib: int
    accelerator_resource: str | None
    accelerator_count: int
    accelerator: str | None
    efa_count: int
    max_pods: int
    architecture: str
    threads_per_core: int
    subnet_ips: int
    subnet_ips_efa_only: int
    reservable: bool
    """Whether training plans offer the type."""

    def vcpus_at(self, threads_per_core: int) -> int:
        """vCPUs a node has when its cores run that many threads."""
        return self.vcpus * min(threads_per_core, self.threads_per_core) // self.threads_per_core


@cache
def instance_facts() -> dict[str, InstanceFacts]:
    """Every type by name."""
    document = json.loads(_DATA.read_text())
    return {name: _facts(dict(zip(document["columns"], row, strict=True))) for name, row in document["types"].items()}


def accelerated_types() -> dict[str, list[str]]:
    """Name the types that device plugins choose their nodes by: with NVIDIA or Neuron devices, with EFA."""
    facts = instance_facts().items()
    return {
        "nvidia": sorted(name for name, each in facts if each.accelerator_resource == _RESOURCES["nvidia"]),
        "neuron": sorted(name for name, each in facts if each.accelerator_resource == _RESOURCES["neuron"]),
        "efa": sorted(name for name, each in facts if each.efa_count),
    }


def _facts(row: dict[str, int | str | None]) -> InstanceFacts:
    return InstanceFacts(
        vcpus=int(row["vcpu"] or 0),
        memory_mib=int(row["memory_gib"] or 0) * 1024,
        accelerator_resource=_RESOURCES.get(str(row["accelerator_vendor"])),
        accelerator_count=int(row["accelerator_count"] or 0),
        accelerator=str(row["accelerator"]) if row["accelerator"] else None,
        efa_count=int(row["efa_count"] or 0),
        max_pods=int(row["max_pods"] or 0),
        architecture=str(row["arch"]),
        threads_per_core=int(row["threads_per_core"] or 1),
        subnet_ips=int(row["subnet_ips"] or 1),
        subnet_ips_efa_only=int(row["subnet_ips_efa_only"] or 1),
        reservable=bool(row["training_plan"]),
    )
