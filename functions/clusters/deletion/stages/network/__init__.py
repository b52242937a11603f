"""The end of compute subnets, and of what is left in the VPC."""

from typing import TYPE_CHECKING

from functions.clusters.deletion.stages.network.compute_subnets import ComputeSubnetsRemoval
from functions.clusters.deletion.stages.network.vpc import VpcClearance

if TYPE_CHECKING:
    from functions.core.stage import Behaviours

STAGES: "Behaviours" = {"compute_subnets_removal": ComputeSubnetsRemoval(), "vpc_clearance": VpcClearance()}
