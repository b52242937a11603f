"""Which areas a caller wants to know of, and what each needs to be looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.errors import FieldError, InvalidRequest
from functions.diagnostics.models.answers import Area

if TYPE_CHECKING:
    from collections.abc import Collection


def named(text: str | None) -> frozenset[Area]:
    """Read areas parted by commas, all of them where none is named; raise InvalidRequest for one that there is not."""
    wanted = [each.strip() for each in (text or "").split(",") if each.strip()]
    known = [str(area) for area in Area]
    if wrong := [each for each in wanted if each not in known]:
        message = f"is no area: {', '.join(wrong)}"
        raise InvalidRequest(
            f"areas: {message}.",
            errors=[FieldError(field="areas", message=message, allowed=known)],
            remedy=f"Choose among {', '.join(known)}.",
        )
    return frozenset(map(Area, wanted)) or frozenset(Area)


def any_of(wanted: Collection[Area], *areas: Area) -> bool:
    """Say whether one of some areas is wanted."""
    return any(area in wanted for area in areas)
