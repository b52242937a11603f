"""Brings a change of company tags onto the clusters that cost money: EKS's and HyperPod's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import tags
from functions.clusters.settings import rules
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import company_tags

if TYPE_CHECKING:
    from functions.aws.tags import Tagged


class CompanyTags:
    """The company tags of the EKS cluster and the HyperPod cluster, as far as there are any."""

    def apply(self, context: StageContext) -> Applied:
        """Write the tags that are missing or differ, and take away those that were dropped."""
        changed: list[str] = []
        for resource in _resources(context):
            missing, dropped = rules.difference(company_tags(context.cluster), _dropped(context), resource.tags)
            tags.change(resource, missing, dropped)
            changed += [resource.arn] if missing or dropped else []
        return Applied(f"tagged {len(changed)} resources", tuple(changed))

    def observe(self, context: StageContext) -> Observation:
        """Done when the tags are as wanted."""
        resources = _resources(context)
        wanted, dropped = company_tags(context.cluster), _dropped(context)
        if any(part for each in resources for part in rules.difference(wanted, dropped, each.tags)):
            return Reapply("the tags are not as wanted yet")
        return Done({}, f"the tags of {len(resources)} resources are as wanted")


def _resources(context: StageContext) -> list[Tagged]:
    names = context.cluster.names
    return [found for found in (tags.of_eks(names.eks_cluster), tags.of_hyperpod(names.hyperpod_cluster)) if found]


def _dropped(context: StageContext) -> list[str]:
    keys = context.operation.request.get("dropped_tags")
    return [str(key) for key in keys] if isinstance(keys, list) else []


STAGES: Behaviours = {rules.STAGE: CompanyTags()}
