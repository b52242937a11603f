"""When AWS was done with what a stage makes, as AWS itself tells it at each of its moments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text
from infra.local.kubernetes.resources import NODES, PODS, Resource
from tests.host.driver import Driver

_STANDS = ("ACTIVE", "DEGRADED")
_ADDONS = ("coredns", "eks-pod-identity-agent", "aws-mountpoint-s3-csi-driver")


class Readiness:
    """Looks after each change of the world whether the next thing is ready, and notes the moment.

    A stage that is not listed makes something that is there at once.
    """

    def __init__(self, driver: Driver, tag: str) -> None:
        self._driver = driver
        self._tag = tag
        self._looking = False
        self._noted: dict[str, float] = {}
        self._awaited: list[tuple[str, Callable[[], bool]]] = [
            ("foundation", self._stack),
            *((f"addon:{name}", self._addon(name)) for name in _ADDONS),
            ("hyperpod_cluster", self._hyperpod),
            ("hyperpod_nodes", self._nodes),
            ("mount:s3-claim", self._probe),
        ]

    def of(self, stage: str, otherwise: float) -> float:
        return self._noted.get(stage, otherwise)

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Look after each settling of the world while a block runs."""
        world = self._driver.host.world
        settle = world.settle

        def settled() -> None:
            settle()
            self._look()

        vars(world)["settle"] = settled
        try:
            yield
        finally:
            del vars(world)["settle"]
            assert not self._awaited, f"never ready: {self._awaited}"

    def _look(self) -> None:
        if self._looking:
            return
        self._looking = True
        try:
            while self._awaited and self._awaited[0][1]():
                self._noted[self._awaited.pop(0)[0]] = self._driver.host.clock.time()
        finally:
            self._looking = False

    def _stack(self) -> bool:
        stacks = self._driver.host.client("cloudformation").describe_stacks()["Stacks"]
        return [s["StackStatus"] for s in stacks if s["StackName"] == f"instantstart-{self._tag}"] == [
            "CREATE_COMPLETE"
        ]

    def _addon(self, name: str) -> Callable[[], bool]:
        def stands() -> bool:
            eks, cluster = self._driver.host.client("eks"), f"eks-cluster-{self._tag}"
            if name not in eks.list_addons(clusterName=cluster)["addons"]:
                return False
            return eks.describe_addon(clusterName=cluster, addonName=name)["addon"]["status"] in _STANDS

        return stands

    def _hyperpod(self) -> bool:
        sagemaker, name = self._driver.host.client("sagemaker"), f"hp-cluster-{self._tag}"
        if not sagemaker.list_clusters(NameContains=name)["ClusterSummaries"]:
            return False
        found = sagemaker.describe_cluster(ClusterName=name)
        full = all(group["CurrentCount"] == group["TargetCount"] for group in found["InstanceGroups"])
        return bool(found["ClusterStatus"] == "InService" and full)

    def _nodes(self) -> bool:
        conditions = [each for node in self._select(NODES) for each in objects(node, "status", "conditions")]
        return any((text(each, "type"), text(each, "status")) == ("Ready", "True") for each in conditions)

    def _probe(self) -> bool:
        probes = [pod for pod in self._select(PODS) if "instantstart/operation" in mapping(pod, "metadata", "labels")]
        return any(text(probe, "status", "phase") == "Succeeded" for probe in probes)

    def _select(self, resource: Resource) -> list[JsonObject]:
        return list(self._driver.host.world.kubernetes[f"eks-cluster-{self._tag}"].store.select(resource))
