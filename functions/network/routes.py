"""The network routes: the compute subnets of a cluster.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path

from functions.aws import network
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.network.models import ComputeSubnetPage
from functions.network.subnets.rules.identity import CLUSTER_TAG
from functions.network.subnets.rules.listing import compute_subnets

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]


def list_subnets(tag: Tag, limit: PageLimit = None, next_token: PageToken = None) -> ComputeSubnetPage:
    """List the subnets in which a cluster's nodes stand or may stand, with their free addresses."""
    caller, query, size = application.caller().id, {"list": "subnets", "cluster": tag}, page_limit(limit)
    after = unseal(next_token, query, caller) if next_token else ""
    spec = spec_of(tag)
    given = {group.subnet_id for group in spec.instance_groups if group.subnet_id}
    found = [*network.subnets_tagged({CLUSTER_TAG: tag}), *network.subnets_named(sorted(given))]
    listed = [each for each in compute_subnets(spec, found) if each.subnet_id > after]
    more = len(listed) > size
    return ComputeSubnetPage(
        subnets=listed[:size], next_token=seal(listed[size - 1].subnet_id, query, caller) if more else None
    )
