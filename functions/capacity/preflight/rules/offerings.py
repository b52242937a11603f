"""Whether a zone offers an instance type.

The offering is EC2's, not SageMaker's: a type that EC2 does not list in the region at all may still be there for
HyperPod, so only one that EC2 lists elsewhere in the region is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import InvalidRequest
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from functions.capacity.preflight.models import Facts, Placed

OFFERING: Final = "instance_type_offering"


def check(placed: Sequence[Placed], facts: Facts) -> Iterator[Finding]:
    """Find groups whose zone does not offer their type; a plan's capacity is its own proof."""
    if facts.offerings is None:
        return
    for each in placed:
        if each.zone and not each.group.training_plan_arn:
            yield from _check(each, facts.offerings)


def zones_of(instance_type: str, offerings: Mapping[str, frozenset[str]]) -> list[str]:
    """Name the zones that offer an instance type of HyperPod."""
    return sorted(offerings.get(instance_type.removeprefix("ml."), ()))


def _check(each: Placed, offerings: Mapping[str, frozenset[str]]) -> Iterator[Finding]:
    zones = {kind: zones_of(kind, offerings) for kind in each.group.types}
    unlisted = [kind for kind, offered in zones.items() if not offered]
    elsewhere = {kind: offered for kind, offered in zones.items() if offered and each.zone not in offered}
    # Of several types one that the zone offers is enough.
    level = Level.ERROR if len(elsewhere) == len(zones) else Level.WARNING
    for kind, offered in elsewhere.items():
        yield Finding(
            check=OFFERING,
            level=level,
            code=InvalidRequest.code if level is Level.ERROR else None,
            field=each.at("availability_zone"),
            message=f"{each.zone} does not offer {kind}; {', '.join(offered)} do"
            if len(offered) > 1
            else f"{each.zone} does not offer {kind}; {offered[0]} does",
            allowed=offered,
            resource=kind,
            remedy=f"Place the group {each.group.name} in one of {', '.join(offered)}, or choose another type.",
        )
    for kind in unlisted:
        yield Finding(
            check=OFFERING,
            level=Level.WARNING,
            field=each.at("instance_type"),
            message=f"EC2 lists {kind} in no zone of the region; whether HyperPod has it shows when it is created",
            resource=kind,
        )
