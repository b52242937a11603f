"""What callers send about capacity."""

from functions.capacity.models.groups import InstanceGroup, OnShortage, SystemGroup

__all__ = ["InstanceGroup", "OnShortage", "SystemGroup"]
