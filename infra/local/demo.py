"""`python -m infra.local.demo`: one request takes a cluster through all its stages, told as it happens.

Everything goes through the doors a person has: the API over HTTP, and at the end AWS and Kubernetes themselves. The
clock jumps over every wait, so the times are simulated and the whole takes seconds.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
from kubernetes import client as kubernetes
from kubernetes import config as kubeconfig

from infra.local import doors
from infra.local.helm_binary import helm_program
from infra.local.host import LocalHost, Options
from infra.local.logs import functions_log_to

Json = dict[str, Any]

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
ENDED: Final = ("SUCCEEDED", "FAILED", "CANCELLED")
_STAGE_ENDED: Final = (*ENDED, "SKIPPED")
_CAPACITY: Final = {"on_demand": "On-Demand"}
_LOOK_AGAIN_SECONDS: Final = 0.1
# By then the pods of a new node run.
_NODE_SETTLES_SECONDS: Final = 60
_POD_ROW: Final = "  {:<12} {:<36} {}"
_ROW: Final = "  {:>5}  {:>8}  {:<44}  {}"


def main() -> int:
    """Play the main job; give 0 only when the operation succeeded."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, functions_log_to(Path(folder)) as log:
        _say("Starting the control plane on this machine ...")
        with closing(LocalHost(Options(Path(folder)))) as host, doors.opened(host) as opened:
            host.functions.load()
            try:
                operation = _create(opened.api)
            except HTTPError as refused:
                _say(f"{refused.code} {refused.reason}: {refused.read().decode()}\n{_tail(log)}")
                return 1
            succeeded: bool = operation["status"] == "SUCCEEDED"
            if succeeded:
                _say(_summary(operation["result"]))
                host.clock.sleep(_NODE_SETTLES_SECONDS)
                kubeconfig_path = host.access.kubeconfig.path
                _say(f"\nA minute later Helm lists: {_releases(kubeconfig_path)}")
                _say(f"Kubernetes lists: {_nodes(kubeconfig_path)}\n{_daemon_pods(kubeconfig_path)}")
                _say(f"AWS lists: {_clusters(opened.aws, host.options.region)}")
            else:
                _say(f"\n{_failure(operation)}\n\n{_tail(log)}")
    _say(f"\n{operation['status']} after {_simulated(operation)} simulated, {time.monotonic() - began:.1f} s real.")
    gc.freeze()  # else the interpreter spends seconds on collecting what ends with it anyway
    return 0 if succeeded else 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


# -- the operation


def _create(api: str) -> Json:
    """Ask for the cluster and tell each stage as it ends; give the operation as it ended."""
    _say(f"POST /api/clusters {json.dumps(REQUEST)}\n")
    accepted = _http(f"{api}/api/clusters", REQUEST)
    _say(f"202 Accepted: operation {accepted['operation_id']}\n")
    _say(_ROW.format("start", "duration", "stage", "message"))
    operation, told = accepted, 0
    for operation in _followed(f"{api}/api/operations/{accepted['operation_id']}"):
        ended = [stage for stage in operation["stages"] if stage["status"] in _STAGE_ENDED]
        for stage in ended[told:]:
            _say(_line(stage, _moment(operation["created_at"])))
        told = len(ended)
    return operation


def _followed(url: str) -> Iterator[Json]:
    """Look again and again; a `?wait=20` would halt the jumping clock at each of its own looks and take longer."""
    while True:
        operation = _http(url)
        yield operation
        if operation["status"] in ENDED:
            return
        time.sleep(_LOOK_AGAIN_SECONDS)


def _http(url: str, body: Json | None = None) -> Json:
    content = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, content, {"content-type": "application/json"}), timeout=60) as answer:
        parsed: Json = json.load(answer)
        return parsed


# -- words


def _line(stage: Json, since: datetime) -> str:
    start, end = _moment(stage["started_at"]), _moment(stage["finished_at"])
    failed = "" if stage["status"] == "SUCCEEDED" else f"{stage['status']} "
    words = failed + (stage["message"] or "")
    return _ROW.format(_span(start - since), _span(end - start), stage["title"], words).rstrip()


def _summary(result: Json) -> str:
    groups = [
        f"{group['count']}x {group['instance_type']} ({_CAPACITY[group['capacity_type']]})" for group in result["nodes"]
    ]
    storage = result["storage"]
    rows = {
        "EKS cluster": result["eks_cluster"]["name"],
        "HyperPod cluster": result["hyperpod_cluster"]["name"],
        "Node": ", ".join(groups),
        "Node status": result["node_status"],
        "S3 storage": f"{storage['claim']} {'mounted' if storage['probed'] else storage['status']}",
    }
    width = max(len(value) for value in rows.values())
    rule = f"+{'-' * 18}+{'-' * (width + 2)}+"
    return "\n".join(["", rule, *(f"| {name:<16} | {value:<{width}} |" for name, value in rows.items()), rule])


def _failure(operation: Json) -> str:
    error = operation["error"] or {}
    return f"{error.get('code', operation['status'])}: {error.get('detail', '')}\n{error.get('remedy') or ''}"


def _tail(log: Path) -> str:
    last = log.read_text(encoding="utf-8").splitlines()[-10:]
    return "\n".join(["The functions' last words:", *last])


def _simulated(operation: Json) -> str:
    return _span(_moment(operation["finished_at"]) - _moment(operation["created_at"]))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _span(elapsed: timedelta) -> str:
    minutes, seconds = divmod(round(elapsed.total_seconds()), 60)
    return f"{minutes}:{seconds:02}"


# -- what AWS and Kubernetes say themselves


def _nodes(path: Path) -> str:
    connect: Callable[..., Any] = kubeconfig.new_client_from_config
    with connect(str(path)) as connection:
        nodes: list[Any] = kubernetes.CoreV1Api(connection).list_node().items
    return "; ".join(f"node {node.metadata.name} {_conditions(node.status.conditions)}" for node in nodes)


def _daemon_pods(path: Path) -> str:
    connect: Callable[..., Any] = kubeconfig.new_client_from_config
    with connect(str(path)) as connection:
        pods: list[Any] = kubernetes.CoreV1Api(connection).list_pod_for_all_namespaces().items
    of_daemons = [pod for pod in pods if any(each.kind == "DaemonSet" for each in pod.metadata.owner_references or ())]
    return "\n".join(_POD_ROW.format(pod.metadata.namespace, pod.metadata.name, pod.status.phase) for pod in of_daemons)


def _releases(path: Path) -> str:
    command = [str(helm_program()), "list", "--all-namespaces", "--output", "json", "--kubeconfig", str(path)]
    listed: list[Json] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return "; ".join(
        f"release {each['name']} in {each['namespace']} ({each['chart']}, {each['status']})" for each in listed
    )


def _conditions(conditions: Iterable[kubernetes.V1NodeCondition]) -> str:
    return "/".join(condition.type for condition in conditions if condition.status == "True")


def _clusters(endpoint: str, region: str) -> str:
    session = boto3.Session("local", "local", region_name=region)
    eks = session.client("eks", endpoint_url=endpoint).list_clusters()["clusters"]
    hyperpod = session.client("sagemaker", endpoint_url=endpoint).list_clusters()["ClusterSummaries"]
    names = [f"{cluster['ClusterName']} ({cluster['ClusterStatus']})" for cluster in hyperpod]
    return f"EKS {', '.join(eks)}; HyperPod {', '.join(names)}"


if __name__ == "__main__":
    sys.exit(main())
