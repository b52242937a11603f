"""What AWS and Kubernetes say themselves about what the demo made."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import boto3
from kubernetes import client as kubernetes
from kubernetes import config as kubeconfig

from infra.local.demo.telling import Json
from infra.local.helm_binary import helm_program

_GROUP: Final = "sagemaker.amazonaws.com/instance-group-name"
_HEALTH: Final = "sagemaker.amazonaws.com/node-health-status"
_POD_ROW: Final = "  {:<12} {:<36} {}"


def nodes(path: Path) -> str:
    """Write the nodes of the current cluster with their conditions."""
    connect: Callable[..., Any] = kubeconfig.new_client_from_config
    with connect(str(path)) as connection:
        found: list[Any] = kubernetes.CoreV1Api(connection).list_node().items
    return "; ".join(f"node {node.metadata.name} {_conditions(node.status.conditions)}" for node in found)


def health(path: Path, group: str) -> str:
    """Write the nodes of an instance group with what HyperPod says of their health."""
    connect: Callable[..., Any] = kubeconfig.new_client_from_config
    with connect(str(path)) as connection:
        found: list[Any] = kubernetes.CoreV1Api(connection).list_node(label_selector=f"{_GROUP}={group}").items
    return ", ".join(f"{node.metadata.name} {node.metadata.labels.get(_HEALTH)}" for node in found) or "no node"


def daemon_pods(path: Path) -> str:
    """Write the pods that run on each node, a line each."""
    connect: Callable[..., Any] = kubeconfig.new_client_from_config
    with connect(str(path)) as connection:
        pods: list[Any] = kubernetes.CoreV1Api(connection).list_pod_for_all_namespaces().items
    of_daemons = [pod for pod in pods if any(each.kind == "DaemonSet" for each in pod.metadata.owner_references or ())]
    return "\n".join(_POD_ROW.format(pod.metadata.namespace, pod.metadata.name, pod.status.phase) for pod in of_daemons)


def releases(path: Path) -> str:
    """Write the releases that helm lists."""
    command = [str(helm_program()), "list", "--all-namespaces", "--output", "json", "--kubeconfig", str(path)]
    listed: list[Json] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return "; ".join(
        f"release {each['name']} in {each['namespace']} ({each['chart']}, {each['status']})" for each in listed
    )


def _conditions(conditions: Iterable[kubernetes.V1NodeCondition]) -> str:
    return "/".join(condition.type for condition in conditions if condition.status == "True")


def clusters(endpoint: str, region: str) -> str:
    """Write the clusters that EKS and HyperPod list."""
    session = boto3.Session("local", "local", region_name=region)
    eks = session.client("eks", endpoint_url=endpoint).list_clusters()["clusters"]
    hyperpod = session.client("sagemaker", endpoint_url=endpoint).list_clusters()["ClusterSummaries"]
    names = [f"{cluster['ClusterName']} ({cluster['ClusterStatus']})" for cluster in hyperpod]
    return f"EKS {', '.join(eks)}; HyperPod {', '.join(names)}"
