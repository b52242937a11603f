"""Nodes: device plugins, lost nodes, evictions; and what EKS add-ons run on them."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.controllers import addon_health, install_addon, remove_addon
from infra.local.kubernetes.documents import JsonObject, integer, name_of, text, value_at
from tests.conformance.contract.controllers.driver import (
    Cluster,
    condition,
    phase,
    pod_spec,
    restarts,
    template,
    waiting,
    workload,
)

_EVERYWHERE = {"tolerations": [{"operator": "Exists"}]}


def _install(cluster: Cluster, addon: str, seconds: float = 30) -> None:
    install_addon(cluster.simulator.api.store, addon, "v1.0.0-eksbuild.1")
    cluster.after(seconds)


def _plugin(cluster: Cluster, name: str, image: str = "plugin:1") -> None:
    made = template(labels={"app": name}, image=image, **_EVERYWHERE)
    cluster.create("daemonsets", name, workload({"app": name}, template=made), "kube-system")
    cluster.after(10)


def _offered(cluster: Cluster, node: str, resource: str) -> object:
    return value_at(cluster.get("nodes", node), "status", "allocatable", resource)


@pytest.mark.parametrize(
    ("plugin", "resource"),
    [("nvidia-device-plugin", "nvidia.com/gpu"), ("neuron-device-plugin", "aws.amazon.com/neurondevice")],
)
def test_a_node_offers_accelerators_only_while_their_plugin_runs_on_it(
    cluster: Cluster, plugin: str, resource: str
) -> None:  # fmt: skip
    node = cluster.node(accelerator_resource=resource, accelerator_count=4)
    assert _offered(cluster, node, resource) is None
    _plugin(cluster, plugin)
    assert _offered(cluster, node, resource) == "4"
    cluster.patch(
        "daemonsets", plugin, {"spec": {"template": {"spec": {"nodeSelector": {"no": "where"}}}}}, "kube-system"
    )
    cluster.after(60)
    assert _offered(cluster, node, resource) == "0"


def test_a_pod_that_waits_for_a_gpu_runs_once_the_plugin_does(cluster: Cluster) -> None:
    cluster.node(accelerator_count=1)
    cluster.create("pods", "p", pod_spec(requests={"nvidia.com/gpu": "1"}))
    cluster.after(60)
    assert phase(cluster.get("pods", "p")) == "Pending"
    _plugin(cluster, "nvidia-device-plugin")
    cluster.after(10)
    assert phase(cluster.get("pods", "p")) == "Running"


@pytest.mark.case(33)
def test_the_efa_plugin_crashes_where_the_instance_has_no_efa(cluster: Cluster) -> None:
    with_efa, without = cluster.node("a", efa_count=4), cluster.node("b")
    _plugin(cluster, "aws-efa-k8s-device-plugin", "eks/aws-efa-k8s-device-plugin:v0.5.20")
    cluster.after(60)
    by_node = {text(pod, "spec", "nodeName"): pod for pod in cluster.list_all("pods", "kube-system")}
    assert (phase(by_node[with_efa]), waiting(by_node[without])) == ("Running", "CrashLoopBackOff")
    assert integer({"n": restarts(by_node[without])}, "n") > 1
    assert _offered(cluster, with_efa, "vpc.amazonaws.com/efa") == "4"


def test_without_a_network_only_pods_on_the_hosts_network_start(cluster: Cluster) -> None:
    cluster.node(ready=False)
    cluster.create("pods", "own", pod_spec(**_EVERYWHERE))
    cluster.create("pods", "host", pod_spec(hostNetwork=True, **_EVERYWHERE))
    cluster.after(30)
    assert [phase(cluster.get("pods", name)) for name in ("own", "host")] == ["Pending", "Running"]
    assert cluster.messages("own", "NetworkNotReady")[0].startswith("network is not ready: container runtime network")
    cluster.node(ready=True)
    cluster.after(10)
    assert phase(cluster.get("pods", "own")) == "Running"


def test_a_node_that_stops_reporting_loses_its_pods_after_five_minutes(cluster: Cluster) -> None:
    cluster.node("a")
    cluster.create("deployments", "web", workload(replicas=1))
    cluster.after(30)
    (pod,) = cluster.pods()
    cluster.node("a", reachable=False)
    cluster.node("b")
    cluster.after(290)
    assert condition(cluster.get("pods", name_of(pod)), "Ready")["status"] == "False"
    assert len(cluster.pods()) == 1
    cluster.after(20)
    lost = cluster.get("pods", name_of(pod))
    assert condition(lost, "DisruptionTarget")["reason"] == "DeletionByTaintManager"
    assert [text(p, "spec", "nodeName") for p in cluster.pods() if p != lost] == ["hyperpod-i-b"]


def test_a_no_execute_taint_drives_out_who_does_not_tolerate_it(cluster: Cluster) -> None:
    cluster.node()
    brief = {"key": "drain", "operator": "Exists", "tolerationSeconds": 60}
    cluster.create("pods", "weak", pod_spec())
    cluster.create("pods", "brief", pod_spec(tolerations=[brief]))
    cluster.create("pods", "strong", pod_spec(**_EVERYWHERE))
    cluster.after(10)
    cluster.node(taints=(("drain", "", "NoExecute"),))
    cluster.after(31)
    assert [name_of(pod) for pod in cluster.pods()] == ["brief", "strong"]
    cluster.after(60)
    assert [name_of(pod) for pod in cluster.pods()] == ["strong"]


def test_pods_of_a_node_that_is_gone_are_gone_and_replaced(cluster: Cluster) -> None:
    cluster.node("a")
    cluster.create("deployments", "web", workload(replicas=1))
    cluster.after(10)
    cluster.node("b")
    cluster.without_node("a")
    cluster.after(10)
    (pod,) = cluster.pods()
    assert (text(pod, "spec", "nodeName"), phase(pod)) == ("hyperpod-i-b", "Running")


def test_an_agent_for_gpu_types_runs_on_those_only(cluster: Cluster) -> None:
    cluster.node("a", instance_type="ml.p5.48xlarge")
    cluster.node("b", instance_type="ml.m5.large")
    affinity: JsonObject = {"nodeSelector": {"node.kubernetes.io/instance-type": "ml.p5.48xlarge"}}
    cluster.create("daemonsets", "health-monitoring-agent", workload(template=template(**affinity)))
    cluster.after(10)
    assert [text(pod, "spec", "nodeName") for pod in cluster.pods()] == ["hyperpod-i-a"]


def test_coredns_lacks_replicas_until_there_is_a_node(cluster: Cluster) -> None:
    _install(cluster, "coredns")
    store = cluster.simulator.api.store
    (issue,) = addon_health(store, "coredns")
    assert issue["code"] == "InsufficientNumberOfReplicas"
    assert "no nodes available to schedule pods" in issue["message"]
    cluster.node()
    cluster.after(30)
    assert addon_health(store, "coredns") == []
    assert integer(cluster.get("deployments", "coredns", "kube-system"), "status", "availableReplicas") == 2


@pytest.mark.case(31)
def test_coredns_waits_while_every_node_is_under_deep_health_check(cluster: Cluster) -> None:
    cluster.node(taints=(("sagemaker.amazonaws.com/node-health-status", "Unschedulable", "NoSchedule"),))
    _install(cluster, "coredns")
    (issue,) = addon_health(cluster.simulator.api.store, "coredns")
    assert "untolerated taint {sagemaker.amazonaws.com/node-health-status: Unschedulable}" in issue["message"]


@pytest.mark.parametrize(
    ("addon", "daemon_set"),
    [("vpc-cni", "aws-node"), ("kube-proxy", "kube-proxy"), ("eks-pod-identity-agent", "eks-pod-identity-agent")],
)
def test_node_add_ons_run_on_every_node_ready_or_not(cluster: Cluster, addon: str, daemon_set: str) -> None:
    cluster.node("a", taints=(("gpu", "yes", "NoSchedule"),))
    cluster.node("b", ready=False)
    _install(cluster, addon)
    assert integer(cluster.get("daemonsets", daemon_set, "kube-system"), "status", "numberReady") == 2
    assert addon_health(cluster.simulator.api.store, addon) == []


def test_the_mountpoint_add_on_lets_pods_mount_buckets(cluster: Cluster) -> None:
    cluster.node()
    _install(cluster, "aws-mountpoint-s3-csi-driver")
    size, modes = {"storage": "1Gi"}, ["ReadWriteMany"]
    source = {"csi": {"driver": "s3.csi.aws.com", "volumeHandle": "bucket"}}
    cluster.create("persistentvolumes", "bucket", {"capacity": size, "accessModes": modes, **source})
    claim = {"accessModes": modes, "storageClassName": "", "resources": {"requests": size}}
    cluster.create("persistentvolumeclaims", "data", claim)
    cluster.create("pods", "p", pod_spec(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]))
    cluster.after(10)
    assert phase(cluster.get("pods", "p")) == "Running"
    assert cluster.exists("serviceaccounts", "s3-csi-driver-sa", "kube-system")


def test_a_mount_that_is_refused_says_why(cluster: Cluster) -> None:
    cluster.simulator.api.controllers.cluster.mount_problem = lambda pod, volume: "AccessDenied: s3:ListBucket"
    cluster.node()
    _install(cluster, "aws-mountpoint-s3-csi-driver")
    source = {"csi": {"driver": "s3.csi.aws.com", "volumeHandle": "bucket"}}
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], **source}
    cluster.create("persistentvolumes", "bucket", spec)
    claim = {"accessModes": ["ReadWriteMany"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}
    cluster.create("persistentvolumeclaims", "data", claim)
    cluster.create("pods", "p", pod_spec(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]))
    cluster.after(60)
    assert waiting(cluster.get("pods", "p")) == "ContainerCreating"
    assert cluster.messages("p", "FailedMount") == [
        'MountVolume.SetUp failed for volume "bucket" : AccessDenied: s3:ListBucket'
    ]


def test_a_removed_add_on_takes_its_pods_with_it(cluster: Cluster) -> None:
    cluster.node()
    _install(cluster, "coredns")
    remove_addon(cluster.simulator.api.store, "coredns")
    cluster.after(60)
    assert cluster.list_all("pods", "kube-system") == []
