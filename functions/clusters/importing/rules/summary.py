"""What an operation says in the end of the cluster that it looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from functions.clusters.importing.models.found import Detected, FoundHyperPod
    from functions.clusters.models import Condition
    from functions.core.ledger.models import JsonObject


def summary_of(found: Detected, conditions: Iterable[Condition]) -> JsonObject:
    """Give the summary: the cluster, its conditions, what is worth a warning and what has changed."""
    eks = found.eks
    summary: JsonObject = {
        "eks_cluster": {"name": eks.name, "arn": eks.arn, "version": eks.version, "status": eks.status},
        "conditions": {each.type: each.status for each in conditions},
        "findings": [each.model_dump(mode="json", exclude_none=True) for each in found.findings],
        "unknown": [each.model_dump(mode="json", exclude_none=True) for each in found.unknown],
        "changes": [*found.changes],
    }
    return summary | (_hyperpod(found.hyperpod) if found.hyperpod else {})


def _hyperpod(found: FoundHyperPod) -> JsonObject:
    return {
        "hyperpod_cluster": {"name": found.name, "arn": found.arn, "status": found.status},
        "nodes": [
            {
                "instance_group": group.name,
                "instance_type": ", ".join(group.instance_types),
                "capacity_type": group.capacity_type,
                "count": group.current,
                "target": group.target,
            }
            for group in found.groups
        ],
    }
