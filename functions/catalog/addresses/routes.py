"""The route that suggests a range for a new VPC.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.aws import network, peering
from functions.catalog.addresses.models import CidrSuggestion
from functions.catalog.addresses.rules import check_prefix, excluded_ranges, suggestion_of
from functions.catalog.answers.routes import Asking
from functions.core.runtime import Patience
from functions.network.rules import VPC_PREFIX, VPC_PREFIXES, plan_network

Prefix = Annotated[int, Query(description=f"Size of the VPC: {VPC_PREFIXES[0]} to {VPC_PREFIXES[-1]}.")]
Excluded = Annotated[
    str | None, Query(max_length=1024, description="Ranges to keep clear of, parted by commas: those of your own.")
]
For = Annotated[
    str | None, Query(max_length=64, description="The tag of a cluster to be created: what it would get by itself.")
]


def get_cidr_suggestion(
    prefix: Prefix = VPC_PREFIX, exclude: Excluded = None, cluster_tag: For = None
) -> CidrSuggestion:
    """Suggest a range that overlaps no VPC of the region, no peer of one and no range of services."""
    check_prefix(prefix)
    asking, excluded = Asking(), excluded_ranges(exclude)
    own = asking.ask("ranges_in_use.vpcs", network.address_ranges_in_use)
    peers = asking.ask("ranges_in_use.peered_vpcs", lambda: peering.peered_address_ranges(Patience.EDGE))
    plan = None if own is None else plan_network(cluster_tag or "", [*own, *(peers or []), *excluded], prefix)
    return CidrSuggestion(
        source="run_time",
        unknown=asking.unknown,
        prefix=prefix,
        free=None if own is None else plan is not None,
        suggestion=suggestion_of(plan) if plan else None,
        ranges_in_use=None if own is None else [*map(str, sorted({*own, *(peers or [])}))],
    )
