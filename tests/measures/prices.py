"""What AWS takes for what an operation uses: list prices of us-west-2, in US dollars, as known in November 2025.

Sources: aws.amazon.com/step-functions/pricing (Standard workflows), aws.amazon.com/lambda/pricing (x86),
aws.amazon.com/dynamodb/pricing/on-demand (since 1 November 2024), aws.amazon.com/api-gateway/pricing (HTTP APIs).
Calls to the control planes of EKS, SageMaker, EC2, IAM, STS and CloudFormation cost nothing. Logs are left out.
"""

from __future__ import annotations

from typing import Final

from tests.measures.creation import Measured

TRANSITION: Final = 0.025 / 1_000
INVOCATION: Final = 0.20 / 1_000_000
GIGABYTE_SECOND: Final = 0.0000166667
WRITE_UNIT: Final = 0.625 / 1_000_000
READ_UNIT: Final = 0.125 / 1_000_000
REQUEST: Final = 1.00 / 1_000_000

# What a turn takes on Lambda: an assumption, as nothing here has run there. Half a second at 512 MB.
GIGABYTE_SECONDS_OF_A_TURN: Final = 0.5 * 0.5
# A transaction counts each item twice; ours write two or three.
UNITS_OF_A_TRANSACTION: Final = 6
# A consistent read takes a unit per 4 KB; an operation with all its stages is some 16 KB.
UNITS_OF_A_QUERY: Final = 4
_WRITES: Final = {"TransactWriteItems": UNITS_OF_A_TRANSACTION, "UpdateItem": 1, "PutItem": 1, "DeleteItem": 1}
_READS: Final = {"Query": UNITS_OF_A_QUERY, "GetItem": 1}


def cost_of(measured: Measured) -> dict[str, float]:
    """Give the cost of a creation by service, in US dollars."""
    writes = sum(units * measured.ledger[name] for name, units in _WRITES.items())
    reads = sum(units * measured.ledger[name] for name, units in _READS.items())
    turn = INVOCATION + GIGABYTE_SECONDS_OF_A_TURN * GIGABYTE_SECOND
    return {
        "Step Functions": measured.transitions * TRANSITION,
        "Lambda": measured.invocations * turn,
        "DynamoDB": writes * WRITE_UNIT + reads * READ_UNIT,
        "API Gateway": REQUEST,
    }
