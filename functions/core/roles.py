"""Where our roles stand in IAM, which knows a name once in an account: apart for each deployment, one a region."""

from __future__ import annotations

from typing import Final

_ROOT: Final = "/instantstart/"


def path_of(region: str) -> str:
    """Give the path of the deployment of a region: all roles and policies of its own, and below it its clusters'."""
    return f"{_ROOT}{region}/"


def clusters_path_of(region: str) -> str:
    """Give the path of the roles that the deployment of a region makes for clusters."""
    return f"{path_of(region)}clusters/"


def is_of_a_deployment(arn: str) -> bool:
    """Say whether a role is one of a deployment or of its clusters, in whatever region: none of them is a person."""
    return _path(arn).startswith(_ROOT)


def is_of_clusters(arn: str, region: str) -> bool:
    """Say whether a role stands where the deployment of a region makes those of clusters."""
    return _path(arn).startswith(clusters_path_of(region))


def _path(arn: str) -> str:
    return arn.partition(":role")[2]
