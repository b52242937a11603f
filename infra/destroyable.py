"""Asks a deployment's ledger whether anything hangs on it: `python -m infra.destroyable`, before it is destroyed.

What the control plane made costs money and runs on without it, and nobody else knows how its parts let go of each
other. CloudFormation cannot ask: the stack's termination protection is what keeps it from being deleted unasked.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import botocore.session

from functions.core.ledger.tables import BY_TAG, CLUSTERS, LISTED_MARK, OPERATIONS, UNFINISHED
from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from types_boto3_dynamodb import DynamoDBClient

    from functions.core.ledger.tables import Index, Table

_CLEAN = "The ledger has no cluster and no unfinished operation: the deployment can be destroyed.\n"


def main() -> int:
    """Ask the account and region that the environment names, say what stands, and give the exit status."""
    dynamodb: DynamoDBClient = botocore.session.get_session().create_client("dynamodb")  # type: ignore[assignment]
    return report([*standing(dynamodb)])


def report(found: list[str]) -> int:
    """Say what stands in the way, and give the exit status."""
    if not found:
        sys.stdout.write(_CLEAN)
        return 0
    lines = "".join(f"  {each}\n" for each in found)
    sys.stderr.write(f"Not yet: destroying the deployment would leave behind, unmanaged and costing:\n{lines}")
    return 1


def standing(dynamodb: DynamoDBClient) -> Iterator[str]:
    """Say what has to go first, and how. Raises the client's own errors."""
    for tag in sorted(_keys(dynamodb, CLUSTERS, BY_TAG, LISTED_MARK, "spec")):
        made = "DELETE /api/clusters/{0} removes it; if it was imported, POST /api/clusters/{0}/forget lets go of it"
        yield f"cluster {tag}: {made.format(tag)}"
    for operation_id in sorted(_keys(dynamodb, OPERATIONS, UNFINISHED, "yes", "operation")):
        yield f"operation {operation_id}: wait for its end, or POST /api/operations/{operation_id}/cancel"


def _keys(dynamodb: DynamoDBClient, table: Table, index: Index, mark: str, record: str) -> Iterator[str]:
    """Name what an index lists, by the table's partition key, of the records of one name."""
    pages = dynamodb.get_paginator("query").paginate(
        TableName=f"{PREFIX}{table.name}",
        IndexName=index.name,
        KeyConditionExpression="#mark = :mark",
        ExpressionAttributeNames={"#mark": index.partition.name},
        ExpressionAttributeValues={":mark": {"S": mark}},
    )
    for page in pages:
        for item in page["Items"]:
            if item["record"].get("S") == record:
                yield item[table.partition.name]["S"]


if __name__ == "__main__":
    sys.exit(main())
