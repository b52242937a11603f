"""The routes of people's access: who may enter, letting in, taking back, and the file by which people get there.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated, Final

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Path, Query
from pydantic import TypeAdapter, ValidationError

from functions.aws import eks, people_access
from functions.core import application, mutations, settings
from functions.core.application import IdempotencyKey, PageToken
from functions.core.cluster import AccessRole, ClusterSpec, DesiredAccess
from functions.core.errors import FieldError, InvalidRequest
from functions.core.findings import refusal
from functions.core.ledger.clusters import spec_of
from functions.core.ledger.granted import granted_on
from functions.core.ledger.models import NewOperation
from functions.core.ledger.paging import seal, unseal
from functions.core.mutations import Answer, Confirm, DryRun, Intent
from functions.identity.people.models import (
    ARN_LIMIT,
    AccessChange,
    AccessPage,
    AccessView,
    Entry,
    GrantAccess,
    Granted,
    Namespaces,
    PrincipalKind,
)
from functions.identity.people.rules import access as rules
from functions.identity.people.rules.grants import as_granted, change_said, permission_of, plan
from functions.identity.people.rules.kubeconfig import kubeconfig
from functions.identity.people.rules.principals import kind_of, permission_set_of, principal_of

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]
# Two calls of EKS for each, one after the other.
_LARGEST_PAGE: Final = 25
_USUAL_PAGE: Final = 10
EntryLimit = Annotated[int, Query(ge=1, le=_LARGEST_PAGE, description="Entries per page: 10, at most 25.")]
PrincipalArn = Annotated[
    str, Query(max_length=ARN_LIMIT, description="The ARN of an IAM role (with its path) or user.")
]
_NAMESPACES: Final = TypeAdapter[list[str]](Namespaces)
YAML: Final = "application/yaml"


def list_access(tag: Tag, limit: EntryLimit = _USUAL_PAGE, next_token: PageToken = None) -> AccessPage:
    """List the access entries of a cluster: who may enter, by what, and who let them in."""
    caller, query = application.caller().id, {"list": "access", "cluster": tag}
    after = unseal(next_token, query, caller) if next_token else None
    spec = spec_of(tag)
    cluster = spec.names.eks_cluster
    if problem := refusal([*filter(None, [rules.closed(people_access.door_of(cluster))])]):
        raise problem
    named, following = people_access.principals(cluster, limit, after)
    entries = [entry for principal in named if (entry := people_access.entry_of(cluster, principal))]
    recorded = {each.principal_arn: each for each in granted_on(tag)}
    return AccessPage(
        entries=[_view(entry, spec, recorded.get(entry.principal_arn)) for entry in entries],
        next_token=seal(following, query, caller) if following else None,
    )


def grant_access(
    tag: Tag,
    request: GrantAccess,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to let a principal in, or to change what it may do."""
    principal = principal_of(request.principal_arn, settings.current().account_id)
    change = AccessChange(
        principal_arn=principal.arn,
        permission=request.permission,
        namespaces=request.namespaces,
        take_over=request.take_over,
    )
    return _changed(tag, change, idempotency_key, dry_run=dry_run, confirm=confirm)


def revoke_access(
    tag: Tag,
    principal_arn: PrincipalArn,
    namespaces: Annotated[str | None, Query(max_length=6400, description="Namespaces, parted by commas.")] = None,
    take_over: Annotated[bool, Query(description="Also when somebody else made the access entry.")] = False,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to take a principal's access back: all of it, or what it was granted for namespaces."""
    principal = principal_of(principal_arn, settings.current().account_id)
    change = AccessChange(principal_arn=principal.arn, namespaces=_namespaces(namespaces), take_over=take_over)
    return _changed(tag, change, idempotency_key, dry_run=dry_run, confirm=confirm)


def get_kubeconfig(
    tag: Tag,
    role_arn: Annotated[str | None, Query(max_length=ARN_LIMIT, description="A role to assume for the token.")] = None,
) -> Response[str]:
    """Write a kubeconfig that holds no credentials: the AWS CLI of whoever uses it gets the token."""
    spec = spec_of(tag)
    role = _role(role_arn) if role_arn else None
    body = kubeconfig(tag, eks.api_server_of(spec.names.eks_cluster), spec.region, role)
    return Response(status_code=200, content_type=YAML, body=body)


def _changed(tag: str, change: AccessChange, key: str | None, *, dry_run: bool, confirm: str | None) -> Answer:
    planned = {"stages": [mutations.planned("access", rules.STAGE)], "audited": change_said(change)}
    asked = mutations.asked("change_access", tag, change.record(), ["access"], key).model_copy(update=planned)
    return mutations.carry_out(
        asked, lambda: _intent(asked, change, mutations.owned(spec_of(tag))), dry_run=dry_run, confirm=confirm
    )


def _intent(asked: NewOperation, change: AccessChange, spec: ClusterSpec) -> Intent:
    cluster = spec.names.eks_cluster
    door = people_access.door_of(cluster)
    # A cluster that knows no entries refuses to be asked for one.
    entry = people_access.entry_of(cluster, change.principal_arn) if rules.closed(door) is None else None
    owner = rules.owner_of(change.principal_arn, entry, spec, _our_roles())
    todo = plan(change, entry, owner)
    found = [*rules.findings(change, door, entry, owner, todo)]
    return Intent(
        new=asked.model_copy(update={"findings": found}),
        changes=[*rules.changes(change, entry, todo)],
        findings=found,
        read={"entry": rules.version_of(entry)},
        cluster=spec,
        confirm_name=change.principal_arn if change.permission is None else None,
    )


def _our_roles() -> list[str]:
    return [settings.required(role) for role in AccessRole]


def _view(entry: Entry, spec: ClusterSpec, recorded: DesiredAccess | None) -> AccessView:
    return AccessView(
        principal_arn=entry.principal_arn,
        kind=kind_of(entry.principal_arn),
        permission_set=permission_set_of(entry.principal_arn),
        type=entry.type,
        made_by=rules.owner_of(entry.principal_arn, entry, spec, _our_roles()),
        as_granted=as_granted(entry, recorded) if recorded else None,
        granted=[
            Granted(
                permission=permission_of(each.policy_arn),
                policy_arn=each.policy_arn,
                namespaces=[*each.namespaces] or None,
            )
            for each in entry.associations
        ],
        kubernetes_groups=[*entry.groups],
    )


def _namespaces(text: str | None) -> list[str] | None:
    if text is None:
        return None
    try:
        return _NAMESPACES.validate_python(text.split(","))
    except ValidationError as error:
        message = error.errors()[0]["msg"]
        fields = [FieldError(field="namespaces", message=message)]
        raise InvalidRequest(f"namespaces: {message}", errors=fields) from error


def _role(arn: str) -> str:
    try:
        principal = principal_of(arn, settings.current().account_id)
    except InvalidRequest as refused:
        raise _renamed(refused, "role_arn") from refused
    if principal.kind is PrincipalKind.USER:
        message = "is a user, and only roles are assumed; leave it out to come in as whoever runs kubectl"
        raise InvalidRequest(f"role_arn: {message}", errors=[FieldError(field="role_arn", message=message)])
    return principal.arn


def _renamed(refused: InvalidRequest, field: str) -> InvalidRequest:
    errors = [FieldError(field=field, message=error.message) for error in refused.errors]
    return InvalidRequest(f"{field}: {errors[0].message}", errors=errors, remedy=refused.remedy)
