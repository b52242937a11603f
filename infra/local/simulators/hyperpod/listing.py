"""Lists: cut by time, sorted and paged, the same in every operation of SageMaker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.local.simulators.paging import page

if TYPE_CHECKING:
    from infra.local.simulators.service import JsonObject


def listed(
    key: str, found: list[JsonObject], params: JsonObject, *, time: str, order: str, asked: str = "CreationTime"
) -> JsonObject:
    """Answer with a page of what was found; `asked` begins the members that cut by `time`."""
    after, before = params.get(f"{asked}After"), params.get(f"{asked}Before")
    cut = [each for each in found if (not after or each[time] > after) and (not before or each[time] < before)]
    cut.sort(key=lambda each: each[order])
    if params.get("SortOrder") == "Descending":
        cut.reverse()
    chosen, token = page(cut, token=params.get("NextToken"), size=params.get("MaxResults"))
    return {key: chosen, "NextToken": token}
