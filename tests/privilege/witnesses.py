"""Which test misses a statement where many need it and few look: a refusal that is told as unchecked fails no test that
does not look for that, and what nearly every test does in passing is missed by those alone that are about it."""

from __future__ import annotations

from typing import Final

_CREATION: Final = "tests/host/test_nothing_unchecked.py::test_of_a_creation_nothing_is_left_unchecked"
_FIRST_STAGE: Final = (
    "tests/workflows/test_preflight.py::test_what_the_edge_left_open_is_checked_by_the_first_stage_to_the_last_bit"
)
_CANCELLED: Final = "tests/workflows/test_cancel.py::test_a_waiting_stage_hears_of_the_cancellation_at_once"

# By the statement, as `<role>/<sid>`.
WITNESSES: Final = {
    "instantstart-function-api/ReadEks": _CREATION,
    "instantstart-function-api/ReadHyperPod": _CREATION,
    "instantstart-function-api/ReadPolicies": (
        "tests/workflows/test_reuse.py::"
        "test_a_foundation_of_a_callers_own_parts_makes_the_control_plane_alone_and_leaves_them_when_it_goes"
    ),
    "instantstart-function-api/ReadStacks": _CREATION,
    "instantstart-function-api/UnscopedSagemaker": _CREATION,
    "instantstart-function-api/UnscopedServicequotas": _CREATION,
    "instantstart-function-api/UnscopedStates": _CANCELLED,
    "instantstart-function-catalog/UnscopedServicequotas": (
        "tests/host/test_nothing_unchecked.py::test_of_quotas_nothing_is_unknown"
    ),
    "instantstart-function-connections/IndexByMonth": (
        "tests/host/test_sockets.py::test_mine_is_what_the_caller_of_the_ticket_began"
    ),
    "instantstart-function-events/IndexByLeaseExpiry": (
        "tests/host/test_edge_faults.py::test_a_lease_that_an_ended_operation_left_is_freed_once_it_has_expired"
    ),
    "instantstart-function-events/IndexUnfinished": (
        "tests/host/test_edge_faults.py::test_a_lost_start_is_healed_without_another_call"
    ),
    "instantstart-function-kubernetes/EnterClusters": (
        "tests/workflows/test_namespaces.py::"
        "test_a_token_that_is_refused_is_renewed_once_and_then_the_missing_entry_is_named"
    ),
    "instantstart-function-push/TableConnections": (
        "tests/host/test_sockets.py::test_mine_is_what_the_caller_of_the_ticket_began"
    ),
    "instantstart-function-stages_cluster/ReadIdentityProviders": (
        "tests/workflows/test_import.py::"
        "test_with_consent_the_control_plane_is_let_in_subnets_are_tagged_and_the_cluster_is_seen_from_inside"
    ),
    "instantstart-function-stages_cluster/ReadQuotas": _FIRST_STAGE,
    "instantstart-function-stages_cluster/ReadRoles": _FIRST_STAGE,
    "instantstart-function-stages_cluster/UnscopedServicequotas": _FIRST_STAGE,
    "instantstart-machine-stage/StoreToken": (
        "tests/workflows/test_bus.py::test_a_state_change_wakes_the_stage_that_waits_for_hyperpod"
    ),
}
