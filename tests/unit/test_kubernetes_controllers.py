"""Volume binding, HyperPod nodes and what a new cluster holds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from infra.local.kubernetes.controllers import CONTROLLERS, NodeFact, Taint, bootstrap, sync_nodes
from infra.local.kubernetes.documents import JsonObject, mapping, name_of, objects, string_map, text, value_at
from infra.local.kubernetes.resources import (
    CSI_DRIVERS,
    EVENTS,
    NAMESPACES,
    NODES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    SERVICE_ACCOUNTS,
    STORAGE_CLASSES,
)
from infra.local.kubernetes.store import Store

FACT = NodeFact(
    instance_id="i-0a",
    instance_group="workers",
    instance_type="ml.p5.48xlarge",
    zone="us-west-2b",
    cluster_name="hp-cluster-demo",
    ready=True,
    reason="",
    private_ip="10.1.2.3",
    cpu=192,
    memory_mib=2097152,
    accelerator_resource="nvidia.com/gpu",
    accelerator_count=8,
    max_pods=100,
    labels={"team": "vision"},
    taints=(Taint("dedicated", "training", "NoSchedule"),),
    created_at=datetime(2029, 12, 31, tzinfo=UTC),
)


@pytest.fixture
def store() -> Store:
    store = Store(lambda: datetime(2030, 1, 1, tzinfo=UTC))
    bootstrap(store)
    return store


def _settle(store: Store) -> None:
    for controller in CONTROLLERS:
        controller(store)


def _volume(store: Store, name: str, storage: str = "1200Gi", driver: str = "", storage_class: str = "") -> None:
    source: JsonObject = {"csi": {"driver": driver, "volumeHandle": name}} if driver else {"nfs": {"path": "/"}}
    spec = {"capacity": {"storage": storage}, "accessModes": ["ReadWriteMany"], "storageClassName": storage_class}
    store.create(PERSISTENT_VOLUMES, {"metadata": {"name": name}, "spec": {**spec, **source}})


def _claim(store: Store, volume: str = "", storage: str = "1Ti", storage_class: str = "") -> None:
    spec: JsonObject = {
        "accessModes": ["ReadWriteMany"],
        "storageClassName": storage_class,
        "resources": {"requests": {"storage": storage}},
    }
    named = {"volumeName": volume} if volume else {}
    metadata = {"name": "data", "namespace": "default"}
    store.create(PERSISTENT_VOLUME_CLAIMS, {"metadata": metadata, "spec": {**spec, **named}})


def _claim_phase(store: Store) -> str:
    return text(store.get(PERSISTENT_VOLUME_CLAIMS, "data", "default"), "status", "phase")


def _event_reasons(store: Store) -> list[str]:
    return [text(event, "reason") for event in store.select(EVENTS, fields="involvedObject.name=data")]


def test_a_new_cluster_has_its_namespaces_with_service_accounts(store: Store) -> None:
    names = ["default", "kube-node-lease", "kube-public", "kube-system"]
    assert [name_of(namespace) for namespace in store.select(NAMESPACES)] == names
    assert [text(account, "metadata", "namespace") for account in store.select(SERVICE_ACCOUNTS)] == names


def test_a_claim_binds_to_the_volume_it_names(store: Store) -> None:
    store.create(CSI_DRIVERS, {"metadata": {"name": "fsx.csi.aws.com"}})
    _volume(store, "fsx", driver="fsx.csi.aws.com")
    _claim(store, "fsx")
    _settle(store)
    claim, volume = store.get(PERSISTENT_VOLUME_CLAIMS, "data", "default"), store.get(PERSISTENT_VOLUMES, "fsx")
    assert claim["status"] == {
        "phase": "Bound",
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "1200Gi"},
    }
    assert text(volume, "status", "phase") == "Bound"
    assert text(volume, "spec", "claimRef", "uid") == text(claim, "metadata", "uid")


def test_without_its_csi_driver_a_claim_stays_pending_and_says_so_once(store: Store) -> None:
    _volume(store, "fsx", driver="fsx.csi.aws.com")
    _claim(store, "fsx")
    _settle(store)
    _settle(store)
    (event,) = store.select(EVENTS)
    assert _claim_phase(store) == "Pending"
    assert text(event, "reason") == "FailedBinding"
    assert 'CSI driver "fsx.csi.aws.com", which is not registered' in text(event, "message")


def test_a_claim_without_a_name_takes_the_smallest_volume_that_fits(store: Store) -> None:
    for name, size in (("small", "500Gi"), ("large", "9Ti"), ("right", "1200Gi")):
        _volume(store, name, size)
    _volume(store, "other-class", "1Ti", storage_class="gp3")
    _claim(store)
    _settle(store)
    assert text(store.get(PERSISTENT_VOLUME_CLAIMS, "data", "default"), "spec", "volumeName") == "right"


@pytest.mark.parametrize(
    ("volume", "storage_class", "reason"),
    [("small", "", "VolumeMismatch"), ("", "", "FailedBinding"), ("", "gone", "ProvisioningFailed"),
     ("", "gp3", "ExternalProvisioning")],
)  # fmt: skip
def test_a_claim_that_cannot_bind_gets_an_event_with_the_reason(
    store: Store, volume: str, storage_class: str, reason: str
) -> None:
    _volume(store, "small", "1Gi")
    store.create(STORAGE_CLASSES, {"metadata": {"name": "gp3"}, "provisioner": "ebs.csi.aws.com"})
    _claim(store, volume, storage_class=storage_class)
    _settle(store)
    assert (_claim_phase(store), _event_reasons(store)) == ("Pending", [reason])


def test_a_volume_whose_claim_is_deleted_is_released_and_not_bound_again(store: Store) -> None:
    _volume(store, "v")
    _claim(store, "v")
    _settle(store)
    store.delete(PERSISTENT_VOLUME_CLAIMS, "data", "default")
    _settle(store)
    assert text(store.get(PERSISTENT_VOLUMES, "v"), "status", "phase") == "Released"
    _claim(store, "v")
    _settle(store)
    assert (_claim_phase(store), _event_reasons(store)) == ("Pending", ["FailedBinding"])


def test_an_instance_becomes_a_node_with_its_labels_and_resources(store: Store) -> None:
    sync_nodes(store, [FACT])
    node = store.get(NODES, "hyperpod-i-0a")
    labels = string_map(node, "metadata", "labels")
    assert text(node, "metadata", "creationTimestamp") == "2029-12-31T00:00:00Z"
    assert labels["sagemaker.amazonaws.com/compute-type"] == "hyperpod"
    assert labels["sagemaker.amazonaws.com/node-health-status"] == "Schedulable"
    assert labels["sagemaker.amazonaws.com/instance-group-name"] == "workers"
    assert labels["node.kubernetes.io/instance-type"] == "ml.p5.48xlarge"
    assert (labels["topology.kubernetes.io/region"], labels["team"]) == ("us-west-2", "vision")
    assert mapping(node, "status", "capacity") == {
        "cpu": "192", "memory": "2147483648Ki", "pods": "100",
    }  # fmt: skip
    assert value_at(node, "status", "allocatable", "cpu") == "191450m"
    assert objects(node, "spec", "taints") == [{"key": "dedicated", "value": "training", "effect": "NoSchedule"}]


def test_the_same_facts_again_write_nothing(store: Store) -> None:
    sync_nodes(store, [FACT])
    version = store.version
    sync_nodes(store, [FACT])
    assert store.version == version


def test_a_node_without_a_network_plugin_is_not_ready_until_it_has_one(store: Store) -> None:
    sync_nodes(store, [replace(FACT, ready=False)])
    broken = objects(store.get(NODES, "hyperpod-i-0a"), "status", "conditions")[-1]
    assert (broken["type"], broken["status"], broken["reason"]) == ("Ready", "False", "KubeletNotReady")
    assert "cni plugin not initialized" in text(broken, "message")
    sync_nodes(store, [FACT])
    repaired = objects(store.get(NODES, "hyperpod-i-0a"), "status", "conditions")[-1]
    assert (repaired["status"], repaired["reason"]) == ("True", "KubeletReady")


def test_labels_and_cordons_of_others_survive_a_sync(store: Store) -> None:
    sync_nodes(store, [FACT])
    health = {"sagemaker.amazonaws.com/node-health-status": "UnschedulablePendingReboot"}
    store.upsert(NODES, {"metadata": {"name": "hyperpod-i-0a", "labels": health}, "spec": {"unschedulable": True}})
    sync_nodes(store, [replace(FACT, taints=())])
    node = store.get(NODES, "hyperpod-i-0a")
    assert string_map(node, "metadata", "labels").items() >= health.items()
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    assert (value_at(node, "spec", "unschedulable"), objects(node, "spec", "taints")) == (True, [cordon])


def test_nodes_leave_with_their_instances_and_foreign_nodes_stay(store: Store) -> None:
    store.create(NODES, {"metadata": {"name": "ip-10-0-0-1"}})
    sync_nodes(store, [FACT, replace(FACT, instance_id="i-0b")])
    sync_nodes(store, [replace(FACT, instance_id="i-0b")])
    assert [name_of(node) for node in store.select(NODES)] == ["hyperpod-i-0b", "ip-10-0-0-1"]
