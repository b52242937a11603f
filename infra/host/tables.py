"""The ledger's tables; the durable ones outlive the stack, and nobody deletes them by mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from functions.core.ledger.tables import Index, Key, Table

_TYPES = {"S": dynamodb.AttributeType.STRING, "N": dynamodb.AttributeType.NUMBER}


class Tables(Construct):
    """All tables of the topology, by name; one whose past can be restored is durable."""

    by_name: Mapping[str, dynamodb.TableV2]

    def __init__(self, scope: Construct, construct_id: str, *, tables: Sequence[Table]) -> None:
        super().__init__(scope, construct_id)
        self.by_name = {table.name: self._add(table) for table in tables}

    def _add(self, table: Table) -> dynamodb.TableV2:
        durable = table.point_in_time_recovery
        return dynamodb.TableV2(
            self,
            table.name,
            table_name=f"{PREFIX}{table.name}",
            partition_key=_attribute(table.partition),
            sort_key=_attribute(table.sort) if table.sort else None,
            billing=dynamodb.Billing.on_demand(),
            # AWS's own key for DynamoDB: its use stands in CloudTrail, and a month of it costs cents.
            encryption=dynamodb.TableEncryptionV2.aws_managed_key(),
            global_secondary_indexes=[_index(index) for index in table.indexes],
            time_to_live_attribute=table.ttl_attribute,
            dynamo_stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES if table.stream else None,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=durable
            ),
            deletion_protection=durable,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if durable else RemovalPolicy.DESTROY,
        )


def _attribute(key: Key) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=key.name, type=_TYPES[key.type])


def _index(index: Index) -> dynamodb.GlobalSecondaryIndexPropsV2:
    kind = dynamodb.ProjectionType.KEYS_ONLY if index.keys_only else dynamodb.ProjectionType.ALL
    return dynamodb.GlobalSecondaryIndexPropsV2(
        index_name=index.name,
        partition_key=_attribute(index.partition),
        sort_key=_attribute(index.sort),
        projection_type=kind,
    )
