"""moto's DynamoDB, made to behave as ours must; and our tables in it, made from their declarations.

Six adaptations, each with its reason; each goes once moto does it itself.
- moto checks conditions and writes without a lock, so two threads can both win a conditional write (measured).
- DynamoDB gives `LastEvaluatedKey` whenever it stopped because of `Limit`; moto forgets it when nothing follows.
- For its rollback moto copies whole tables with their streams at each transaction, which gets slower with every write
  ever made; here the copy shares all items but those that the transaction touches.
- moto looks for every member of every attribute value under some ten spellings, which takes four fifths of the time of
  a whole operation; what it holds of items is in DynamoDB's own JSON already.
- moto copies and measures items at great length (`dynamodb_items.py`); answers are written while the lock is held, so
  items that a query found need no copies of their values.
- moto keeps the changes of rolled back transactions, and all others for ever (`dynamodb_streams.py`).
"""

from __future__ import annotations

import copy
import json
from threading import RLock
from typing import TYPE_CHECKING, Final, Protocol, Required, TypedDict, cast

from moto.dynamodb import models
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models import table as table_models
from moto.dynamodb.models.dynamo_type import DynamoType, Item
from moto.dynamodb.models.table import Table as MotoTable
from moto.dynamodb.responses import DynamoHandler, DynamoResult

from functions.core.ledger.tables import Index, Key, Table
from infra.local.engine import dynamodb_items, dynamodb_streams
from infra.local.engine.version import require_pinned_moto

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from moto.core.common_types import TYPE_RESPONSE
    from moto.core.responses import ActionContext
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import (
        AttributeDefinitionTypeDef,
        CreateTableInputTypeDef,
        GlobalSecondaryIndexTypeDef,
        KeySchemaElementTypeDef,
    )

    Answer = tuple[list[Item], int, dict[str, object] | None]

require_pinned_moto()

# The operations whose results hold nothing but DynamoDB JSON.
_DATA_OPERATIONS: Final = frozenset(
    {"BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "TransactWriteItems", "UpdateItem"}
)
_LOCK: Final = RLock()
_execute_result = DynamoResult.execute_result
_call_action = DynamoHandler.call_action
_query = MotoTable.query
_transact_write_items = DynamoDBBackend.transact_write_items


class _Write(TypedDict, total=False):
    TableName: Required[str]
    Key: dict[str, dict[str, object]]
    Item: dict[str, dict[str, object]]


class _Filter(Protocol):
    def expr(self, item: Item) -> bool: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    DynamoHandler.call_action = _one_at_a_time  # type: ignore[method-assign]
    DynamoResult.execute_result = _as_it_is  # type: ignore[method-assign,assignment]
    MotoTable.query = _with_last_key  # type: ignore[method-assign]
    DynamoDBBackend.transact_write_items = _with_cheap_rollback  # type: ignore[method-assign]
    models.copy = _SharingCopies  # type: ignore[attr-defined,assignment]
    table_models.copy = _LightCopies  # type: ignore[attr-defined,assignment]
    dynamodb_items.install()


def create_tables(client: DynamoDBClient, tables: Iterable[Table], environment: Mapping[str, str]) -> None:
    """Create declared tables under the names that a function's environment gives them."""
    for table in tables:
        name = environment[table.variable]
        client.create_table(**definition(table, name))
        if table.ttl_attribute:
            client.update_time_to_live(
                TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": table.ttl_attribute}
            )
        if table.point_in_time_recovery:
            client.update_continuous_backups(
                TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
            )


def definition(table: Table, name: str) -> CreateTableInputTypeDef:
    """Phrase the CreateTable request of a declared table."""
    request: CreateTableInputTypeDef = {
        "TableName": name,
        "BillingMode": table.billing,
        "AttributeDefinitions": _attributes(table),
        "KeySchema": _schema(table.partition, table.sort),
    }
    if table.indexes:
        request["GlobalSecondaryIndexes"] = [_index(index) for index in table.indexes]
    if table.stream:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    return request


def _one_at_a_time(self: DynamoHandler) -> TYPE_RESPONSE:
    with _LOCK:
        answer = cast("TYPE_RESPONSE", _call_action(self))
        dynamodb_streams.hand_on()
        return answer


def _as_it_is(self: DynamoResult, context: ActionContext) -> TYPE_RESPONSE:
    result = self.result
    if context.operation_model.name not in _DATA_OPERATIONS or not isinstance(result, dict):
        return _execute_result(self, context)
    present = {name: value for name, value in result.items() if value is not None}
    return 200, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(present)


def _with_last_key(
    self: MotoTable,
    hash_key: DynamoType | None,
    range_comparison: str | None,
    range_objs: list[DynamoType],
    limit: int,
    exclusive_start_key: dict[str, object],
    scan_index_forward: bool,
    projection_expressions: list[list[str]] | None,
    index_name: str | None = None,
    consistent_read: bool = False,
    filter_expression: _Filter | None = None,
    hash_key_conditions: list[tuple[str, DynamoType]] | None = None,
    range_key_conditions: list[tuple[str, str, list[DynamoType]]] | None = None,
    **legacy_filter: object,
) -> Answer:
    # Filter and projection come last in moto too; applying them here shows which item was evaluated last.
    items, scanned, last = _query(
        self,
        hash_key,
        range_comparison,
        range_objs,
        limit,
        exclusive_start_key,
        scan_index_forward,
        None,
        index_name,
        consistent_read,
        hash_key_conditions=hash_key_conditions,
        range_key_conditions=range_key_conditions,
        **legacy_filter,
    )
    if last is None and limit and len(items) == limit:
        last = self._get_last_evaluated_key(items[-1], index_name)
    return _narrowed(items, filter_expression, projection_expressions), scanned, last


def _narrowed(items: list[Item], wanted: _Filter | None, projection: list[list[str]] | None) -> list[Item]:
    kept = [item for item in items if wanted is None or wanted.expr(item)]
    return [item.project(projection) for item in kept] if projection else kept


class _SharingCopies:
    """Stands for the module `copy` in moto's models, where a table is copied for one purpose: a rollback."""

    @staticmethod
    def deepcopy(thing: MotoTable | Item | None) -> MotoTable | Item | None:
        return _sharing_copy(thing) if isinstance(thing, MotoTable) else copy.deepcopy(thing)


class _LightCopies:
    """Stands for the module `copy` where items found by a query are copied before attributes are taken away."""

    copy = staticmethod(copy.copy)

    @staticmethod
    def deepcopy(thing: object) -> object:
        if isinstance(thing, list) and all(isinstance(each, Item) for each in thing):
            return [dynamodb_items.light_copy(each) for each in thing]
        return copy.deepcopy(thing)


def _sharing_copy(table: MotoTable) -> MotoTable:
    shared = copy.copy(table)
    shared.items = table.items.copy()
    if table.has_range_key:
        shared.items.update({key: dict(items) for key, items in table.items.items()})
    if table.stream_shard is not None:
        shared.stream_shard = copy.copy(table.stream_shard)
        shared.stream_shard.table = shared
        shared.stream_shard.items = list(table.stream_shard.items)
    return shared


def _with_cheap_rollback(self: DynamoDBBackend, transact_items: list[dict[str, _Write]]) -> None:
    # Updates change an item in place, in the shared copy too: what they touch has to be kept apart.
    touched = [(write["TableName"], item) for each in transact_items for write, item in _touched(self, each)]
    kept = [(name, copy.deepcopy(item)) for name, item in touched]
    noted = dynamodb_streams.noted()
    try:
        _transact_write_items(self, transact_items)
    except Exception:
        for name, item in kept:
            _put_back(self.tables[name], item)
        dynamodb_streams.forget_after(noted)
        raise


def _touched(backend: DynamoDBBackend, transact_item: dict[str, _Write]) -> Iterable[tuple[_Write, Item]]:
    for write in transact_item.values():
        table = backend.tables.get(write["TableName"])
        key = write.get("Key") or write.get("Item") or {}
        if table is None or table.hash_key_attr not in key:
            continue
        sort = DynamoType(key[table.range_key_attr]) if table.range_key_attr in key else None
        item = table.get_item(DynamoType(key[table.hash_key_attr]), sort)
        if item is not None:
            yield write, item


def _put_back(table: MotoTable, item: Item) -> None:
    if table.has_range_key:
        table.items[item.hash_key][item.range_key] = item
    else:
        table.items[item.hash_key] = item  # type: ignore[assignment]


def _attributes(table: Table) -> Sequence[AttributeDefinitionTypeDef]:
    keys = {table.partition, *(key for index in table.indexes for key in (index.partition, index.sort))}
    if table.sort:
        keys.add(table.sort)
    ordered = sorted(keys, key=lambda key: key.name)
    return [{"AttributeName": key.name, "AttributeType": key.type} for key in ordered]


def _schema(partition: Key, sort: Key | None) -> Sequence[KeySchemaElementTypeDef]:
    schema: list[KeySchemaElementTypeDef] = [{"AttributeName": partition.name, "KeyType": "HASH"}]
    if sort:
        schema.append({"AttributeName": sort.name, "KeyType": "RANGE"})
    return schema


def _index(index: Index) -> GlobalSecondaryIndexTypeDef:
    return {
        "IndexName": index.name,
        "KeySchema": _schema(index.partition, index.sort),
        "Projection": {"ProjectionType": "KEYS_ONLY" if index.keys_only else "ALL"},
    }
