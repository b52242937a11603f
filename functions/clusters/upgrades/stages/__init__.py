"""The stages of an upgrade that speak to EKS, CloudFormation and HyperPod."""

from functions.clusters.upgrades.stages.by_stack import FoundationAddons
from functions.clusters.upgrades.stages.control_plane import ControlPlane
from functions.clusters.upgrades.stages.node_images import NodeImages
from functions.clusters.upgrades.stages.record import ClusterVersion
from functions.core.stage import Behaviours

STAGES: Behaviours = {
    "control_plane": ControlPlane(),
    "foundation_addons": FoundationAddons(),
    "node_images": NodeImages(),
    "cluster_version": ClusterVersion(),
}
