"""Cells of the tables that kubectl prints."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from infra.local.kubernetes import resources as served
from infra.local.kubernetes.documents import JsonObject, objects
from infra.local.kubernetes.quantities import parse_quantity, short_duration
from infra.local.kubernetes.tables import table

NOW = datetime(2030, 1, 2, tzinfo=UTC)
METADATA = {"name": "x", "namespace": "default", "creationTimestamp": "2030-01-01T00:00:00Z"}
TEMPLATE = {"spec": {"containers": [{"name": "main", "image": "app:1"}], "nodeSelector": {"gpu": "yes"}}}


def _cells(resource: served.Resource, **document: object) -> dict[str, object]:
    shown = table(resource, [{"metadata": METADATA, **document}], NOW, {})
    titles = [str(column["name"]) for column in objects(shown, "columnDefinitions")]
    cells = objects(shown, "rows")[0]["cells"]
    assert isinstance(cells, list)
    return dict(zip(titles, cells, strict=True))


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-3, "0s"), (119, "119s"), (120, "2m"), (330, "5m30s"), (600, "10m"), (10799, "179m"), (10800, "3h"),
     (12000, "3h20m"), (86400, "24h"), (172800, "2d"), (180000, "2d2h"), (86400 * 9, "9d"), (86400 * 800, "2y70d")],
)  # fmt: skip
def test_durations_use_at_most_two_units(seconds: int, shown: str) -> None:
    assert short_duration(timedelta(seconds=seconds)) == shown


@pytest.mark.parametrize(
    ("written", "number"),
    [("500m", "0.5"), ("1200Gi", "1288490188800"), ("2", "2"), ("1.5k", "1500"), ("1e3", "1000"), ("2Ei", str(2**61))],
)
def test_quantities_are_numbers(written: str, number: str) -> None:
    assert parse_quantity(written) == Decimal(number)


@pytest.mark.parametrize("written", ["", "many", "1Qi", "1 Gi", "--1"])
def test_what_is_no_quantity_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        parse_quantity(written)


@pytest.mark.parametrize(
    ("pod", "shown"),
    [
        ({"status": {"phase": "Running"}}, "Running"),
        ({"status": {"phase": "Failed", "reason": "Evicted"}}, "Evicted"),
        (
            {"status": {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ErrImagePull"}}}]}},
            "ErrImagePull",
        ),
        ({"status": {"containerStatuses": [{"state": {"terminated": {"exitCode": 3}}}]}}, "ExitCode:3"),
        (
            {"status": {"initContainerStatuses": [{"state": {"terminated": {"exitCode": 0}}}, {"state": {}}]}},
            "Init:1/2",
        ),
        ({"metadata": {**METADATA, "deletionTimestamp": "2030-01-01T00:00:00Z"}}, "Terminating"),
    ],
)
def test_the_status_of_a_pod_is_the_most_telling_reason(pod: JsonObject, shown: str) -> None:
    assert _cells(served.PODS, **pod)["Status"] == shown


def test_a_pod_counts_ready_containers_and_restarts() -> None:
    statuses = [{"ready": True, "restartCount": 2}, {"ready": False, "restartCount": 1}]
    pod = {"spec": {"containers": [{}, {}], "nodeName": "n"}, "status": {"containerStatuses": statuses}}
    cells = _cells(served.PODS, **pod)
    assert [cells[title] for title in ("Ready", "Restarts", "Age", "IP", "Node")] == ["1/2", "3", "24h", "<none>", "n"]


def test_services_show_ports_and_where_they_are_reached() -> None:
    ports = [{"port": 80}, {"port": 443, "nodePort": 30443, "protocol": "TCP"}]
    spec = {"type": "LoadBalancer", "clusterIP": "172.20.0.9", "ports": ports}
    pending = _cells(served.SERVICES, spec=spec)
    reached = _cells(served.SERVICES, spec=spec, status={"loadBalancer": {"ingress": [{"hostname": "lb.example"}]}})
    assert (pending["Port(s)"], pending["External-IP"]) == ("80/TCP,443:30443/TCP", "<pending>")
    assert reached["External-IP"] == "lb.example"


def test_workloads_show_their_counts() -> None:
    deployment = _cells(served.DEPLOYMENTS, spec={"replicas": 3, "template": TEMPLATE}, status={"readyReplicas": 2})
    daemon_set = _cells(served.DAEMON_SETS, spec={"template": TEMPLATE}, status={"desiredNumberScheduled": 4})
    assert (deployment["Ready"], deployment["Images"]) == ("2/3", "app:1")
    assert (daemon_set["Desired"], daemon_set["Node Selector"]) == (4, "gpu=yes")


def test_a_job_shows_its_outcome_and_how_long_it_took() -> None:
    running = {"startTime": "2030-01-01T23:58:00Z"}
    complete = {**running, "completionTime": "2030-01-01T23:59:30Z", "succeeded": 1,
                "conditions": [{"type": "Complete", "status": "True"}]}  # fmt: skip
    first, last = (_cells(served.JOBS, spec={"completions": 1}, status=status) for status in (running, complete))
    assert (first["Status"], first["Completions"], first["Duration"]) == ("Running", "0/1", "2m")
    assert (last["Status"], last["Completions"], last["Duration"]) == ("Complete", "1/1", "90s")


def test_volumes_show_their_claims_in_short_forms() -> None:
    spec = {"capacity": {"storage": "1Ti"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
            "claimRef": {"namespace": "default", "name": "data"}}  # fmt: skip
    cells = _cells(served.PERSISTENT_VOLUMES, spec=spec, status={"phase": "Bound"})
    assert [cells[title] for title in ("Capacity", "Access Modes", "Claim", "Status")] == [
        "1Ti", "RWX,RWO", "default/data", "Bound",
    ]  # fmt: skip


def test_nodes_name_their_roles_and_cordon() -> None:
    node = {
        "metadata": {**METADATA, "labels": {"node-role.kubernetes.io/worker": ""}},
        "spec": {"unschedulable": True},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    cells = _cells(served.NODES, **node)
    assert (cells["Status"], cells["Roles"]) == ("Ready,SchedulingDisabled", "worker")


def test_events_show_what_happened_to_what() -> None:
    event = {"involvedObject": {"kind": "Pod", "name": "a"}, "lastTimestamp": "2030-01-01T23:59:00Z", "type": "Warning",
             "reason": "Failed", "message": "no\n"}  # fmt: skip
    cells = _cells(served.EVENTS, **event)
    assert (cells["Last Seen"], cells["Object"], cells["Message"], cells["Count"]) == ("60s", "pod/a", "no", 1)


def test_rows_carry_as_much_of_the_object_as_was_asked_for() -> None:
    document: JsonObject = {"metadata": METADATA, "data": {"a": "b"}}
    rows = [
        objects(table(served.CONFIG_MAPS, [document], NOW, {}, include), "rows")[0] for include in ("None", "Object")
    ]
    assert [row["object"] for row in rows] == [None, document]
