"""The one way by which a request changes anything: preview it, or confirm and begin it as an operation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from functions.core import application, catalogue, confirmations, ledger, runtime
from functions.core.errors import Conflict, OperationInProgress, Problem
from functions.core.findings import Finding, Level, errors_in, refusal
from functions.core.http import JSON
from functions.core.ledger.models import NewOperation, Operation, PlannedStage
from functions.core.previews import Change, Preview, Previewed, state_of, total

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import JsonValue

    from functions.core.cluster import ClusterSpec
    from functions.core.ledger.models import JsonObject

DryRun = Annotated[
    bool, Query(description="Change nothing: answer with findings and a preview of what the request would change.")
]
Confirm = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=200,
        description="The digest of a preview of this request: refuses when something else would happen by now.",
    ),
]
Answer = Response[Operation | Previewed]


@dataclass(frozen=True)
class Intent:
    """What a request comes to, before anything is begun.

    `read` has the versions of what was read to decide that, `cluster` the cluster that there is already. `confirm_name`
    is set when the request destroys something, to the name that a person types in the console to confirm it.
    """

    new: NewOperation
    changes: Sequence[Change]
    findings: Sequence[Finding] = ()
    read: Mapping[str, JsonValue] = field(default_factory=dict)
    cluster: ClusterSpec | None = None
    confirm_name: str | None = None
    unpriced: Sequence[str] = ()


def asked(kind: str, cluster_tag: str, sent: JsonObject, scopes: Sequence[str], key: str | None) -> NewOperation:
    """Note what identifies a request, `sent` as its caller sent it; nothing is looked up or planned for it yet."""
    known_by = key_of(sent, key)
    return NewOperation(
        kind=kind,
        cluster_tag=cluster_tag,
        actor=application.caller().actor,
        request=sent,
        stages=[],
        scopes=[*scopes],
        route=application.route(),
        idempotency_key=known_by.value,
        implied_key=known_by.implied,
        sent=sent,
    )


def key_of(sent: JsonObject, key: str | None) -> ledger.Key:
    """Give what a request is known by again, `key` being what its caller sent for that."""
    return ledger.key_of({"path": application.path(), "sent": sent}, application.caller().actor, key)


def carry_out(asked: NewOperation, decide: Callable[[], Intent], *, dry_run: bool, confirm: str | None) -> Answer:
    """Give the operation that the same request began before; else decide what it comes to, and preview or begin that.

    `decide` asks for the cluster by `owned` before it looks at anything: who may not change it learns nothing of it.
    Raises what `decide` and its error findings say, IdempotencyKeyReused, ConfirmationRequired, PreviewOutdated,
    Forbidden for a caller outside of the cluster's owner groups, and what `ledger.begin` raises.
    """
    # A repeat is recognised first: by now the cluster may be gone, or refuse what it allowed then.
    earlier = None if dry_run else ledger.replayed(asked)
    if earlier is not None and not ledger.is_over(asked, earlier):
        return application.accepted(earlier, replayed=True)
    intent = decide()
    superseding = intent.new.model_copy(update={"supersedes": earlier and earlier.operation_id})
    return _answer(replace(intent, new=superseding), dry_run=dry_run, confirm=confirm)


def owned(cluster: ClusterSpec) -> ClusterSpec:
    """Give a cluster that the caller may change: decide by it before anything of it is looked at.

    Raises Forbidden for a caller outside of its owner groups.
    """
    application.caller().require_owner(cluster.tag, cluster.owner_groups)
    return cluster


def planned(phase: str, name: str) -> PlannedStage:
    """Plan a stage as its domain declares it."""
    declared, parameter = catalogue.stage(name), name.partition(":")[2]
    return PlannedStage(
        phase=phase,
        name=name,
        function=declared.function,
        title=f"{declared.title}: {parameter}" if parameter else declared.title,
        expected_seconds=declared.expected_seconds,
    )


def previewed(body: Previewed) -> Answer:
    """Answer 200 with what a dry run came to."""
    return Response(status_code=200, content_type=JSON, body=body)


def _answer(intent: Intent, *, dry_run: bool, confirm: str | None) -> Answer:
    caller = application.caller()
    if intent.cluster is not None:
        owned(intent.cluster)
    state = state_of(
        intent.new.kind,
        intent.new.cluster_tag,
        intent.new.request if intent.new.sent is None else intent.new.sent,
        intent.changes,
        intent.read,
    )
    if dry_run:
        return previewed(_preview(intent, state))
    if problem := refusal(intent.findings):
        raise _unless_at_work(intent.new, problem)
    confirmations.check(confirm, state, intent.confirm_name, caller.actor, runtime.now())
    begun = ledger.begin(intent.new)
    return application.accepted(begun.operation, replayed=begun.replayed)


def _preview(intent: Intent, state: str) -> Previewed:
    new = intent.new
    findings = [*intent.findings, *_in_the_way(new)]
    digest, expires_at = None, None
    if not errors_in(findings):
        digest, expires_at = confirmations.digest_of(state, application.caller().actor, runtime.now())
    preview = Preview(
        kind=new.kind,
        cluster_tag=new.cluster_tag,
        changes=list(intent.changes),
        cost=total(intent.changes),
        unpriced=sorted(set(intent.unpriced)),
        digest=digest,
        expires_at=expires_at,
    )
    return Previewed(findings=findings, preview=preview)


def _unless_at_work(new: NewOperation, problem: Problem) -> Problem:
    """Name the operation at work instead of a conflict, which may be what that one makes at this very moment."""
    return (problem.code == Conflict.code and ledger.at_work(new)) or problem


def _in_the_way(new: NewOperation) -> list[Finding]:
    """Tell what only the ledger's transaction would refuse: an operation that holds what this one needs."""
    holder = ledger.holder_of(new.cluster_tag, new.scopes)
    if holder is None:
        return []
    return [
        Finding(
            check="operation_in_progress",
            level=Level.ERROR,
            code=OperationInProgress.code,
            message=f"operation {holder.operation_id} holds the scope {holder.scope!r} of {new.cluster_tag}",
            resource=holder.operation_id,
            remedy=f"Wait until operation {holder.operation_id} has ended, or cancel it.",
        )
    ]
