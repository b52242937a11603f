"""The main job: one request takes a cluster through all its stages."""

from __future__ import annotations

from typing import Final

from infra.local.demo import looking
from infra.local.demo.telling import Json, create, failure, say, summary
from infra.local.doors import Doors
from infra.local.host import LocalHost

REQUEST: Final[Json] = {
    "tag": "hypd-0304b",
    "hyperpod": {
        "availability_zone": "us-west-2c",
        "instance_groups": [
            {"name": "gpu", "instance_type": "ml.g6.4xlarge", "instance_count": 1, "capacity_type": "on_demand"}
        ],
    },
    "storage": {},
}
# By then the pods of a new node run.
_NODE_SETTLES_SECONDS: Final = 60


def play(host: LocalHost, opened: Doors) -> Json:
    """Create the cluster and show it from outside; give the operation as it ended."""
    operation = create(opened.api, REQUEST)
    if operation["status"] != "SUCCEEDED":
        say(f"\n{failure(operation)}")
        return operation
    say(summary(operation["result"]))
    host.clock.sleep(_NODE_SETTLES_SECONDS)
    path = host.access.kubeconfig.path
    say(f"\nA minute later Helm lists: {looking.releases(path)}")
    say(f"Kubernetes lists: {looking.nodes(path)}\n{looking.daemon_pods(path)}")
    say(f"AWS lists: {looking.clusters(opened.aws, host.options.region)}")
    return operation
