"""A sample of what `make chaos` plays in full: one fault at one call, then the right end and a truthful ledger."""

from __future__ import annotations

from infra.local.faults import Kind
from infra.local.inventory import Inventory
from tests.chaos import cases, course
from tests.chaos.cases import Case
from tests.chaos.course import FOREIGN
from tests.chaos.player import Player
from tests.host.by_hand import ByHand
from tests.host.driver import Driver

SEED = 20_261_129
CASES_OF_A_PHASE = 4
CASES_OF_A_DELETION = 12
# Each looks at the whole cluster again.
CASES_OF_A_REPAIR = 2


def wrong(player: Player, chosen: list[Case]) -> dict[str, dict[str, list[str]]]:
    """Play cases; give what is wrong with those that failed."""
    assert chosen
    verdicts = [player.play(case) for case in chosen]
    return {verdict.case.name: verdict.wrong for verdict in verdicts if not verdict.passed}


def test_a_fault_on_the_way_to_capacity_leaves_one_of_each_resource_and_a_truthful_ledger(
    driver_of_prepared: Driver,
) -> None:
    player = Player(driver_of_prepared, course.run(driver_of_prepared, "base", ["hyperpod"]))
    assert wrong(player, cases.sample(cases.all_of(player.course), SEED, CASES_OF_A_PHASE)) == {}


def test_a_deletion_met_by_a_fault_and_retried_leaves_the_account_as_it_was_before_the_creation(
    driver_of_prepared: Driver, empty_account: Inventory
) -> None:
    player = Player(driver_of_prepared, course.deletion(driver_of_prepared, "base", empty_account))
    assert wrong(player, cases.sample(cases.all_of(player.course), SEED, CASES_OF_A_DELETION)) == {}


def test_a_fault_on_the_way_to_storage_does_so_too_and_a_denied_last_look_is_no_missing_claim(
    driver_of_ready: Driver,
) -> None:
    player = Player(driver_of_ready, course.run(driver_of_ready, "ready", ["storage"]))
    every = cases.all_of(player.course)
    last_looks = [case for case in every if (case.stage, case.service) == ("storage/verify", "kubernetes")]
    denied = [case for case in last_looks if case.kind is Kind.DENY]
    assert wrong(player, [*denied, *cases.sample(every, SEED, CASES_OF_A_PHASE)]) == {}


def test_a_fault_during_a_repair_leaves_the_cluster_as_it_was_made(driver_of_ready: Driver) -> None:
    changes = (ByHand.delete_compute_route, ByHand.change_execution_role)
    last = "compute_subnet:us-west-2c"
    player = Player(driver_of_ready, course.of_repair(driver_of_ready, "ready", changes, last))
    every = cases.all_of(player.course)
    executing = [case for case in every if (case.operation, case.kind) == ("ExecuteChangeSet", Kind.KILL_AFTER)]
    assert wrong(player, [*executing[:1], *cases.sample(every, SEED, CASES_OF_A_REPAIR)]) == {}


def test_a_fault_on_the_way_to_an_import_does_so_too_and_what_may_not_be_seen_is_told_as_unknown(
    driver_of_foreign: Driver,
) -> None:
    player = Player(driver_of_foreign, course.run(driver_of_foreign, FOREIGN, [course.IMPORT]))
    every = cases.all_of(player.course)
    unseen = [case for case in every if case.name.startswith("import/detect_cluster: first sagemaker ListClusters")]
    denied = [case for case in unseen if case.kind is Kind.DENY]
    assert wrong(player, [*denied, *cases.sample(every, SEED, CASES_OF_A_PHASE - 1)]) == {}
