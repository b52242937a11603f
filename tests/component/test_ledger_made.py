"""What was made on a cluster that others made: on record with the end of the operation, and gone with the cluster."""

from __future__ import annotations

import pytest

from functions.core import ledger, runtime
from functions.core.ledger.endings import Ending
from functions.core.ledger.items import item_of
from functions.core.ledger.made import Making, made_in
from functions.core.ledger.models import JsonObject, OperationStatus
from functions.core.ledger.tables import CLUSTERS
from tests.component.test_ledger_support import ENVIRONMENT, Account, account, begun, cluster_records

__all__ = ["account"]

READY: JsonObject = {"status": "True", "reason": "Stands", "message": "m", "since": "2026-01-01T00:00:00Z"}


@pytest.fixture
def cluster(account: Account) -> Account:
    """A cluster that was imported."""
    _keep({"record": "spec", "origin": "imported"})
    return account


def _keep(content: JsonObject) -> None:
    item = item_of({"cluster_tag": "t1", **content})
    runtime.client("dynamodb").put_item(TableName=ENVIRONMENT[CLUSTERS.variable], Item=item)


def ended(*, kind: str = "configure_dependencies", forgets: bool = False, **makings: Making) -> dict[str, list[str]]:
    """End an operation that made something; gives what is on record then."""
    operation = begun(scopes=["cluster"]).model_copy(update={"kind": kind})
    ready: dict[str, JsonObject] = {"DependenciesReady": READY}
    ending = Ending(OperationStatus.SUCCEEDED, conditions=ready, makings=makings, forgets=forgets)
    ledger.finish_operation(operation, ending)
    return made_in(cluster_records())


def test_each_operation_adds_what_it_made_and_takes_back_what_turned_out_to_be_theirs(cluster: Account) -> None:
    assert ended(dependencies=Making(made=("addon:a", "addon:b"))) == {"dependencies": ["addon:a", "addon:b"]}
    record = cluster_records()["made#dependencies"]
    again = ended(dependencies=Making(made=("addon:c", "addon:a"), adopted=("addon:b",)))
    assert again == {"dependencies": ["addon:a", "addon:c"]}
    later = cluster_records()["made#dependencies"]
    assert later["operation_id"] != record["operation_id"]
    # What changes nothing is not written: the record names the operation that changed it last.
    ended(dependencies=Making(made=("addon:a",)), storage=Making(made=("mount:m",)))
    assert cluster_records()["made#dependencies"] == later
    assert ended(dependencies=Making(adopted=("addon:a", "addon:c"))) == {"storage": ["mount:m"]}


def test_a_removal_and_the_end_of_the_cluster_leave_no_record(cluster: Account) -> None:
    ended(hyperpod=Making(made=("hyperpod_cluster",)), storage=Making(made=("mount:m",)))
    assert ended(hyperpod=Making(removed=True)) == {"storage": ["mount:m"]}
    ended(dependencies=Making(made=("access_entry:admin", "access_entry:operator", "cluster_role:operator", "addon:a")))
    assert ended(dependencies=Making(unmade=("access_entry", "addon:a")), storage=Making(removed=True)) == {
        "dependencies": ["cluster_role:operator"]
    }
    assert ended(dependencies=Making(unmade=("cluster_role:operator",))) == {}
    ended(forgets=True)
    assert {name for name in cluster_records() if name.startswith(("made#", "spec"))} == set()


def test_a_repair_of_an_imported_cluster_decides_none_of_its_conditions(cluster: Account) -> None:
    ended(kind="repair_cluster", dependencies=Making(made=("addon:a",)))
    assert "condition#DependenciesReady" not in cluster_records()
    ended(dependencies=Making(made=("addon:a",)))
    assert cluster_records()["condition#DependenciesReady"]["status"] == {"S": "True"}


def test_of_a_created_cluster_nothing_is_recorded(account: Account) -> None:
    _keep({"record": "spec", "origin": "created"})
    assert ended(dependencies=Making(made=("addon:a",))) == {}
    assert "condition#DependenciesReady" in cluster_records()
