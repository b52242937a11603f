"""Where our roles stand in IAM, which knows a name once in an account: apart for each deployment, one a region."""

from __future__ import annotations

from typing import Final

# Where the roles of all clusters stood before a deployment had a path of its own.
FORMER_PATH: Final = "/instantstart/"


def path_of(region: str) -> str:
    """Give the path of the deployment of a region: all roles and policies of its own, and below it its clusters'."""
    return f"{FORMER_PATH}{region}/"


def clusters_path_of(region: str) -> str:
    """Give the path of the roles that the deployment of a region makes for clusters."""
    return f"{path_of(region)}clusters/"


def is_ours(arn: str, region: str) -> bool:
    """Say whether a role was made by the deployment of a region, or by one before deployments had paths."""
    path = arn.partition(":role")[2]
    former = path.startswith(FORMER_PATH) and "/" not in path.removeprefix(FORMER_PATH)
    return former or path.startswith(path_of(region))
