"""What is asked for to take over, and what is found of it."""

from functions.network.reuse.models.facts import Bucket, Facts, Kind, Neighbour, Network, Part, Role
from functions.network.reuse.models.requests import EVERYWHERE, PUBLIC_RANGES_LIMIT, EndpointReach, ReusedParts

__all__ = [
    "EVERYWHERE",
    "PUBLIC_RANGES_LIMIT",
    "Bucket",
    "EndpointReach",
    "Facts",
    "Kind",
    "Neighbour",
    "Network",
    "Part",
    "ReusedParts",
    "Role",
]
