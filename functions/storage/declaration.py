"""What the storage domain adds to the product."""

from functions.core.declaration import Declaration, Stage

DECLARATION = Declaration(
    domain="storage",
    stages=(
        Stage(
            kind="mount",
            function="stages_workloads",
            title="S3 mount",
            expected_seconds=20,
            actions=("eks:DescribeCluster", "sts:AssumeRole"),
        ),
        Stage(
            kind="mount_drift",
            function="stages_workloads",
            title="Drift of mounts",
            expected_seconds=5,
            actions=("eks:DescribeCluster", "sts:AssumeRole"),
        ),
    ),
)
