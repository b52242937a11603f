"""Stock kubectl against the simulated API server over TLS."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.controllers import NodeFact, sync_nodes
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.resources import NODES
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import ensure_certificates

KUBECTL = os.environ.get("KUBECTL") or shutil.which("kubectl")
TOKEN = "conformance"
CLUSTER = "eks-cluster-demo"

pytestmark = pytest.mark.skipif(KUBECTL is None, reason="no kubectl: set KUBECTL or put it on the PATH")

Kubectl = Callable[..., str]


@pytest.fixture(scope="module")
def api() -> KubernetesApi:
    def identify(token: str | None) -> Identity | None:
        return Identity("tester", ("system:masters",)) if token == TOKEN else None

    api = KubernetesApi("1.34", lambda: datetime.now(UTC), identify)
    sync_nodes(api.store, [_node("i-0a", ready=True), _node("i-0b", ready=False)])
    return api


@pytest.fixture(scope="module")
def kubeconfig(api: KubernetesApi, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    directory = tmp_path_factory.mktemp("cluster")
    tls = ensure_certificates(directory / "tls", datetime.now(UTC))
    server = LocalServer({CLUSTER: api}.get, tls)
    server.start()
    file = KubeconfigFile(directory / "kubeconfig")
    file.add("demo", server.url(CLUSTER), tls.ca_pem, TOKEN)
    yield file.path
    api.close()
    server.stop()


@pytest.fixture
def kubectl(kubeconfig: Path, tmp_path: Path) -> Kubectl:
    """Runs kubectl; `document` goes to its standard input, a failure raises with what it printed."""

    def run(*arguments: str, document: object = None, accepts: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            [str(KUBECTL), "--cache-dir", str(kubeconfig.parent / "cache"), *arguments],
            input=None if document is None else json.dumps(document),
            env={"KUBECONFIG": str(kubeconfig), "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            check=False,
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert done.returncode in accepts, done.stderr
        return done.stdout + done.stderr

    return run


def _node(instance: str, ready: bool) -> NodeFact:
    return NodeFact(
        instance_id=instance,
        instance_group="workers",
        instance_type="ml.g5.8xlarge",
        zone="us-west-2a",
        cluster_name="hp-cluster-demo",
        ready=ready,
        reason="",
        private_ip="10.1.0.7",
        cpu=32,
        memory_mib=131072,
        accelerator_resource="nvidia.com/gpu",
        accelerator_count=1,
        max_pods=110,
        labels={},
        taints=(),
        created_at=datetime.now(UTC),
    )


def _deployment(name: str, image: str = "app:1") -> dict[str, object]:
    labels = {"app": name}
    container = {"name": "main", "image": image, "ports": [{"containerPort": 80}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default", "labels": labels},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }


def _config_map(name: str, **data: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}, "data": data}


def _pod(name: str) -> dict[str, object]:
    containers = [{"name": "main", "image": "app:1"}]
    metadata = {"name": name, "namespace": "default"}
    spec = {"containers": containers, "nodeName": "hyperpod-i-0a"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _cells(output: str) -> list[list[str]]:
    return [line.split() for line in output.splitlines()]


def test_the_version_and_resources_are_discovered(kubectl: Kubectl) -> None:
    assert "Server Version: v1.34.0-eks-local" in kubectl("version")
    listed = _cells(kubectl("api-resources", "--no-headers"))
    assert ["pods", "po", "v1", "true", "Pod"] in listed
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in listed


def test_nodes_show_their_health_and_versions(kubectl: Kubectl) -> None:
    header, ready, broken = _cells(kubectl("get", "nodes", "-o", "wide"))
    assert header[:5] == ["NAME", "STATUS", "ROLES", "AGE", "VERSION"]
    assert (ready[0], ready[1], ready[5]) == ("hyperpod-i-0a", "Ready", "10.1.0.7")
    assert (broken[0], broken[1]) == ("hyperpod-i-0b", "NotReady")


def test_output_as_json_yaml_and_selected_by_label(kubectl: Kubectl) -> None:
    chosen = "sagemaker.amazonaws.com/instance-group-name=workers,kubernetes.io/hostname in (hyperpod-i-0a)"
    nodes = json.loads(kubectl("get", "nodes", "-l", chosen, "-o", "json"))["items"]
    assert [node["metadata"]["name"] for node in nodes] == ["hyperpod-i-0a"]
    assert 'nvidia.com/gpu: "1"' in kubectl("get", "node", "hyperpod-i-0a", "-o", "yaml")


def test_all_namespaces_shows_the_namespace_column(kubectl: Kubectl) -> None:
    rows = _cells(kubectl("get", "serviceaccounts", "-A"))
    assert rows[0][:2] == ["NAMESPACE", "NAME"]
    assert ["kube-system", "default"] in [row[:2] for row in rows]


def test_a_node_is_described_with_its_pods(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", document=_pod("described"))
    description = kubectl("describe", "node", "hyperpod-i-0a")
    assert "KubeletReady" in description
    assert "described" in description
    assert "app:1" in kubectl("describe", "pod", "described")
    assert "deleted" in kubectl("delete", "pod", "described")


def test_waiting_for_a_condition_ends_when_it_holds(kubectl: Kubectl) -> None:
    ready = kubectl("wait", "--for=condition=Ready", "node/hyperpod-i-0a", "--timeout=5s")
    assert "condition met" in ready
    refused = kubectl("wait", "--for=condition=Ready", "node/hyperpod-i-0b", "--timeout=1s", accepts=(1,))
    assert "timed out waiting" in refused


def test_client_side_apply_creates_then_leaves_then_changes(kubectl: Kubectl) -> None:
    assert "created" in kubectl("apply", "-f", "-", document=_deployment("web"))
    assert "unchanged" in kubectl("apply", "-f", "-", document=_deployment("web"))
    changed = _deployment("web", "app:2")
    assert "+      - image: app:2" in kubectl("diff", "-f", "-", document=changed, accepts=(1,)).replace("\t", " ")
    assert "configured" in kubectl("apply", "-f", "-", document=changed)
    assert "app:2" in kubectl("get", "deployment", "web", "-o", "wide")


def test_server_side_apply_twice_writes_once(kubectl: Kubectl) -> None:
    apply = ("apply", "--server-side", "--field-manager=instantstart", "-f", "-")
    assert "serverside-applied" in kubectl(*apply, document=_config_map("applied", a="1"))
    first = kubectl("get", "configmap", "applied", "-o", "jsonpath={.metadata.resourceVersion}")
    kubectl(*apply, document=_config_map("applied", a="1"))
    assert kubectl("get", "configmap", "applied", "-o", "jsonpath={.metadata.resourceVersion}") == first


@pytest.mark.parametrize(
    ("kind", "patch"),
    [
        ("strategic", {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:9"}]}}}}),
        ("json", [{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "app:9"}]),
        ("merge", {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "app:9"}]}}}}),
    ],
)
def test_each_kind_of_patch_changes_the_image(kubectl: Kubectl, kind: str, patch: object) -> None:
    name = f"patched-{kind}"
    kubectl("create", "-f", "-", document=_deployment(name))
    assert "patched" in kubectl("patch", "deployment", name, "--type", kind, "-p", json.dumps(patch))
    assert "app:9" in kubectl("get", "deployment", name, "-o", "jsonpath={.spec.template.spec.containers[0].image}")


def test_scaling_labelling_and_deleting_return_at_once(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", document=_deployment("scaled"))
    assert "scaled" in kubectl("scale", "deployment/scaled", "--replicas=5")
    kubectl("label", "deployment/scaled", "team=vision")
    shown = kubectl("get", "deployments", "-l", "team=vision", "--no-headers")
    assert shown.split()[:2] == ["scaled", "0/5"]
    assert "deleted" in kubectl("delete", "deployment", "scaled", "--timeout=5s")
    assert "not found" in kubectl("get", "deployment", "scaled", accepts=(1,))


def test_a_claim_waits_for_its_csi_driver_and_says_so(kubectl: Kubectl) -> None:
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "fsx-pv"},
        "spec": {
            "capacity": {"storage": "1200Gi"},
            "accessModes": ["ReadWriteMany"],
            "csi": {"driver": "fsx.csi.aws.com", "volumeHandle": "fs-1"},
        },
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "fsx-claim", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "",
            "volumeName": "fsx-pv",
            "resources": {"requests": {"storage": "1200Gi"}},
        },
    }
    driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "fsx.csi.aws.com"}}
    for document in (volume, claim):
        kubectl("apply", "-f", "-", document=document)
    assert 'needs the CSI driver "fsx.csi.aws.com"' in kubectl("describe", "pvc", "fsx-claim")
    kubectl("apply", "-f", "-", document=driver)
    assert kubectl("get", "pvc", "fsx-claim", "--no-headers").split()[:5] == [
        "fsx-claim", "Bound", "fsx-pv", "1200Gi", "RWX",
    ]  # fmt: skip


def test_a_custom_resource_is_served_once_its_definition_exists(kubectl: Kubectl) -> None:
    names = {"plural": "rayjobs", "kind": "RayJob"}
    version = {
        "name": "v1", "served": True, "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
    }  # fmt: skip
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "rayjobs.ray.io"},
        "spec": {"group": "ray.io", "scope": "Namespaced", "names": names, "versions": [version]},
    }
    kubectl("create", "-f", "-", document=definition)
    kubectl("wait", "--for=condition=Established", "crd/rayjobs.ray.io", "--timeout=5s")
    job = {"apiVersion": "ray.io/v1", "kind": "RayJob", "metadata": {"name": "tune"}, "spec": {"entrypoint": "a"}}
    assert "rayjob.ray.io/tune created" in kubectl("apply", "-f", "-", document=job)
    job["spec"] = {"entrypoint": "b"}
    assert "rayjob.ray.io/tune configured" in kubectl("apply", "-f", "-", document=job)
    assert kubectl("get", "rayjobs", "tune", "-o", "jsonpath={.spec.entrypoint}/{.metadata.generation}") == "b/2"


def test_a_watch_prints_a_change_as_it_happens(kubeconfig: Path, api: KubernetesApi) -> None:
    command = [str(KUBECTL), "--kubeconfig", str(kubeconfig), "get", "nodes", "-w", "--request-timeout=5s"]
    environment = {"HOME": str(kubeconfig.parent), "PATH": os.environ["PATH"]}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        listed = [watching.stdout.readline().split()[:2] for _ in range(3)]
        api.store.upsert(NODES, {"metadata": {"name": "hyperpod-i-0b"}, "spec": {"unschedulable": True}})
        changed = watching.stdout.readline().split()[:2]
        watching.kill()
    assert listed[1:] == [["hyperpod-i-0a", "Ready"], ["hyperpod-i-0b", "NotReady"]]
    assert changed == ["hyperpod-i-0b", "NotReady,SchedulingDisabled"]


def test_logs_events_and_permissions_are_answered(kubectl: Kubectl, api: KubernetesApi) -> None:
    kubectl("create", "-f", "-", document=_pod("talking"))
    api.logs["default", "talking"] = ["first", "second"]
    assert kubectl("logs", "talking", "--tail=1") == "second\n"
    assert kubectl("auth", "can-i", "delete", "pods") == "yes\n"
    assert "tester" in kubectl("auth", "whoami")
