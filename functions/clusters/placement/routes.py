"""The edge's look at subnets: what is certain to fail is refused before anything begins; the stage looks again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import network
from functions.core import application
from functions.core.errors import InvalidRequest
from functions.core.phases import CONDITIONS
from functions.network.subnets.rules import requests
from functions.network.subnets.rules.identity import CLUSTER_TAG
from functions.network.subnets.rules.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.records import Cluster
    from functions.core.errors import FieldError
    from functions.network.subnets.models import Subnet

_PATH: Final = "instance_groups"


def check_with_foundation(request: CreateCluster, tag: str) -> None:
    """Refuse groups that cannot stand in a VPC that the request makes; raises InvalidRequest or Conflict."""
    if request.hyperpod is None:
        return
    path, groups = f"hyperpod.{_PATH}", request.hyperpod.groups
    _refuse([*requests.check_interfaces(groups, path), *requests.check_new_vpc(groups, path)])
    _check_room(request.hyperpod, [], tag, path, untouched=True)


def check_on_foundation(request: HyperPod, cluster: Cluster, *, look: bool) -> None:
    """Refuse groups that cannot stand in the VPC there is; raises InvalidRequest or Conflict.

    Unless `look`, or when EC2 gives no answer, what a lookup would tell is left to the stage.
    """
    groups = request.groups
    _refuse(requests.check_interfaces(groups, _PATH))
    if not look:
        return
    try:
        own = network.subnets_tagged({CLUSTER_TAG: cluster.spec.tag})
        given = network.subnets_named([group.subnet_id for group in groups if group.subnet_id])
    except (BotoCoreError, ClientError) as error:
        application.warn("subnets are unchecked: EC2 gave no answer", error)
        return
    around = cluster.spec.surroundings
    vpc_id = around.vpc_id if around else next((subnet.vpc_id for subnet in own), None)
    _refuse(requests.check_given(groups, given, vpc_id, _PATH))
    tried = any(condition.type == CONDITIONS["hyperpod"] for condition in cluster.conditions)
    _check_room(request, [*own, *given], cluster.spec.tag, _PATH, untouched=not tried)


def _check_room(request: HyperPod, found: Sequence[Subnet], tag: str, path: str, *, untouched: bool) -> None:
    groups = request.groups
    needs = needs_of(groups, request.availability_zone, request.subnet_prefix)
    if problem := requests.first_shortage(needs, groups, found, tag, path, untouched=untouched):
        raise problem


def _refuse(errors: Sequence[FieldError]) -> None:
    if errors:
        raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=list(errors))
