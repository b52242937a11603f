"""The network stages: what a cluster takes over, and the compute subnet that every capacity path goes through."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.network.reuse.stages import Reuse
from functions.network.subnets.stages import given, own
from functions.network.subnets.stages.facts import need_of

if TYPE_CHECKING:
    from functions.core.stage import Applied, Behaviours, Observation, StageContext


class ComputeSubnet:
    """The subnet that some groups need: given by the caller, dedicated to one group, or shared in a zone."""

    def apply(self, context: StageContext) -> Applied:
        """Judge a given subnet; make or repair one of ours."""
        need = need_of(context)
        return given.apply(context, need) if need.kind == "given" else own.apply(context, need)

    def observe(self, context: StageContext) -> Observation:
        """Done when every property is right."""
        need = need_of(context)
        return given.observe(context, need) if need.kind == "given" else own.observe(context, need)


STAGES: Behaviours = {"reuse": Reuse(), "compute_subnet": ComputeSubnet()}
