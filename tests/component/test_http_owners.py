"""Who is in no owner group of a cluster changes nothing of it, and has nothing of it looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from functions.core.declaration import Scope
from functions.entry.domains import DECLARATIONS
from tests.component.test_http_support import HYPERPOD, Edge, account, edge, free_leases, set_condition

if TYPE_CHECKING:
    from functions.core.declaration import Route

__all__ = ["account", "edge"]

BODIES: Final[dict[str, object]] = {
    "create_hyperpod": HYPERPOD,
    "update_cluster": {"company_tags": {"a": "b"}},
    "create_namespace": {"name": "team-a"},
    "redetect_cluster": {"bucket": "sagemaker-theirs"},
}
# Of administrators every cluster is one's own.
CHANGING: Final = [
    route
    for declaration in DECLARATIONS
    for route in declaration.routes
    if "{tag}" in route.path and route.method != "GET" and route.scope is not Scope.ADMIN
]
# What the ledger is read by.
_READS: Final = {"GetItem", "Query"}


@pytest.mark.parametrize("route", CHANGING, ids=[route.operation_id for route in CHANGING])
@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_a_caller_of_other_groups_is_turned_away_before_anything_of_the_cluster_is_looked_at(
    edge: Edge, route: Route, dry_run: str
) -> None:
    edge.send("POST", "/api/clusters", {"tag": "t1", "owner_groups": ["ml"]})
    free_leases("t1")
    for condition in ("FoundationReady", "DependenciesReady"):
        set_condition("t1", condition)
    path, body = route.path.replace("{tag}", "t1"), BODIES.get(route.operation_id)
    with edge.account.counted() as calls:
        refused = edge.send(
            route.method, path, body, query=f"dry_run={dry_run}", scopes=("read", "operate"), groups=["sales"]
        )
    assert (refused.status, refused.body["code"]) == (403, "forbidden"), refused.body
    assert "belongs to ml" in refused.body["detail"]
    assert {*calls} <= _READS
