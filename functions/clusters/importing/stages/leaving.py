"""The end of an import: what we made for ourselves in the cluster is taken back where that is asked, else named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.aws import access_entries, eks, eks_survey
from functions.core import settings
from functions.core.cluster import AccessRole
from functions.core.documents import member
from functions.core.errors import PreconditionFailed, StageFailed, Unavailable
from functions.core.ledger import granted
from functions.core.partial import until_refused
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import CLUSTER_LABEL, stack_tags
from functions.identity.rules import ACCESS, OPERATOR_GROUP
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.kubernetes_api.connection import ClusterClient

_RIGHTS = (CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES)
_DELETION = "delete_cluster"


class RightsRemoval:
    """The operator's ClusterRole and its binding, where they are ours; a cluster out of reach keeps them."""

    def apply(self, context: StageContext) -> Applied:
        """Delete what carries the cluster's label."""
        try:
            client = _client(context)
            ours = [resource for resource in _RIGHTS if _is_ours(context, client, resource)]
            for resource in ours:
                objects.delete(client, resource, OPERATOR_GROUP)
        except (PreconditionFailed, StageFailed, Unavailable) as refused:
            note = f"the cluster keeps {OPERATOR_GROUP}: {refused.detail}"
            return Applied("the cluster cannot be reached", notes=(note,))
        named = tuple(f"{resource.plural}/{OPERATOR_GROUP}" for resource in ours)
        return Applied(f"removed {', '.join(named)}" if named else "nothing of ours is in the cluster", named)

    def observe(self, context: StageContext) -> Observation:
        """Done, whatever the cluster kept: the message says so."""
        return Done({}, context.stage.message or "nothing of ours is in the cluster")


class LeaveCluster:
    """Entries of our roles and of whom we let in: taken back where that is asked and they are ours; else named."""

    def apply(self, context: StageContext) -> Applied:
        """Delete the entries that carry our tags, where that is asked."""
        if not _takes_back(context):
            return Applied("AWS stays as it is")
        ours = [arn for arn, made in _entries(context).items() if made]
        name = context.cluster.names.eks_cluster
        gone = until_refused(ours, lambda principal: access_entries.delete(name, principal))
        said = f"removed the access entries of {', '.join(gone)}" if gone else "no access entry is ours"
        return Applied(said, tuple(f"access-entry/{principal}" for principal in gone))

    def observe(self, context: StageContext) -> Observation:
        """Done; what stays is named."""
        entries = _entries(context)
        if _takes_back(context) and any(entries.values()):
            return Reapply("access entries of ours are still there")
        kept: list[JsonValue] = [*entries]
        said = f"; access entries that stay: {', '.join(entries)}" if entries else ""
        return Done({"kept_access_entries": kept}, f"{context.stage.message or 'AWS stays as it is'}{said}")


def _takes_back(context: StageContext) -> bool:
    """Say whether what we made goes: a deletion takes it, and forgetting does where that is asked."""
    operation = context.operation
    return operation.kind == _DELETION or bool(operation.request.get("remove_access_entries"))


def _entries(context: StageContext) -> dict[str, bool]:
    """Give our roles and the people we let in that have an access entry, each with whether it is marked as ours."""
    name = context.cluster.names.eks_cluster
    found = eks_survey.describe(name)
    if found is None or found.authentication_mode == "CONFIG_MAP":
        return {}
    wanted = stack_tags(context.cluster).items()
    roles = [settings.required(access.role) for access in ACCESS.values()]
    people = [each.principal_arn for each in granted.granted_on(context.cluster.tag)]
    tags = {principal: access_entries.tags(name, principal) for principal in (*people, *roles)}
    return {principal: wanted <= held.items() for principal, held in tags.items() if held is not None}


def _client(context: StageContext) -> ClusterClient:
    return connection.connect(context.cluster.names.eks_cluster, eks.api_server_of, AccessRole.ADMIN)


def _is_ours(context: StageContext, client: ClusterClient, resource: objects.Resource) -> bool:
    found = objects.get(client, resource, OPERATOR_GROUP)
    labels = member(member(found or {}, "metadata"), "labels")
    return labels.get(CLUSTER_LABEL) == context.cluster.tag


LEAVING_STAGES: Behaviours = {"leave_cluster": LeaveCluster()}
RIGHTS_STAGES: Behaviours = {"cluster_role_removal": RightsRemoval()}
