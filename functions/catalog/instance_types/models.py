"""What callers get about instance types."""

from __future__ import annotations

from pydantic import Field

from functions.catalog.answers.models import CatalogAnswer, Record, Source
from functions.core.previews import Cost


class InstanceTypeView(Record):
    """An instance type of HyperPod clusters. `source` is that of the hardware: EC2's word, or the shipped table's.

    Pods, addresses and EFA-only are how HyperPod and the VPC CNI use the hardware; they are always the table's.
    """

    name: str
    source: Source
    architecture: str
    vcpus: int
    memory_gib: float
    accelerator: str | None
    accelerator_count: int
    accelerator_memory_gib: float = Field(description="Memory of each accelerator; 0 without.")
    efa_interfaces: int
    efa_only_possible: bool = Field(description="Whether a group of it may ask for network_interface: efa_only.")
    addresses_per_node: int = Field(description="What a node takes from its subnet.")
    addresses_per_node_efa_only: int
    max_pods: int
    price: Cost | None = Field(description="On-Demand in the deployment's region; null where the list has none.")
    availability_zones: list[str] | None = Field(
        description="The zones that offer it; null when EC2 did not say, or lists it nowhere though HyperPod knows it."
    )


class InstanceTypePage(CatalogAnswer):
    """One page of instance types in the order of their names; null when a filter could not be judged."""

    instance_types: list[InstanceTypeView] | None
    next_token: str | None = None


class InstanceTypeAnswer(CatalogAnswer):
    """One instance type."""

    instance_type: InstanceTypeView
