"""Stock kubectl follows what controllers do: rollouts, waits, logs, descriptions. Time runs a hundred times faster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.hyperpod_nodes import NodeFact, sync_nodes
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import ensure_certificates
from tests.conformance.contract.controllers.driver import START, pod_spec, workload

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
SPEED = 100

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl: set KUBECTL or put it on the PATH")

Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    started = time.monotonic()

    def now() -> datetime:
        return START + timedelta(seconds=(time.monotonic() - started) * SPEED)

    api = KubernetesApi("1.34", now, lambda token: Identity("tester", ("system:masters",)))
    fact = NodeFact("i-0a", "workers", "ml.m5.xlarge", "us-west-2a", "hp", True, "", "10.1.0.7", 16, 65536, None, 0, 50,
                    {}, (), START)  # fmt: skip
    sync_nodes(api.store, [fact])
    directory = tmp_path_factory.mktemp("cluster")
    tls = ensure_certificates(directory / "tls", datetime.now(UTC))
    server = LocalServer({"demo": api}.get, tls)
    server.start()
    file = KubeconfigFile(directory / "kubeconfig")
    file.add("demo", server.url("demo"), tls.ca_pem, "token")
    yield file.path
    api.close()
    server.stop()


@pytest.fixture
def kubectl(kubeconfig: Path, tmp_path: Path) -> Kubectl:
    def run(*arguments: str, document: object = None) -> str:
        done = subprocess.run(
            [str(KUBECTL), "--cache-dir", str(kubeconfig.parent / "cache"), *arguments],
            input=None if document is None else json.dumps(document),
            env={"KUBECONFIG": str(kubeconfig), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            check=False, capture_output=True, text=True, timeout=20,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def _object(kind: str, name: str, spec: object, version: str = "apps/v1") -> dict[str, object]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def test_rollout_status_history_and_undo_follow_a_deployment(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", document=_object("Deployment", "web", workload(replicas=3)))
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=15s")
    kubectl("set", "image", "deployment/web", "main=app:2")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=15s")
    assert [line.split()[0] for line in kubectl("rollout", "history", "deployment/web").splitlines()[2:4]] == ["1", "2"]
    kubectl("rollout", "undo", "deployment/web")
    kubectl("rollout", "status", "deployment/web", "--timeout=15s")
    assert "app:1" in kubectl("get", "deployment", "web", "-o", "wide")
    assert "NewReplicaSet:   web-" in kubectl("describe", "deployment", "web")


def test_rollout_status_follows_a_daemon_set_and_a_stateful_set(kubectl: Kubectl) -> None:
    rolling = {"updateStrategy": {"type": "RollingUpdate"}}
    agent, database = workload({"app": "agent"}, **rolling), workload({"app": "db"}, replicas=2, **rolling)
    kubectl("apply", "-f", "-", document=_object("DaemonSet", "agent", agent))
    kubectl("apply", "-f", "-", document=_object("StatefulSet", "db", {**database, "serviceName": "db"}))
    assert "successfully rolled out" in kubectl("rollout", "status", "daemonset/agent", "--timeout=15s")
    assert "2 pods at revision" in kubectl("rollout", "status", "statefulset/db", "--timeout=15s")


def test_wait_and_logs_follow_a_job(kubectl: Kubectl) -> None:
    made = {"template": {"spec": pod_spec(command="echo trained; sleep 20", restartPolicy="Never")}}
    kubectl("apply", "-f", "-", document=_object("Job", "train", made, "batch/v1"))
    kubectl("wait", "--for=condition=complete", "job/train", "--timeout=15s")
    assert kubectl("logs", "job/train") == "trained\n"
    assert kubectl("get", "job", "train").splitlines()[1].split()[1:3] == ["Complete", "1/1"]
