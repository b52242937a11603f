"""What is asked for to take over, and what is found of it."""

from functions.network.reuse.models.facts import NOBODY, Bucket, Facts, Kind, Named, Neighbour, Network, Part, Role
from functions.network.reuse.models.requests import EVERYWHERE, PUBLIC_RANGES_LIMIT, EndpointReach, ReusedParts

__all__ = [
    "EVERYWHERE",
    "NOBODY",
    "PUBLIC_RANGES_LIMIT",
    "Bucket",
    "EndpointReach",
    "Facts",
    "Kind",
    "Named",
    "Neighbour",
    "Network",
    "Part",
    "ReusedParts",
    "Role",
]
