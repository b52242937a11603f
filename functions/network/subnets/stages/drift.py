"""Looking at the compute subnets that a cluster's groups need; those that a caller gave are judged and never ours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from functions.aws.foundations import foundation_of
from functions.core.detection import Part
from functions.core.tags import stack_tags
from functions.network.subnets.rules.drifts import KIND, drifts_of
from functions.network.subnets.rules.identity import identity_of
from functions.network.subnets.rules.needs import STAGE, needs_of
from functions.network.subnets.stages import given
from functions.network.subnets.stages.facts import vpc_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.core.drifts import Drift
    from functions.core.stage import StageContext
    from functions.network.subnets.rules.needs import Need


def parts(context: StageContext) -> Iterator[Part]:
    """List the subnets to look at, one for each need."""
    cluster = context.cluster
    for need in needs_of(cluster.instance_groups, cluster.availability_zone, cluster.subnet_prefix):
        yield Part(need.parameter, KIND, (f"{STAGE}:{need.parameter}",), partial(_look, context, need))


def _look(context: StageContext, need: Need) -> list[Drift]:
    if need.kind == "given":
        # What is wrong with it is told as not to be seen through: nothing of ours can put it right.
        given.check(context, need)
        return []
    identity = identity_of(need, need.zone or "", stack_tags(context.cluster))
    vpc = vpc_of(foundation_of(context.cluster).vpc_id, context.cluster.region)
    return drifts_of(identity, f"{STAGE}:{need.parameter}", vpc)
