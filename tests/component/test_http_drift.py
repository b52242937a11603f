"""Drift and repair through HTTP events: what is planned, previewed, confirmed and refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from functions.capacity.rules.drifts import GROUP
from functions.clusters.drift import records
from functions.clusters.drift.models import DriftReport
from functions.core import runtime
from functions.core.drifts import Drift, Unknown, drift
from functions.core.ledger.items import item_of
from functions.core.ledger.models import OperationStatus
from functions.core.ledger.tables import CLUSTERS
from tests.component.test_http_support import Edge, account, edge, free_leases, stages_of, standing
from tests.component.test_ledger_support import ENVIRONMENT, executions, finish_operation, owners

__all__ = ["account", "edge"]

MADE = ("FoundationReady", "DependenciesReady", "HyperPodReady")
CLUSTER = "/api/clusters/t1"
DRIFT, REPAIR = f"{CLUSTER}/drift", f"{CLUSTER}/repair"
ADDON = drift("coredns", "EKS add-on", "addon:coredns", expected="installed", actual="absent")
MORE = drift("gpu", GROUP, "hyperpod_cluster", "count", expected="1", actual="3")


def kept(edge: Edge, *found: Drift, operation_id: str = "op-1", **changes: object) -> DriftReport:
    """Keep what a detection has found just now."""
    made = DriftReport(
        cluster_tag="t1",
        operation_id=operation_id,
        detected_at=edge.account.clock.now(),
        spec_version=1,
        in_sync="False" if found else "True",
        message="as found",
        drifts=list(found),
        unknown=[],
    ).model_copy(update=changes)
    assert records.keep(made)
    return made


def preview(edge: Edge, body: object = None) -> dict[str, Any]:
    answer = edge.send("POST", REPAIR, body, query="dry_run=true")
    assert answer.status == 200, answer.body
    return answer.body


def test_a_detection_looks_at_what_was_made_and_at_nothing_else(edge: Edge) -> None:
    standing(edge, "t1", "FoundationReady")
    begun = edge.send("POST", DRIFT)
    assert (begun.status, begun.body["kind"]) == (202, "detect_drift")
    assert stages_of(begun.body["operation_id"]) == [("drift", "foundation_drift"), ("drift", "drift_report")]
    assert owners() == {"drift": begun.body["operation_id"]}


def test_what_was_never_made_cannot_drift(edge: Edge) -> None:
    standing(edge, "t1")
    for path in (DRIFT, REPAIR):
        answer = edge.send("POST", path)
        assert (answer.status, answer.body["code"]) == (409, "precondition_failed")
    assert edge.send("POST", "/api/clusters/nobody/drift").status == 404
    assert edge.send("GET", "/api/clusters/nobody/drift").status == 404


def test_the_last_detection_is_read_and_an_older_one_never_takes_its_place(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    never = edge.send("GET", DRIFT).body
    assert (never["code"], never["remedy"]) == ("not_found", f"POST {DRIFT} detects it.")
    assert edge.send("GET", CLUSTER).body["drift_detected_at"] is None
    newer = kept(edge, ADDON, operation_id="op-2")
    older = newer.model_copy(update={"operation_id": "op-1", "detected_at": newer.detected_at - timedelta(minutes=1)})
    assert not records.keep(older)
    answer = edge.send("GET", DRIFT)
    assert (answer.status, answer.body["operation_id"]) == (200, "op-2")
    assert answer.body["drifts"] == [ADDON.model_dump(mode="json")]
    # Who reads the cluster knows of the report, and which it is, without asking for it.
    assert edge.send("GET", CLUSTER).body["drift_detected_at"] == answer.body["detected_at"]


def test_what_could_not_be_seen_is_told_with_what_helps_and_so_is_one_that_was_kept_without(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    helped = Unknown(resource="stack", kind="CloudFormation stack", why="denied", remedy="Deploy it again.")
    kept(edge, unknown=[helped])
    assert edge.send("GET", DRIFT).body["unknown"] == [helped.model_dump(mode="json")]
    [told] = preview(edge)["findings"]
    assert (told["check"], told["remedy"]) == ("drift_not_seen", "Deploy it again.")
    key = {"cluster_tag": {"S": "t1"}, "record": {"S": "drift"}}
    earlier = "REMOVE #unknown[0].remedy"
    runtime.client("dynamodb").update_item(
        TableName=ENVIRONMENT[CLUSTERS.variable],
        Key=key,
        UpdateExpression=earlier,
        ExpressionAttributeNames={"#unknown": "unknown"},
    )
    [unseen] = edge.send("GET", DRIFT).body["unknown"]
    assert (unseen["why"], unseen["remedy"]) == ("denied", None)


def test_a_repair_is_planned_by_a_recent_detection_of_the_same_desired_state(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    kept(edge, ADDON)
    [change] = preview(edge)["preview"]["changes"]
    assert (change["action"], change["name"], change["stage"]) == ("create", "coredns", "addon:coredns")
    begun = edge.send("POST", REPAIR).body
    stages = stages_of(begun["operation_id"])
    assert stages[0] == ("dependencies", "addon:coredns")
    assert {phase for phase, _ in stages[1:]} == {"verify"}
    finish_operation(begun["operation_id"], OperationStatus.FAILED)
    free_leases("t1")
    # Of another desired state, or too old, it says nothing.
    kept(edge, ADDON, spec_version=2)
    assert [finding["check"] for finding in preview(edge)["findings"]] == ["drift_not_looked_at"]
    kept(edge, ADDON)
    edge.account.clock.advance(minutes=16)
    found = preview(edge)
    assert [finding["check"] for finding in found["findings"]] == ["drift_not_looked_at"]
    assert stages_of(edge.send("POST", REPAIR).body["operation_id"])[0] == ("drift", "foundation_drift")


def test_nothing_that_drifted_is_nothing_to_change(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    kept(edge)
    assert preview(edge)["preview"]["changes"] == []
    begun = edge.send("POST", REPAIR).body
    assert {phase for phase, _ in stages_of(begun["operation_id"])} == {"verify"}


def test_what_ends_instances_is_confirmed_by_the_digest_of_what_was_detected(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    kept(edge, MORE)
    refused = edge.send("POST", REPAIR)
    assert (refused.status, refused.body["code"]) == (409, "confirmation_required")
    digest = preview(edge)["preview"]["digest"]
    kept(edge, MORE.model_copy(update={"actual": "5"}), operation_id="op-2")
    outdated = edge.send("POST", REPAIR, query=f"confirm={digest}")
    assert (outdated.status, outdated.body["code"]) == (409, "preview_outdated")
    digest = preview(edge)["preview"]["digest"]
    begun = edge.send("POST", REPAIR, query=f"confirm={digest}")
    assert begun.status == 202
    assert begun.body["request"] == {"accept_replacement": [], "agreed": ["instance group gpu 1"]}
    assert edge.send("POST", DRIFT).body["code"] == "operation_in_progress"


def test_a_replacement_is_accepted_by_name_and_confirmed(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    body = {"accept_replacement": ["Vpc"]}
    assert edge.send("POST", REPAIR, body).body["code"] == "confirmation_required"
    kept(edge, ADDON)
    body = {"accept_replacement": ["ComputeSelfIngress"]}
    assert edge.send("POST", REPAIR, body).body["code"] == "confirmation_required"
    found = preview(edge, body)["preview"]
    assert [change["irreversible"] for change in found["changes"]] == [False, True]
    assert edge.send("POST", REPAIR, body, query=f"confirm={found['digest']}").status == 202
    assert edge.send("POST", REPAIR, {"accept_replacement": ["no-id"]}).fields == ["accept_replacement[0]"]
    assert edge.send("POST", REPAIR, {"accept_replacment": []}).fields == ["accept_replacment"]


def test_a_repeated_request_is_recognised_before_anything_is_looked_up(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    for path in (DRIFT, REPAIR):
        first = edge.send("POST", path, key="k")
        assert edge.send("POST", path, key="k").body["operation_id"] == first.body["operation_id"]
        finish_operation(first.body["operation_id"], OperationStatus.FAILED)
        free_leases("t1")


def test_only_who_may_operate_detects_and_repairs(edge: Edge) -> None:
    standing(edge, "t1", *MADE)
    kept(edge)
    for path in (DRIFT, REPAIR):
        assert edge.send("POST", path, scopes=("read",)).status == 403
    assert edge.send("GET", DRIFT, scopes=("read",)).status == 200


def imported(edge: Edge, **made: list[str]) -> None:
    """A cluster that others made, whose conditions say what was found, and where some stages made something here."""
    standing(edge, "t1", *MADE)
    client, table = runtime.client("dynamodb"), ENVIRONMENT[CLUSTERS.variable]
    client.update_item(
        TableName=table,
        Key={"cluster_tag": {"S": "t1"}, "record": {"S": "spec"}},
        UpdateExpression="SET origin = :imported",
        ExpressionAttributeValues={":imported": {"S": "imported"}},
    )
    for phase, stages in made.items():
        content = {"cluster_tag": "t1", "record": f"made#{phase}", "stages": stages, "operation_id": "op-0"}
        client.put_item(TableName=table, Item=item_of(content))


def test_an_imported_cluster_on_which_nothing_was_made_is_neither_compared_nor_repaired(edge: Edge) -> None:
    imported(edge)
    kept(edge, ADDON)
    before = executions()
    for path in (DRIFT, REPAIR):
        previewed = edge.send("POST", path, query="dry_run=true")
        assert (previewed.status, previewed.body["preview"]["digest"]) == (200, None)
        [error] = [finding for finding in previewed.body["findings"] if finding["level"] == "error"]
        assert (error["check"], error["code"]) == ("nothing_made", "precondition_failed")
        refused = edge.send("POST", path)
        assert (refused.status, refused.body["code"]) == (409, "precondition_failed")
        assert "nothing of cluster t1 was made here" in refused.body["detail"]
        assert "/api/clusters/t1/dependencies" in refused.body["remedy"]
    assert executions() == before


def test_of_an_imported_cluster_only_what_was_made_here_is_compared_and_repaired(edge: Edge) -> None:
    imported(edge, dependencies=["addon:coredns", "subnet_tags"])
    begun = edge.send("POST", DRIFT)
    assert stages_of(begun.body["operation_id"]) == [("drift", "addon_drift:coredns"), ("drift", "drift_report")]
    finish_operation(begun.body["operation_id"], OperationStatus.FAILED)
    free_leases("t1")
    theirs = drift("vpc-cni", "EKS add-on", "addon:vpc-cni", expected="installed", actual="absent")
    kept(edge, ADDON, theirs)
    previewed = preview(edge)
    assert [change["name"] for change in previewed["preview"]["changes"]] == ["coredns"]
    [told] = previewed["findings"]
    assert (told["check"], told["resource"]) == ("drift_not_made_here", "vpc-cni")
    assert "POST /api/clusters/t1/dependencies" in told["remedy"]
    begun = edge.send("POST", REPAIR)
    assert stages_of(begun.body["operation_id"]) == [
        ("dependencies", "addon:coredns"),
        ("verify", "verify"),
        ("verify", "detect_cluster"),
        ("verify", "detect_workloads"),
        ("verify", "addon_drift:coredns"),
        ("verify", "drift_report"),
    ]
