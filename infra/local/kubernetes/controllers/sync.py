"""What the kubelet knows while it brings one pod forward."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from infra.local.kubernetes.controllers.behaviours import Behaviour, Scene
from infra.local.kubernetes.controllers.cluster import Cluster
from infra.local.kubernetes.documents import JsonObject, name_of, namespace_of, objects, text

COMPONENT = "kubelet"


@dataclass
class PodSync:
    """One pod on one node at one moment, and when it has to be looked at again."""

    cluster: Cluster
    pod: JsonObject
    node: JsonObject
    now: datetime
    deadlines: list[datetime] = field(default_factory=list)

    @property
    def full_name(self) -> str:
        """The pod as the kubelet's messages name it."""
        return f"{name_of(self.pod)}_{namespace_of(self.pod)}({text(self.pod, 'metadata', 'uid')})"

    def event(self, reason: str, message: str, kind: str = "Normal", again: bool = False) -> None:
        """Record an event about the pod."""
        self.cluster.event(self.pod, reason, message, COMPONENT, kind, again)

    def wake_at(self, moment: datetime) -> None:
        """Ask to be looked at again."""
        if moment > self.now:
            self.deadlines.append(moment)

    def behaviour(self, container: JsonObject, restarts: int, init: bool) -> Behaviour:
        """What a run of a container does."""
        return self.cluster.behaviours.of(Scene(self.pod, container, self.node, restarts, init))

    def image_present(self, container: JsonObject) -> bool:
        """Whether the container's image was pulled to the node before, for another pod."""
        image = text(container, "image")
        if text(container, "imagePullPolicy") == "Always":
            return False
        return any(
            text(status, "image") == image and text(status, "imageID")
            for pod in self.cluster.pods_on(name_of(self.node)) if name_of(pod) != name_of(self.pod)
            for status in objects(pod, "status", "containerStatuses")
        )  # fmt: skip
