"""The contract of the local host's DynamoDB: what AWS does and moto alone does not, or does only by our leave."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec, module_from_spec
from threading import Barrier
from typing import TYPE_CHECKING, Final, cast

import botocore.session
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.dynamodb.models import dynamodb_backends

from functions.core.ledger.tables import CLUSTERS, IDEMPOTENCY, OPERATIONS, TABLES, Table
from infra.local.engine import dynamodb, version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moto.dynamodb.responses import DynamoHandler
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

NAMES: Final = {table.variable: table.name for table in TABLES}


@pytest.fixture
def client() -> Iterator[DynamoDBClient]:
    dynamodb.install()
    with mock_aws():
        session = botocore.session.Session()
        session.set_credentials("test", "test")
        made = cast("DynamoDBClient", session.create_client("dynamodb", region_name="us-west-2"))
        dynamodb.create_tables(made, TABLES, NAMES)
        yield made


def put(client: DynamoDBClient, sort: str, **values: str) -> None:
    item = {"cluster_tag": "t", "record": sort} | values
    client.put_item(TableName=CLUSTERS.name, Item={name: {"S": value} for name, value in item.items()})


def update(sort: str, expression: str, condition: str = "") -> TransactWriteItemTypeDef:
    write: TransactWriteItemTypeDef = {
        "Update": {
            "TableName": CLUSTERS.name,
            "Key": {"cluster_tag": {"S": "t"}, "record": {"S": sort}},
            "UpdateExpression": expression,
            "ExpressionAttributeValues": {":v": {"S": "new"}},
        }
    }
    if condition:
        write["Update"]["ConditionExpression"] = condition
        write["Update"]["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return write


def records(client: DynamoDBClient) -> dict[str, dict[str, str]]:
    items = client.scan(TableName=CLUSTERS.name)["Items"]
    return {item["record"]["S"]: {name: value["S"] for name, value in item.items()} for item in items}


def test_another_version_of_moto_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "PINNED", "5.2.4")
    spec = find_spec(dynamodb.__name__)
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(RuntimeError, match=r"5\.2\.4"):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_table_is_made_as_declared(client: DynamoDBClient, table: Table) -> None:
    made = client.describe_table(TableName=table.name)["Table"]
    assert made["KeySchema"][0]["AttributeName"] == table.partition.name
    found = made.get("GlobalSecondaryIndexes", [])
    indexes = {index["IndexName"]: index["Projection"]["ProjectionType"] for index in found}
    assert indexes == {index.name: "KEYS_ONLY" if index.keys_only else "ALL" for index in table.indexes}
    ttl = client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]
    assert ttl.get("AttributeName") == table.ttl_attribute
    assert ("StreamSpecification" in made) == table.stream
    backups = client.describe_continuous_backups(TableName=table.name)["ContinuousBackupsDescription"]
    recovery = backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"]
    assert (recovery == "ENABLED") == table.point_in_time_recovery


def test_a_request_waits_until_the_one_before_it_is_done(
    client: DynamoDBClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream, waiting = dynamodb._call_action, list[Future[object]]()

    def meet_another(handler: DynamoHandler) -> object:
        if not waiting:
            waiting.append(pool.submit(client.list_tables))
            # It cannot end while we hold the lock, however long we look; without one it ends within milliseconds.
            with pytest.raises(TimeoutError):
                waiting[0].result(timeout=0.3)
        return upstream(handler)

    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(dynamodb, "_call_action", meet_another)
        client.list_tables()
        assert waiting[0].result()


def test_a_conditional_write_has_one_winner_among_threads(client: DynamoDBClient) -> None:
    gate, rounds = Barrier(16), 10

    def win(number: int) -> int:
        won = 0
        for turn in range(rounds):
            gate.wait()
            try:
                client.put_item(
                    TableName=IDEMPOTENCY.name,
                    Item={"caller_route_key": {"S": str(turn)}, "by": {"N": str(number)}},
                    ConditionExpression="attribute_not_exists(caller_route_key)",
                )
                won += 1
            except client.exceptions.ConditionalCheckFailedException:
                continue
        return won

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(win, range(16))) == rounds


def test_a_refused_transaction_says_what_stood_there(client: DynamoDBClient) -> None:
    put(client, "a", owner="op-1")
    writes = [update("b", "SET x = :v"), update("a", "SET x = :v", "attribute_not_exists(#o)")]
    writes[1]["Update"]["ExpressionAttributeNames"] = {"#o": "owner"}
    with pytest.raises(client.exceptions.TransactionCanceledException) as refused:
        client.transact_write_items(TransactItems=writes)
    first, second = refused.value.response["CancellationReasons"]
    assert first["Code"] == "None"
    assert second["Code"] == "ConditionalCheckFailed"
    assert second["Item"] == {"cluster_tag": {"S": "t"}, "record": {"S": "a"}, "owner": {"S": "op-1"}}


def test_a_refused_transaction_changes_nothing_whatever_its_order(client: DynamoDBClient) -> None:
    for sort in ("a", "b"):
        put(client, sort, x="old")
    before, refused = records(client), "attribute_not_exists(cluster_tag)"
    delete: TransactWriteItemTypeDef = {
        "Delete": {"TableName": CLUSTERS.name, "Key": {"cluster_tag": {"S": "t"}, "record": {"S": "b"}}}
    }
    for writes in (
        [update("a", "SET x = :v"), delete, update("new", "SET x = :v"), update("c", "SET x = :v", "x = :v")],
        [update("a", "SET x = :v", refused), delete, update("new", "SET x = :v")],
    ):
        with pytest.raises(ClientError):
            client.transact_write_items(TransactItems=writes)
        assert records(client) == before
    client.transact_write_items(TransactItems=[update("a", "SET x = :v"), delete])
    assert records(client) == {"a": {"cluster_tag": "t", "record": "a", "x": "new"}}


def test_a_table_without_sort_key_rolls_back_too(client: DynamoDBClient) -> None:
    client.put_item(TableName=IDEMPOTENCY.name, Item={"caller_route_key": {"S": "k"}, "hash": {"S": "old"}})
    row: TransactWriteItemTypeDef = {
        "Put": {"TableName": IDEMPOTENCY.name, "Item": {"caller_route_key": {"S": "k"}, "hash": {"S": "new"}}}
    }
    with pytest.raises(ClientError):
        client.transact_write_items(TransactItems=[row, update("a", "SET x = :v", "x = :v")])
    [item] = client.scan(TableName=IDEMPOTENCY.name)["Items"]
    assert item["hash"] == {"S": "old"}


def test_the_stream_tells_of_carried_out_transactions_only(client: DynamoDBClient) -> None:
    def write(number: int, condition: str) -> TransactWriteItemTypeDef:
        item = {"operation_id": {"S": str(number)}, "record": {"S": "operation"}}
        return {"Put": {"TableName": OPERATIONS.name, "Item": item, "ConditionExpression": condition}}

    absent = "attribute_not_exists(operation_id)"
    client.transact_write_items(TransactItems=[write(1, absent), write(2, absent)])
    with pytest.raises(ClientError):
        client.transact_write_items(TransactItems=[write(3, absent), write(1, absent)])
    client.transact_write_items(TransactItems=[write(4, absent)])
    shard = dynamodb_backends["123456789012"]["us-west-2"].tables[OPERATIONS.name].stream_shard
    assert shard is not None
    told = shard.get(shard.starting_sequence_number, 10)
    assert [record["dynamodb"]["Keys"]["operation_id"]["S"] for record in told] == ["1", "2", "4"]


def test_an_emptied_set_is_no_attribute(client: DynamoDBClient) -> None:
    key = {"cluster_tag": {"S": "t"}, "record": {"S": "a"}}
    for verb in ("ADD", "DELETE", "DELETE"):
        client.update_item(
            TableName=CLUSTERS.name,
            Key=key,
            UpdateExpression=f"{verb} children :one",
            ExpressionAttributeValues={":one": {"SS": ["x"]}},
        )
    assert "children" not in client.get_item(TableName=CLUSTERS.name, Key=key)["Item"]


def test_a_full_page_has_a_last_key_even_when_nothing_follows(client: DynamoDBClient) -> None:
    for sort in ("a", "b", "c", "d"):
        put(client, sort, leased="yes", expires_at=sort)

    def page(**query: object) -> tuple[list[str], str | None]:
        answer = client.query(TableName=CLUSTERS.name, **query)  # type: ignore[arg-type]
        last = answer.get("LastEvaluatedKey")
        return [item["record"]["S"] for item in answer["Items"]], last["record"]["S"] if last else None

    of_table = {"KeyConditionExpression": "cluster_tag = :t", "ExpressionAttributeValues": {":t": {"S": "t"}}}
    of_index = {
        "IndexName": "by_lease_expiry",
        "KeyConditionExpression": "leased = :yes",
        "ExpressionAttributeValues": {":yes": {"S": "yes"}},
    }
    for query in (of_table, of_index):
        assert page(**query, Limit=4) == (["a", "b", "c", "d"], "d")
        assert page(**query, Limit=5) == (["a", "b", "c", "d"], None)
        assert page(**query, Limit=4, ScanIndexForward=False) == (["d", "c", "b", "a"], "a")
        start = {"cluster_tag": {"S": "t"}, "record": {"S": "d"}, "leased": {"S": "yes"}, "expires_at": {"S": "d"}}
        start = start if "IndexName" in query else {name: start[name] for name in ("cluster_tag", "record")}
        assert page(**query, ExclusiveStartKey=start) == ([], None)
    values = {":t": {"S": "t"}, ":b": {"S": "b"}}
    narrow = {**of_table, "ExpressionAttributeValues": values, "FilterExpression": "expires_at = :b"}
    assert page(**narrow, Limit=2) == (["b"], "b")
    assert page(**narrow, Limit=4) == (["b"], "d")
    assert page(**of_table, Limit=4, ProjectionExpression="#r", ExpressionAttributeNames={"#r": "record"})[1] == "d"
