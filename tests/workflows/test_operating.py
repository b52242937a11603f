"""What whoever operates a deployment does by hand: look whether it can go, and bring back what was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.ledger.tables import CLUSTERS
from infra import destroyable
from infra.restore import restore
from tests.host.driver import Driver

if TYPE_CHECKING:
    import pytest

TABLE = "instantstart-clusters"
COPY = f"{TABLE}-copy"


def test_a_deployment_without_clusters_can_go(driver: Driver, capsys: pytest.CaptureFixture[str]) -> None:
    assert destroyable.report([*destroyable.standing(driver.host.client("dynamodb"))]) == 0
    assert "can be destroyed" in capsys.readouterr().out


def test_clusters_and_unfinished_operations_stand_in_the_way_and_are_named(
    driver_of_base: Driver, capsys: pytest.CaptureFixture[str]
) -> None:
    driver = driver_of_base
    operation_id = driver.post("/api/clusters", {"tag": "t1"})["operation_id"]
    found = [*destroyable.standing(driver.host.client("dynamodb"))]
    assert [each.partition(":")[0] for each in found] == ["cluster base", "cluster t1", f"operation {operation_id}"]
    assert destroyable.report(found) == 1
    assert "DELETE /api/clusters/base removes it" in capsys.readouterr().err


def test_what_was_lost_comes_back_and_what_stands_is_left(driver_of_base: Driver) -> None:
    driver = driver_of_base
    client = driver.host.client("dynamodb")
    before = driver.get("/api/clusters/base")
    client.create_table(
        TableName=COPY,
        KeySchema=[
            {"AttributeName": "cluster_tag", "KeyType": "HASH"},
            {"AttributeName": "record", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "cluster_tag", "AttributeType": "S"},
            {"AttributeName": "record", "AttributeType": "S"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    items = client.scan(TableName=TABLE)["Items"]
    for item in items:
        client.put_item(TableName=COPY, Item=item)
    lost = {"cluster_tag": {"S": "base"}, "record": {"S": "spec"}}
    client.delete_item(TableName=TABLE, Key=lost)
    assert driver.send("GET", "/api/clusters/base").status == 404
    assert restore(client, CLUSTERS, COPY) == (1, len(items) - 1)
    assert driver.get("/api/clusters/base") == before
    assert restore(client, CLUSTERS, COPY) == (0, len(items))
