"""One look at a request: its zones settled, its groups placed and checked by the facts that could be gathered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import zones
from functions.capacity.preflight.rules import check, needed, placed
from functions.clusters import rules
from functions.clusters.models import CreateCluster, HyperPod
from functions.clusters.preflight.routes.gathering import Gathering
from functions.core import application, runtime
from functions.core.errors import Cause, InvalidRequest, Layer, Unavailable

if TYPE_CHECKING:
    from functions.core.findings import Finding


@dataclass(frozen=True)
class Seen:
    """What a look came to; `answered` is False when AWS gave no answer and the stages have to look again."""

    answered: bool
    findings: list[Finding] = field(default_factory=list)


def look(request: CreateCluster | HyperPod, region: str, name: str) -> Seen:
    """Settle zones and check capacity; `name` is what the HyperPod cluster is to be called.

    Zones are written by their names, and groups with a training plan get its zone. Raises InvalidRequest for impossible
    zones, and Unavailable when a zone has to be known and nobody says it.
    """
    gathering = Gathering(runtime.now())
    if not _settle_zones(request, region):
        gathering.give_up()
    hyperpod = request if isinstance(request, HyperPod) else request.hyperpod
    if hyperpod is None:
        return Seen(gathering.answered)
    path = "" if isinstance(request, HyperPod) else "hyperpod."
    vpc_id = None if isinstance(request, HyperPod) else request.foundation.vpc_id
    findings = _survey(hyperpod, path, name, vpc_id, gathering)
    return Seen(gathering.answered, findings)


def _survey(hyperpod: HyperPod, path: str, name: str, vpc_id: str | None, gathering: Gathering) -> list[Finding]:
    """Check the groups of a request and place those with a training plan in its zone.

    `path` is where the HyperPod cluster stands in the request, `vpc_id` the VPC that the request takes over.
    """
    listed = [(f"{path}instance_groups[{n}]", group) for n, group in enumerate(hyperpod.instance_groups)]
    if hyperpod.system_group:
        listed.append((f"{path}system_group", hyperpod.system_group.group))
    arns = list(dict.fromkeys(group.training_plan_arn for _, group in listed if group.training_plan_arn))
    plans = gathering.plans(arns)
    if plans is None and any(group.training_plan_arn and not group.availability_zone for _, group in listed):
        raise _plan_unknown()
    groups = placed(listed, hyperpod.availability_zone, plans or {})
    for each in groups:
        if each.group.training_plan_arn:
            each.group.availability_zone = each.zone
    facts = gathering.facts(needed(groups), plans, name)
    return check(groups, facts, new_vpc=bool(path) and vpc_id is None, vpc_id=vpc_id)


def _settle_zones(request: CreateCluster | HyperPod, region: str) -> bool:
    """Refuse impossible zones and write ids as names; False when EC2 gave no answer and the stages have to look."""
    if not rules.names_zones(request):
        return True
    try:
        known = zones.describe()
    except (BotoCoreError, ClientError) as error:
        if rules.names_zone_ids(request):
            raise _zones_unknown() from error
        application.warn("zones are unchecked: EC2 gave no answer", error)
        return False
    if errors := rules.check_zones(request, known, region):
        raise InvalidRequest(f"{errors[0].field}: {errors[0].message}", errors=errors)
    rules.use_zone_names(request, known)
    return True


def _zones_unknown() -> Unavailable:
    return Unavailable(
        "EC2 does not say at present which zone an id stands for; nothing was begun.",
        cause=Cause(layer=Layer.AWS, service="ec2", api_call="DescribeAvailabilityZones"),
        remedy="Name the zones by their names, or send the request again in a moment.",
    )


def _plan_unknown() -> Unavailable:
    return Unavailable(
        "SageMaker does not say at present in which zone the training plan reserves its instances; nothing was begun.",
        cause=Cause(layer=Layer.AWS, service="sagemaker", api_call="DescribeTrainingPlan"),
        remedy="Name the zone as availability_zone of the group, or send the request again in a moment.",
    )
