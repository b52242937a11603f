"""What the control plane itself made on a cluster that others made: one record a phase, with the stages that made it.

The conditions of an imported cluster say what was found and not whose it is, and each look at it writes them anew; so
the operation that makes or takes away something says so here, in the transaction that ends it. A created cluster has
no such records: all of it was made here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pydantic import BaseModel, ConfigDict

from functions.core.ledger.items import item_of, model_of, text_of
from functions.core.ledger.tables import CLUSTERS
from functions.core.ledger.writes import forget, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from functions.core.ledger.items import Item
    from functions.core.ledger.models import JsonObject, Operation

_PREFIX: Final = "made#"
# Kinds of stage whose making stands though they did not succeed: a HyperPod cluster that lacks instances is there, and
# what was asked of it is on no other record. Whoever goes by that looks at its tags, for others' may have its name.
LASTING: Final = frozenset({"hyperpod_cluster"})
# Says in a stage's result that what it found belongs to somebody else, and is used as it is.
_OWNER: Final = "owner"
_EXTERNAL: Final = "external"


@dataclass(frozen=True)
class Making:
    """What an operation did in a phase: stages that made something, stages that found somebody else's, or the end.

    `unmade` are the names or kinds of stages whose things it took away again; `removed` says that it took all.
    """

    made: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    unmade: tuple[str, ...] = ()
    removed: bool = False

    def without(self, stages: tuple[str, ...]) -> Making:
        """Add what was taken away: what stages of these names or kinds have made, all of the phase without any."""
        return replace(self, unmade=(*self.unmade, *stages), removed=self.removed or not stages)

    def leaves(self, stage: str) -> bool:
        """Say whether what a stage has made stands as ours when the operation has ended."""
        return not (self.removed or {stage, stage.partition(":")[0]} & {*self.unmade} or stage in self.adopted)


class Made(BaseModel):
    """The stages of a phase whose making stands, in the order of their first success, and the last such operation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stages: list[str]
    operation_id: str


def adopted() -> JsonObject:
    """Give what the result of a stage says of something that belongs to somebody else."""
    return {_OWNER: _EXTERNAL}


def is_adopted(result: JsonObject) -> bool:
    """Say whether the result of a stage is about something that belongs to somebody else."""
    return result.get(_OWNER) == _EXTERNAL


def made_in(records: Mapping[str, Item]) -> dict[str, list[str]]:
    """Find, among a cluster's records by name, the stages that made something here, by phase."""
    return {
        name.removeprefix(_PREFIX): model_of(Made, item).stages
        for name, item in records.items()
        if name.startswith(_PREFIX)
    }


def is_imported(records: Mapping[str, Item]) -> bool:
    """Say whether records, by name, are those of a cluster that others made."""
    return text_of(records.get("spec", {}), "origin") == "imported"


def writes(
    operation: Operation, makings: Mapping[str, Making], records: Mapping[str, Item]
) -> Iterator[TransactWriteItemTypeDef]:
    """Phrase what an operation changes of the records of an imported cluster, given all of them by name."""
    known = made_in(records)
    for phase, making in makings.items() if is_imported(records) else ():
        key = {"cluster_tag": operation.cluster_tag, "record": f"{_PREFIX}{phase}"}
        before = known.get(phase, [])
        stages = _merged(before, making)
        if stages and stages != before:
            yield put(CLUSTERS, item_of({"stages": stages, "operation_id": operation.operation_id, **key}))
        elif before and not stages:
            yield forget(CLUSTERS, key)


def _merged(before: Iterable[str], making: Making) -> list[str]:
    return [name for name in dict.fromkeys((*before, *making.made)) if making.leaves(name)]
