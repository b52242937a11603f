"""Adds to a table of the ledger what a restored copy of it has: `python -m infra.restore clusters <name of the copy>`.

DynamoDB restores a table's past into a new table, and the deployment's own keeps its name, its stream and its place in
the stack. What stands is newer than the copy and is never written over: delete an item first to have its past.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import botocore.session
from botocore.exceptions import ClientError

from functions.core.failures import code_of
from functions.core.ledger.tables import TABLES
from infra.topology import PREFIX

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

    from functions.core.ledger.tables import Table

DURABLE = {table.name: table for table in TABLES if table.point_in_time_recovery}


def main() -> int:
    """Read the command line, and give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m infra.restore", description=__doc__)
    parser.add_argument("table", choices=sorted(DURABLE))
    parser.add_argument("copy", help="the table that DynamoDB restored")
    wanted = parser.parse_args()
    dynamodb: DynamoDBClient = botocore.session.get_session().create_client("dynamodb")  # type: ignore[assignment]
    added, left = restore(dynamodb, DURABLE[wanted.table], wanted.copy)
    sys.stdout.write(f"{added} items added to {PREFIX}{wanted.table}; {left} stood there already and were left.\n")
    return 0


def restore(dynamodb: DynamoDBClient, table: Table, copy: str) -> tuple[int, int]:
    """Add what is missing; give how many were, and how many stood already. Raises the client's own errors."""
    added = left = 0
    for page in dynamodb.get_paginator("scan").paginate(TableName=copy, ConsistentRead=True):
        for item in page["Items"]:
            try:
                dynamodb.put_item(
                    TableName=f"{PREFIX}{table.name}",
                    Item=item,
                    ConditionExpression="attribute_not_exists(#key)",
                    ExpressionAttributeNames={"#key": table.partition.name},
                )
                added += 1
            except ClientError as error:
                if code_of(error) != "ConditionalCheckFailedException":
                    raise
                left += 1
    return added, left


if __name__ == "__main__":
    sys.exit(main())
