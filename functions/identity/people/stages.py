"""Grants and revocations of people's access: the entry and its policies, brought to what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.aws import access_entries, people_access
from functions.core import settings
from functions.core.cluster import AccessRole
from functions.core.errors import StageFailed
from functions.core.failures import cause_of, code_of
from functions.core.findings import refusal
from functions.core.ledger import granted
from functions.core.stage import Applied, Behaviours, Done, Observation, Reapply, StageContext
from functions.core.tags import tags_of
from functions.identity.people.models import AccessChange, Owner, Plan
from functions.identity.people.rules.access import NOT_GRANTED, findings, owner_of
from functions.identity.people.rules.grants import plan, said

if TYPE_CHECKING:
    from functions.core.ledger.models import JsonObject
    from functions.identity.people.models import Entry

# What EKS answers for a principal that IAM does not have.
_INVALID: Final = "InvalidParameterException"


class PeopleAccess:
    """The access of the principal that the operation names."""

    def apply(self, context: StageContext) -> Applied:
        """Create, adopt or delete the entry, then give it the policies it lacks and take those it should not have.

        Raises what is in the way, as the edge does: it may have come about since.
        """
        change = _change(context)
        before = people_access.entry_of(context.cluster.names.eks_cluster, change.principal_arn)
        entry = before or _entered(context, change)
        owner = _owner(context, change, entry)
        todo = plan(change, entry, owner)
        _check(context, change, entry, owner, todo)
        _carry_out(context, change, entry, todo)
        if todo.removes or entry is None:
            granted.forget_access(context.cluster.tag, change.principal_arn)
        else:
            granted.remember(context.cluster.tag, todo.wanted)
        return Applied(_said(change, before, todo), (change.principal_arn,))

    def observe(self, context: StageContext) -> Observation:
        """Done when there is nothing to do."""
        change = _change(context)
        entry = people_access.entry_of(context.cluster.names.eks_cluster, change.principal_arn)
        todo = plan(change, entry, Owner.PEOPLE)
        if not todo.empty:
            return Reapply(f"{change.principal_arn} does not have {said(todo.wanted)} in {context.cluster.tag}")
        result: JsonObject = {"principal": change.principal_arn, "access": todo.wanted.model_dump(mode="json")}
        return Done(result, context.stage.message or said(todo.wanted), (change.principal_arn,))


def _change(context: StageContext) -> AccessChange:
    return AccessChange.model_validate(context.operation.request)


def _owner(context: StageContext, change: AccessChange, entry: Entry | None) -> Owner:
    our_roles = [settings.required(role) for role in AccessRole]
    return owner_of(change.principal_arn, entry, context.cluster, our_roles)


def _check(context: StageContext, change: AccessChange, entry: Entry | None, owner: Owner, todo: Plan) -> None:
    door = people_access.door_of(context.cluster.names.eks_cluster)
    # An earlier attempt may have taken back what is to be taken back.
    found = [each for each in findings(change, door, entry, owner, todo) if each.check != NOT_GRANTED]
    if problem := refusal(found):
        raise problem


def _carry_out(context: StageContext, change: AccessChange, entry: Entry | None, todo: Plan) -> None:
    cluster, principal = context.cluster.names.eks_cluster, change.principal_arn
    tags = tags_of(context.cluster, context.operation.operation_id)
    if todo.removes:
        access_entries.delete(cluster, principal)
        return
    if todo.adopts and entry is not None:
        people_access.mark(entry, tags)
    for association in todo.associate:
        people_access.associate(cluster, principal, association)
    for policy in todo.dissociate:
        people_access.dissociate(cluster, principal, policy)


def _entered(context: StageContext, change: AccessChange) -> Entry | None:
    """Create the entry of a grant, and read it back: somebody else may have been faster, or an answer was lost."""
    if change.permission is None:
        return None
    cluster, principal = context.cluster.names.eks_cluster, change.principal_arn
    owner = _owner(context, change, None)
    _check(context, change, None, owner, plan(change, None, owner))
    try:
        access_entries.create(cluster, principal, [], tags_of(context.cluster, context.operation.operation_id))
    except ClientError as error:
        if code_of(error) != _INVALID:
            raise
        raise StageFailed(
            f"EKS does not know the principal {principal}: {error.response['Error'].get('Message', _INVALID)}",
            cause=cause_of(error, principal),
            remedy="Send the ARN as IAM shows it, a role's with its path; create the role or user first.",
        ) from error
    return people_access.entry_of(cluster, principal)


def _said(change: AccessChange, entry: Entry | None, todo: Plan) -> str:
    if change.permission is None and todo.removes:
        return f"{change.principal_arn} has no access any more"
    if entry is not None and todo.empty:
        return f"entry already present; {change.principal_arn} has {said(todo.wanted)}"
    present = "entry already present; " if entry is not None else ""
    return f"{present}{change.principal_arn} has {said(todo.wanted)}"


STAGES: Behaviours = {"people_access": PeopleAccess()}
