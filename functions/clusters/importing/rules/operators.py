"""Software that people install on a cluster by Helm or by manifests, and what shows that it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from functions.clusters.importing.models.found import Component
from functions.core.documents import member
from functions.features.presence.rules import Copy, Present, external_copy
from functions.features.rules import ADDONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from functions.features.presence.rules import Evidence

    Object = Mapping[str, JsonValue]


@dataclass(frozen=True)
class Known:
    """A controller by the labels of its Deployment, with a definition that belongs to it."""

    controller: str
    definition: str


# Sources, each at its labels: helm-chart/kuberay-operator of ray-project/kuberay; keda of kedacore/charts;
# stable/aws-load-balancer-controller of aws/eks-charts; charts/karpenter of aws/karpenter-provider-aws;
# charts/training-operator of kubeflow/trainer.
OPERATORS: Final[dict[str, Known]] = {
    "kuberay": Known("app.kubernetes.io/name=kuberay-operator", "rayclusters.ray.io"),
    "keda": Known("app.kubernetes.io/name=keda-operator", "scaledobjects.keda.sh"),
    "aws-load-balancer-controller": Known(
        "app.kubernetes.io/name=aws-load-balancer-controller", "targetgroupbindings.elbv2.k8s.aws"
    ),
    "karpenter": Known("app.kubernetes.io/name=karpenter", "nodepools.karpenter.sh"),
}
# Those whose evidence the features know; they are the ones that an add-on would install.
EVIDENCED: Final[dict[str, Evidence]] = {name: facts.evidence for name, facts in ADDONS.items() if facts.evidence}


def operator_of(name: str, known: Known, controllers: tuple[Object, ...], defined: bool) -> Component:
    """Judge one operator by its controller; a definition alone does nothing."""
    if not controllers:
        left = f"the definition {known.definition} is there without a controller" if defined else None
        return Component(kind="operator", name=name, presence="absent", message=left)
    metadata = member(controllers[0], "metadata")
    labels = member(metadata, "labels")
    return Component(
        kind="operator",
        name=name,
        presence="present",
        namespace=str(metadata.get("namespace")),
        version=str(labels.get("app.kubernetes.io/version") or "") or None,
        status=_readiness(controllers[0]),
        managed_by=str(labels.get("app.kubernetes.io/managed-by") or "manifests"),
        message=None if defined else f"its definition {known.definition} is missing",
    )


def evidenced_operator(name: str, evidence: Evidence, present: Present) -> Component:
    """Judge one operator by everything that belongs to it."""
    copy = external_copy(evidence, present)
    return _of_copy(name, copy) if copy else Component(kind="operator", name=name, presence="absent")


def _of_copy(name: str, copy: Copy) -> Component:
    return Component(
        kind="operator",
        name=name,
        presence="present",
        namespace=copy.namespace,
        managed_by=copy.manager,
        message=f"parts are missing: {', '.join(copy.missing)}" if copy.missing else None,
    )


def self_managed(name: str, workload: Object) -> Component:
    """Describe what EKS would install as an add-on and somebody runs without it."""
    metadata = member(workload, "metadata")
    return Component(
        kind="addon",
        name=name,
        presence="present",
        namespace=str(metadata.get("namespace")),
        version=_tag(workload),
        managed_by=str(member(metadata, "labels").get("app.kubernetes.io/managed-by") or "manifests"),
    )


def _readiness(controller: Object) -> str:
    wanted, ready = member(controller, "spec").get("replicas", 1), member(controller, "status").get("readyReplicas")
    return "ready" if (ready or 0) == wanted else f"{ready or 0}/{wanted} ready"


def _tag(workload: Object) -> str | None:
    """Read the version from the tag of the first container's image."""
    pod = member(member(member(workload, "spec"), "template"), "spec")
    containers = pod.get("containers")
    first = containers[0] if isinstance(containers, list) and containers else {}
    image = str(first.get("image") or "") if isinstance(first, dict) else ""
    tag = image.rpartition("/")[2].partition("@")[0].partition(":")[2]
    return tag or None
