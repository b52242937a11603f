"""What taking over looks like in a preview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.previews import Action, Change

if TYPE_CHECKING:
    from functions.core.cluster import ReusedResources


def taken_over(reused: ReusedResources, stage: str) -> list[Change]:
    """List what is taken over, and the subnets that get tags; nothing else of it is changed, and none is deleted."""
    single = (
        ("VPC", reused.vpc_id, "the cluster stands in it"),
        ("security group", reused.security_group_id, "nodes and control plane reach each other by it"),
        ("IAM role", reused.control_plane_role_arn, "EKS runs the control plane with it"),
        ("IAM role", reused.execution_role_arn, "the instances run with it"),
        ("IAM role", reused.s3_csi_role_arn, "mounts the bucket"),
        ("S3 bucket", reused.bucket, "holds lifecycle scripts and the data of pods"),
    )
    subnets = [
        ("subnet", each, "the control plane's interfaces stand in it") for each in reused.control_plane_subnet_ids
    ]
    subnets += [("subnet", each, "public load balancers stand in it") for each in reused.public_subnet_ids]
    adopted = [(kind, name, why) for kind, name, why in (*single, *subnets) if name]
    return [
        *(
            Change(action=Action.ADOPT, resource=kind, name=name, reason=why, stage=stage)
            for kind, name, why in adopted
        ),
        *(_tagged(subnet_id, stage) for subnet_id in reused.subnet_ids if reused.tag_subnets),
    ]


def _tagged(subnet_id: str, stage: str) -> Change:
    why = "gets the tag by which load balancers find it, where it lacks it"
    return Change(action=Action.CHANGE, resource="subnet", name=subnet_id, reason=why, stage=stage)
