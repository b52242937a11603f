"""Where our roles stand in IAM, which knows a name once in an account: apart for each deployment, one a region."""

from __future__ import annotations


def path_of(region: str) -> str:
    """Give the path of the deployment of a region: all roles and policies of its own, and below it its clusters'."""
    return f"/instantstart/{region}/"


def clusters_path_of(region: str) -> str:
    """Give the path of the roles that the deployment of a region makes for clusters."""
    return f"{path_of(region)}clusters/"


def is_ours(arn: str, region: str) -> bool:
    """Say whether a role is one of the deployment of a region, or of its clusters."""
    return _path(arn).startswith(path_of(region))


def is_of_clusters(arn: str, region: str) -> bool:
    """Say whether a role stands where the deployment of a region makes those of clusters."""
    return _path(arn).startswith(clusters_path_of(region))


def _path(arn: str) -> str:
    return arn.partition(":role")[2]
