"""The names of a cluster's parts that it takes over, and of the stage that sees to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functions.core.cluster import ReusedResources


def names_in(reused: ReusedResources) -> dict[str, str]:
    """Name the parts that are taken over, as `ClusterNames` calls them."""
    named = {
        "bucket": reused.bucket,
        "control_plane_role": name_of(reused.control_plane_role_arn),
        "execution_role": name_of(reused.execution_role_arn),
        "s3_csi_role": name_of(reused.s3_csi_role_arn),
    }
    return {part: name for part, name in named.items() if name}


def name_of(role_arn: str | None) -> str | None:
    """Give a role's name, which follows the path in its ARN."""
    return role_arn.rpartition("/")[2] if role_arn else None


def stages_of(reused: ReusedResources | None) -> list[str]:
    """Name the stages of a foundation that come before anything is made."""
    return [] if reused is None else ["reuse"]
