"""What an import changes with its owner's consent: the authentication mode, and tags of subnets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.aws import eks_survey, network
from functions.clusters.importing.rules.findings import missing_roles
from functions.clusters.importing.stages import reading
from functions.core.errors import Cause, Layer, PreconditionFailed
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext, Waiting

if TYPE_CHECKING:
    from functions.clusters.importing.models.found import FoundEks, FoundNetwork

_POLL_SECONDS: Final = 15
_WANTED: Final = "API_AND_CONFIG_MAP"


class AuthenticationMode:
    """The move from CONFIG_MAP to API_AND_CONFIG_MAP, from which there is no way back."""

    def apply(self, context: StageContext) -> Applied:
        """Begin the move where the cluster still has CONFIG_MAP."""
        found = _standing(context)
        if found.authentication_mode != "CONFIG_MAP":
            return Applied(f"{found.name} has {found.authentication_mode} already", (found.arn,))
        if found.status == "UPDATING":
            return Applied(f"{found.name} is being changed", (found.arn,))
        token = f"{context.operation.operation_id}-{context.stage.number}-{context.stage.attempt}"
        eks_survey.move_authentication_mode(found.name, _WANTED, token)
        return Applied(f"moving {found.name} to {_WANTED}", (found.arn,))

    def observe(self, context: StageContext) -> Observation:
        """Done when the cluster knows access entries and is ACTIVE again."""
        found = _standing(context)
        if found.status == "UPDATING":
            return Waiting(_POLL_SECONDS, f"{found.name} is UPDATING")
        if found.authentication_mode == "CONFIG_MAP":
            return Reapply(f"{found.name} still has CONFIG_MAP")
        return Done({"authentication_mode": found.authentication_mode}, f"{found.name} has {found.authentication_mode}")


class SubnetTags:
    """The tags by which load balancers find the subnets of the control plane.

    Source: AWS Load Balancer Controller documentation, "Subnet auto-discovery".
    """

    def apply(self, context: StageContext) -> Applied:
        """Tag the subnets that lack their tag; none that is there is taken away."""
        found = _network(context)
        lacking = missing_roles(found)
        for tag, subnets in lacking.items():
            for subnet_id in subnets:
                network.tag(subnet_id, {tag: "1"})
        tagged = [subnet_id for subnets in lacking.values() for subnet_id in subnets]
        return Applied(f"tagged {', '.join(tagged)}" if tagged else "every subnet has its tag", _judged(found))

    def observe(self, context: StageContext) -> Observation:
        """Done when every subnet of the control plane has its tag."""
        found = _network(context)
        if lacking := missing_roles(found):
            return Reapply(f"tags are missing: {', '.join(lacking)}")
        subnets = _judged(found)
        return Done({"subnets": [*subnets]}, context.stage.message or "every subnet has its tag", subnets)


def _network(context: StageContext) -> FoundNetwork:
    return reading.network_of(_standing(context), context.cluster.region)


def _judged(found: FoundNetwork) -> tuple[str, ...]:
    return tuple(each.subnet_id for each in found.subnets if each.of_control_plane)


def _standing(context: StageContext) -> FoundEks:
    name = context.cluster.names.eks_cluster
    found = eks_survey.describe(name)
    if found is None or found.status not in ("ACTIVE", "UPDATING"):
        raise PreconditionFailed(
            f"The EKS cluster {name} is {found.status if found else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Let the EKS cluster become ACTIVE, then retry the operation.",
        )
    return found


MODE_STAGES: Behaviours = {"authentication_mode": AuthenticationMode()}
TAG_STAGES: Behaviours = {"subnet_tags": SubnetTags()}
