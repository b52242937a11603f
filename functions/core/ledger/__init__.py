"""The operations ledger: every change of a cluster is one record here before it has any effect.

Where to look
  models             what callers see: operations, stages, actors, audit entries, pages
  tables             keys, indexes and lifetimes of the tables; infrastructure builds them from it
  begin, retry       request → operation, one holder per lease scope; idempotency: once per key
  transitions        how an operation moves; stage_transitions: how a stage moves; endings: what an ending means
  leases             the tree of scopes that operations hold; locks: what one turn of a stage keeps to itself
  queries, listing   what callers read; paging: signed page tokens; audit_trail: who did what, of all operations
  sweeper            heals what was lost between the ledger and Step Functions
  executions         the executions named after operations, and waking the stages that wait in them
  cluster_events     what AWS told about a HyperPod cluster; conditions: what follows for the cluster
  stream             what the tables' streams send to functions
  made               what we made on a cluster that others made; detection: what was found of it
  writes, items      conditional writes and item marshalling; audit, identifiers: their small parts

Every function takes its clients, clock and table names from `functions.core.runtime`.
"""

from functions.core.ledger.audit_trail import AuditFilter, audit_of, first_audited_day, list_audit
from functions.core.ledger.begin import at_work, begin, replayed
from functions.core.ledger.claims import claimant
from functions.core.ledger.clusters import change_spec, holder_of, owner_groups_of
from functions.core.ledger.endings import Ending, ending_of
from functions.core.ledger.executions import execution_arn, start, wake
from functions.core.ledger.idempotency import Key, is_over, key_of
from functions.core.ledger.identifiers import new_identifier
from functions.core.ledger.leases import renew
from functions.core.ledger.listing import list_operations, newest_operations
from functions.core.ledger.queries import audit, await_tokens, get
from functions.core.ledger.retry import refusal, retry
from functions.core.ledger.stage_transitions import (
    begin_stage,
    cancel_stage,
    fail_stage,
    finish_stage,
    record_progress,
    skip_stages,
)
from functions.core.ledger.sweeper import Healed, Healing, Swept, close_ended, sweep, untouched_since
from functions.core.ledger.transitions import finish_operation, mark_running, request_cancel
from functions.core.ledger.writes import StaleWorker

__all__ = [
    "AuditFilter",
    "Ending",
    "Healed",
    "Healing",
    "Key",
    "StaleWorker",
    "Swept",
    "at_work",
    "audit",
    "audit_of",
    "await_tokens",
    "begin",
    "begin_stage",
    "cancel_stage",
    "change_spec",
    "claimant",
    "close_ended",
    "ending_of",
    "execution_arn",
    "fail_stage",
    "finish_operation",
    "finish_stage",
    "first_audited_day",
    "get",
    "holder_of",
    "is_over",
    "key_of",
    "list_audit",
    "list_operations",
    "mark_running",
    "new_identifier",
    "newest_operations",
    "owner_groups_of",
    "record_progress",
    "refusal",
    "renew",
    "replayed",
    "request_cancel",
    "retry",
    "skip_stages",
    "start",
    "sweep",
    "untouched_since",
    "wake",
]
