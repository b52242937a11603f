"""What a look at an imported cluster leaves in the ledger: all of it at once, and never over a change meanwhile."""

from __future__ import annotations

import pytest

from functions.core import runtime
from functions.core.errors import Busy
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.detection import detected_of, record_detected
from functions.core.ledger.items import item_of
from functions.core.ledger.models import JsonObject
from functions.core.ledger.tables import CLUSTERS
from tests.component.test_ledger_support import ENVIRONMENT, Account, account, cluster_records

__all__ = ["account"]

NAMES: JsonObject = {
    "eks_cluster": "theirs",
    "hyperpod_cluster": "hp-cluster-t1",
    "control_plane_role": "r",
    "execution_role": "r",
    "s3_csi_role": "r",
    "training_role": "r",
    "inference_role": "r",
    "role_path": "/p/",
}
FOUND: JsonObject = {"operation_id": "01", "changes": ["a"]}
READY: JsonObject = {"status": "True", "reason": "Found", "message": "m", "since": "2026-01-01T00:00:00Z"}
CHANGES: JsonObject = {"names": NAMES | {"hyperpod_cluster": "their-hp"}}


@pytest.fixture
def cluster(account: Account) -> Account:
    """A cluster that was imported, at the third version of its desired state."""
    spec = {
        "cluster_tag": "t1",
        "record": "spec",
        "tag": "t1",
        "account_id": "123456789012",
        "region": "us-west-2",
        "names": NAMES,
        "created_at": "2026-01-01T00:00:00Z",
        "version": 3,
        "origin": "imported",
    }
    runtime.client("dynamodb").put_item(TableName=ENVIRONMENT[CLUSTERS.variable], Item=item_of(spec))
    return account


def test_what_was_found_conditions_and_desired_state_are_written_together(cluster: Account) -> None:
    record_detected("t1", FOUND, {"FoundationReady": READY}, CHANGES, 3)
    assert detected_of("t1") == FOUND
    spec = spec_of("t1")
    assert (spec.version, spec.names.hyperpod_cluster, spec.names.stack) == (4, "their-hp", None)
    records = cluster_records()
    assert records["condition#FoundationReady"]["status"] == {"S": "True"}
    # Events of AWS find the cluster by the name that was found.
    assert records["spec"]["hyperpod_cluster"] == {"S": "their-hp"}


def test_a_look_that_changes_nothing_counts_no_version(cluster: Account) -> None:
    record_detected("t1", FOUND, {}, {}, 3)
    assert (spec_of("t1").version, detected_of("t1")) == (3, FOUND)


@pytest.mark.parametrize("changes", [CHANGES, {}], ids=["with changes", "without"])
def test_a_look_at_what_was_changed_meanwhile_writes_nothing(cluster: Account, changes: JsonObject) -> None:
    with pytest.raises(Busy):
        record_detected("t1", FOUND, {"FoundationReady": READY}, changes, 2)
    assert (spec_of("t1").version, detected_of("t1")) == (3, None)
    assert "condition#FoundationReady" not in cluster_records()


def test_a_cluster_that_was_forgotten_meanwhile_stays_forgotten(account: Account) -> None:
    with pytest.raises(Busy):
        record_detected("t1", FOUND, {}, CHANGES, 3)
    assert cluster_records() == {}
