"""The kubelet: containers start, are probed, end, run again, and the pod's status and events tell it."""

from __future__ import annotations

import pytest

from infra.local.kubernetes.documents import JsonObject, mapping, objects, text, value_at
from tests.conformance.contract.controllers.driver import (
    NAMESPACE,
    Cluster,
    condition,
    phase,
    pod_spec,
    restarts,
    waiting,
    workload,
)

SIMULATOR = "simulator.instantstart"


@pytest.fixture
def node(cluster: Cluster) -> str:
    return cluster.node()


def _run(cluster: Cluster, seconds: float = 5, annotations: dict[str, str] | None = None, **spec: object) -> JsonObject:
    steered = {f"{SIMULATOR}/{key}": value for key, value in (annotations or {}).items()}
    cluster.create("pods", "p", pod_spec(**spec), metadata={"annotations": steered})
    cluster.after(seconds)
    return cluster.get("pods", "p")


def _status(pod: JsonObject, part: str = "containerStatuses") -> JsonObject:
    return objects(pod, "status", part)[0]


def _probe(**settings: int) -> JsonObject:
    return {"httpGet": {"path": "/health", "port": 80}, "periodSeconds": 5, **settings}


def test_a_bound_pod_creates_its_containers_then_runs_ready(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 0)
    assert (phase(pod), waiting(pod)) == ("Pending", "ContainerCreating")
    assert condition(pod, "ContainersReady")["message"] == "containers with unready status: [main]"
    cluster.after(5)
    pod = cluster.get("pods", "p")
    assert (phase(pod), _status(pod)["ready"], _status(pod)["started"]) == ("Running", True, True)
    kinds = ("PodScheduled", "PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")
    assert {condition(pod, kind)["status"] for kind in kinds} == {"True"}
    assert cluster.reasons("p") == ["Scheduled", "Pulling", "Pulled", "Created", "Started"]


def test_a_running_pod_has_addresses_a_start_time_and_a_quality_of_service(cluster: Cluster, node: str) -> None:
    status = mapping(_run(cluster, requests={"cpu": "1", "memory": "1Gi"}), "status")
    assert (status["hostIP"], status["qosClass"], status["startTime"]) == (
        "10.1.0.7", "Guaranteed", "2030-01-01T00:00:00Z",
    )  # fmt: skip
    assert status["podIPs"] == [{"ip": status["podIP"]}]


@pytest.mark.parametrize(
    ("resources", "quality"),
    [({}, "BestEffort"), ({"requests": {"cpu": "1"}}, "Burstable"),
     ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed")],
)  # fmt: skip
def test_the_quality_of_service_follows_from_requests_and_limits(
    cluster: Cluster, node: str, resources: JsonObject, quality: str
) -> None:  # fmt: skip
    assert text(_run(cluster, container={"resources": resources}), "status", "qosClass") == quality


def test_an_image_on_the_node_is_not_pulled_again(cluster: Cluster, node: str) -> None:
    _run(cluster)
    cluster.create("pods", "second", pod_spec())
    cluster.after(5)
    assert cluster.messages("second", "Pulled") == ['Container image "app:1" already present on machine']
    assert cluster.messages("second", "Pulling") == []


def test_init_containers_run_one_after_the_other_before_the_others(cluster: Cluster, node: str) -> None:
    init = [{"name": name, "image": "init:1", "command": ["sleep", "10"]} for name in ("one", "two")]
    pod = _run(cluster, 8, initContainers=init)
    states = [list(mapping(s, "state")) for s in objects(pod, "status", "initContainerStatuses")]
    assert (phase(pod), states, waiting(pod)) == ("Pending", [["running"], ["waiting"]], "PodInitializing")
    assert condition(pod, "Initialized")["message"] == "containers with incomplete status: [one two]"
    cluster.after(30)
    assert phase(cluster.get("pods", "p")) == "Running"


def test_a_failing_init_container_of_a_pod_that_never_restarts_fails_the_pod(cluster: Cluster, node: str) -> None:
    init = [{"name": "one", "image": "init:1", "command": ["false"]}]
    assert phase(_run(cluster, 10, initContainers=init, restartPolicy="Never")) == "Failed"


@pytest.mark.parametrize(
    ("policy", "code", "expected"),
    [("Never", 0, "Succeeded"), ("Never", 3, "Failed"), ("OnFailure", 0, "Succeeded"), ("OnFailure", 3, "Running"),
     ("Always", 0, "Running")],
)  # fmt: skip
def test_the_phase_follows_from_exit_code_and_restart_policy(
    cluster: Cluster, node: str, policy: str, code: int, expected: str
) -> None:  # fmt: skip
    assert phase(_run(cluster, 15, command=f"exit {code}", restartPolicy=policy)) == expected


def test_an_ended_container_tells_its_exit_code_and_times(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 20, command="sleep 7; exit 3", restartPolicy="Never")
    over = mapping(_status(pod), "state", "terminated")
    assert (over["exitCode"], over["reason"]) == (3, "Error")
    assert (over["startedAt"], over["finishedAt"]) == ("2030-01-01T00:00:02Z", "2030-01-01T00:00:09Z")
    assert condition(pod, "Ready")["reason"] == "PodFailed"


def test_a_crashing_container_backs_off_from_ten_seconds_to_five_minutes(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 6, command="exit 1")
    assert (waiting(pod), restarts(pod)) == ("CrashLoopBackOff", 1)
    uid = text(pod, "metadata", "uid")
    message = text(_status(pod), "state", "waiting", "message")
    assert message == f"back-off 10s restarting failed container=main pod=p_{NAMESPACE}({uid})"
    assert value_at(_status(pod), "lastState", "terminated", "exitCode") == 1
    seen = []
    for seconds in (10, 20, 40, 80, 160, 300, 300):
        cluster.after(seconds)
        seen.append(restarts(cluster.get("pods", "p")))
    assert seen == [2, 3, 4, 5, 6, 7, 8]
    assert cluster.messages("p", "BackOff") == [
        f"Back-off restarting failed container main in pod p_{NAMESPACE}({uid})"
    ]


def test_repeated_events_are_counted(cluster: Cluster, node: str) -> None:
    _run(cluster, 100, command="exit 1")
    (created,) = [event for event in cluster.events("p") if event["reason"] == "Created"]
    assert created["count"] == 5


def test_an_image_that_cannot_be_pulled_backs_off(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 2, {"pull-error": "not found"})
    assert waiting(pod) == "ErrImagePull"
    cluster.after(10)
    pod = cluster.get("pods", "p")
    assert (phase(pod), waiting(pod)) == ("Pending", "ImagePullBackOff")
    assert 'Failed to pull image "app:1": not found' in cluster.messages("p", "Failed")
    assert cluster.messages("p", "BackOff") == ['Back-off pulling image "app:1"']


def test_an_image_name_that_is_none_is_never_pulled(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 10, image="Not An Image")
    assert (phase(pod), waiting(pod)) == ("Pending", "InvalidImageName")
    assert cluster.reasons("p")[-1] == "InspectFailed"


def test_a_readiness_probe_keeps_a_pod_unready_until_it_succeeds(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 10, {"ready-after": "20"}, container={"readinessProbe": _probe()})
    assert (phase(pod), _status(pod)["ready"], condition(pod, "Ready")["reason"]) == (
        "Running",
        False,
        "ContainersNotReady",
    )
    assert cluster.messages("p", "Unhealthy") == ["Readiness probe failed: HTTP probe failed with statuscode: 503"]
    cluster.after(13)
    assert condition(cluster.get("pods", "p"), "Ready")["status"] == "True"


def test_a_failing_readiness_probe_takes_a_pod_out_without_restarting_it(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 60, {"fails-after": "30"}, container={"readinessProbe": _probe()})
    assert (condition(pod, "Ready")["status"], restarts(pod)) == ("False", 0)


def test_a_failing_liveness_probe_restarts_the_container(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 60, {"fails-after": "30"}, container={"livenessProbe": _probe()})
    assert restarts(pod) == 1
    assert value_at(_status(pod), "lastState", "terminated", "exitCode") == 137 or waiting(pod)
    assert "Container main failed liveness probe, will be restarted" in cluster.messages("p", "Killing")


def test_a_startup_probe_holds_the_other_probes_back(cluster: Cluster, node: str) -> None:
    probes = {"startupProbe": _probe(failureThreshold=30), "livenessProbe": _probe(failureThreshold=1)}
    pod = _run(cluster, 40, {"ready-after": "60"}, container=probes)
    assert (_status(pod)["started"], restarts(pod)) == (False, 0)
    cluster.after(30)
    pod = cluster.get("pods", "p")
    assert (_status(pod)["started"], _status(pod)["ready"], restarts(pod)) == (True, True, 0)


def test_a_startup_probe_that_gives_up_restarts_the_container(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 25, {"ready-after": "600"}, container={"startupProbe": _probe()})
    assert restarts(pod) == 1
    assert "Container main failed startup probe, will be restarted" in cluster.messages("p", "Killing")


def test_a_deleted_pod_gets_its_time_to_stop_and_then_goes(cluster: Cluster, node: str) -> None:
    cluster.create("deployments", "web", workload(replicas=1))
    cluster.after(10)
    cluster.patch("deployments", "web", {"spec": {"replicas": 0}})
    (pod,) = cluster.pods()
    assert value_at(pod, "metadata", "deletionGracePeriodSeconds") == 30
    assert cluster.messages(text(pod, "metadata", "name"), "Killing") == ["Stopping container main"]
    cluster.after(31)
    assert cluster.pods() == []


def test_a_missing_secret_keeps_the_volume_from_being_mounted(cluster: Cluster, node: str) -> None:
    volumes = [{"name": "keys", "secret": {"secretName": "keys"}}]
    assert waiting(_run(cluster, 60, volumes=volumes)) == "ContainerCreating"
    assert cluster.messages("p", "FailedMount") == [
        'MountVolume.SetUp failed for volume "keys" : secret "keys" not found'
    ]
    cluster.create("secrets", "keys")
    cluster.after(5)
    assert phase(cluster.get("pods", "p")) == "Running"


def test_a_missing_setting_is_a_container_config_error(cluster: Cluster, node: str) -> None:
    container = {"envFrom": [{"configMapRef": {"name": "settings"}}]}
    assert waiting(_run(cluster, container=container)) == "CreateContainerConfigError"
    cluster.create("configmaps", "settings")
    cluster.after(5)
    assert phase(cluster.get("pods", "p")) == "Running"


def test_a_volume_needs_its_drivers_pod_on_the_node(cluster: Cluster, node: str) -> None:
    cluster.create("csidrivers", "s3.csi.aws.com", {"attachRequired": False})
    size, modes = {"storage": "1Gi"}, ["ReadWriteMany"]
    source = {"csi": {"driver": "s3.csi.aws.com", "volumeHandle": "bucket"}}
    cluster.create("persistentvolumes", "bucket", {"capacity": size, "accessModes": modes, **source})
    claim = {"accessModes": modes, "storageClassName": "", "resources": {"requests": size}}
    cluster.create("persistentvolumeclaims", "data", claim)
    pod = _run(cluster, 60, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
    assert waiting(pod) == "ContainerCreating"
    assert "driver name s3.csi.aws.com not found in the list of registered CSI drivers" in cluster.messages(
        "p", "FailedMount"
    )[0]  # fmt: skip
    cluster.create("daemonsets", "s3-csi-node", workload({"app": "s3-csi-node"}), "kube-system")
    cluster.after(10)
    assert phase(cluster.get("pods", "p")) == "Running"


def test_a_pod_prints_what_its_script_says_when_it_says_it(cluster: Cluster, node: str) -> None:
    _run(cluster, 5, command="echo hello; sleep 10; echo bye", restartPolicy="Never")
    assert cluster.log("p") == ["hello"]
    cluster.after(20)
    assert cluster.log("p") == ["hello", "bye"]


def test_a_pod_that_is_active_too_long_fails(cluster: Cluster, node: str) -> None:
    pod = _run(cluster, 40, activeDeadlineSeconds=30)
    assert (phase(pod), text(pod, "status", "reason")) == ("Failed", "DeadlineExceeded")
