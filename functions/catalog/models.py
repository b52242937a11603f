"""Facts that the product ships or gathers: what an instance type offers, what a zone is called."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InstanceType:
    """What the control plane has to know of an instance type to decide by it."""

    type: str
    architecture: str
    vcpus: int
    memory_gib: int
    threads_per_core: int | None
    accelerator: str | None
    accelerator_count: int
    accelerator_memory_gib: int
    efa_interfaces: int
    max_pods: int
    subnet_ips: int
    subnet_ips_efa_only: int

    @property
    def family(self) -> str:
        """Give the part between the dots: `g6` of `ml.g6.4xlarge`."""
        return self.type.split(".")[1]


@dataclass(frozen=True)
class Zone:
    """An availability zone: its name differs between accounts, its id does not; `state` is EC2's word."""

    name: str
    id: str
    state: str = "available"


@dataclass(frozen=True)
class Hardware:
    """What EC2 says of an instance type; memory of accelerators is that of each."""

    architecture: str
    vcpus: int
    memory_mib: int
    accelerator: str | None
    accelerator_count: int
    accelerator_memory_mib: int
    efa_interfaces: int
