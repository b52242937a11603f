"""How the names of a cluster's parts follow from its tag, and how long that lets a tag be."""

from __future__ import annotations

from typing import Final

from functions.core.roles import clusters_path_of

TAG_PATTERN: Final = r"^[a-z]([a-z0-9-]*[a-z0-9])?$"

# Each name with the limit of the service that holds it.
TEMPLATES: Final = {
    "eks_cluster": ("eks-cluster-{tag}", 100),
    "hyperpod_cluster": ("hp-cluster-{tag}", 63),
    "stack": ("instantstart-{tag}", 128),
    "bucket": ("sagemaker-{tag}-{account}-{region}", 63),
    # IAM knows a role's name once in an account, whatever its path, and an account has a deployment in each region.
    "control_plane_role": ("instantstart-{tag}-{region}-eks", 64),
    "execution_role": ("instantstart-{tag}-{region}-execution", 64),
    "s3_csi_role": ("instantstart-{tag}-{region}-s3-csi", 64),
    "training_role": ("instantstart-{tag}-{region}-training", 64),
    "inference_role": ("instantstart-{tag}-{region}-inference", 64),
    "role_path": (clusters_path_of("{region}"), 512),
}
_ACCOUNT: Final = "0" * 12
_LONGEST_REGION: Final = "ap-northeast-1"


def derived(tag: str, account: str, region: str) -> dict[str, str]:
    """Make the name of every part."""
    made = TEMPLATES.items()
    return {part: template.format(tag=tag, account=account, region=region) for part, (template, _) in made}


# 25: the bucket leaves the least room. The longest region counts, so that a tag is valid in all of them.
TAG_LIMIT: Final = min(TEMPLATES[part][1] - len(name) for part, name in derived("", _ACCOUNT, _LONGEST_REGION).items())
