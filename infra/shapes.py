"""What a deployment is made of besides triggers: the shapes of functions, state machines, roles and buckets."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from functions.core.ledger import tables as ledger
from functions.core.runtime import Patience

ROOT = Path(__file__).resolve().parent.parent
STATE_MACHINES = ROOT / "statemachines"


class Weight(StrEnum):
    """Which packages a function is deployed with; each class is a layer of its own, and has what the lean one has."""

    LEAN = "lean"
    AGENTS = "agents"
    KUBERNETES = "kubernetes"
    HELM = "helm"


@dataclass(frozen=True)
class Access:
    """What a function does with a table, or with one of its indexes: the operations of DynamoDB, by their names.

    A transaction is authorised as what it consists of (DynamoDB developer guide, "IAM for transactions").
    """

    table: ledger.Table
    operations: tuple[str, ...]
    index: ledger.Index | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        """Give the actions of IAM."""
        return tuple(f"dynamodb:{each}" for each in self.operations)


@dataclass(frozen=True)
class Function:
    """One Lambda function: its entry, its limits, and what its role may do beyond its stages' own actions.

    One that acts for operations does so in sessions of its own role, each named after the operation. One that `signs`
    hands out what callers carry back: page tokens and digests of previews. One with a `snapshot` starts from a
    picture of itself, taken once everything is imported. `weight` says which packages it finds: those of AWS, with them
    those of MCP or of Kubernetes, or with these the helm program.
    """

    name: str
    handler: str
    purpose: str
    timeout_seconds: int = 30
    memory_megabytes: int = 512
    actions: tuple[str, ...] = ()
    data: tuple[Access, ...] = ()
    patience: Patience = Patience.STAGE
    acts_for_operations: bool = False
    signs: bool = False
    snapshot: bool = False
    weight: Weight = Weight.LEAN

    @property
    def calls_clusters(self) -> bool:
        """Say whether it calls the endpoints of EKS clusters, which may let in some addresses only."""
        return self.weight in (Weight.KUBERNETES, Weight.HELM)


@dataclass(frozen=True)
class StateMachine:
    """One Standard state machine; its ASL file bears its name."""

    name: str
    actions: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Say where the ASL file is."""
        return STATE_MACHINES / f"{self.name}.asl.json"


@dataclass(frozen=True)
class Role:
    """A role that the host makes besides one per function and one per state machine.

    One that trusts itself says so by a condition on the caller's ARN: a trust policy cannot name a role that it makes.
    """

    name: str
    trusted_service: str | None
    purpose: str
    trusts_itself: bool = False


@dataclass(frozen=True)
class Bucket:
    """A bucket of the deployment, and the variable that tells a function its name; objects go after `keep_days`."""

    name: str
    variable: str
    purpose: str
    keep_days: int
