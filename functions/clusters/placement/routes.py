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
    from collections.abc import Callable, Sequence

    from functions.capacity.models import InstanceGroup
    from functions.clusters.models import CreateCluster, HyperPod
    from functions.clusters.records import Cluster
    from functions.core.errors import FieldError
    from functions.network.subnets.models import Subnet

_PATH: Final = "instance_groups"


def check_with_foundation(request: CreateCluster, tag: str, *, look: bool) -> None:
    """Refuse groups that cannot stand in a VPC that the request makes or takes over.

    Raises InvalidRequest or Conflict. Without `look`, or an answer of EC2, given subnets are left to the stage.
    """
    if request.hyperpod is None:
        return
    path, groups = f"hyperpod.{_PATH}", request.hyperpod.groups
    _refuse(requests.check_interfaces(groups, path))
    given = _checked(groups, request.foundation.vpc_id, path, look=look)
    _check_room(request.hyperpod, given, tag, path, untouched=True)


def _checked(groups: Sequence[InstanceGroup], vpc_id: str | None, path: str, *, look: bool) -> list[Subnet]:
    """Refuse given subnets that are not in the VPC that is taken over, and any in a VPC that is yet to be made."""
    if vpc_id is None:
        _refuse(requests.check_new_vpc(groups, path))
        return []
    given = _given(groups) if look else None
    if given is None:
        return []
    _refuse(requests.check_given(groups, given, vpc_id, path))
    return given


def check_on_foundation(request: HyperPod, cluster: Cluster, *, look: bool) -> None:
    """Refuse groups that cannot stand in the VPC there is; raises InvalidRequest or Conflict.

    Unless `look`, or when EC2 gives no answer, what a lookup would tell is left to the stage.
    """
    groups = request.groups
    _refuse(requests.check_interfaces(groups, _PATH))
    if not look:
        return
    own, given = _own(cluster), _given(groups)
    if own is None or given is None:
        return
    around, reused = cluster.spec.surroundings, cluster.spec.reused
    named = around.vpc_id if around else reused.vpc_id if reused else None
    vpc_id = named or next((subnet.vpc_id for subnet in own), None)
    _refuse(requests.check_given(groups, given, vpc_id, _PATH))
    tried = any(condition.type == CONDITIONS["hyperpod"] for condition in cluster.conditions)
    _check_room(request, [*own, *given], cluster.spec.tag, _PATH, untouched=not tried)


def _own(cluster: Cluster) -> list[Subnet] | None:
    return _asked(lambda: network.subnets_tagged({CLUSTER_TAG: cluster.spec.tag}))


def _given(groups: Sequence[InstanceGroup]) -> list[Subnet] | None:
    return _asked(lambda: network.subnets_named([group.subnet_id for group in groups if group.subnet_id]))


def _asked(call: Callable[[], list[Subnet]]) -> list[Subnet] | None:
    """Ask for subnets; None when EC2 gives no answer."""
    try:
        return call()
    except (BotoCoreError, ClientError) as error:
        application.warn("subnets are unchecked: EC2 gave no answer", error)
        return None


def _check_room(request: HyperPod, found: Sequence[Subnet], tag: str, path: str, *, untouched: bool) -> None:
    groups = request.groups
    needs = needs_of(groups, request.availability_zone, request.subnet_prefix)
    if problem := requests.first_shortage(needs, groups, found, tag, path, untouched=untouched):
        raise problem


def _refuse(errors: Sequence[FieldError]) -> None:
    if errors:
        raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=list(errors))
