"""What one create_cluster costs in calls, transitions, money and time of our own; `make measures` prints it."""

from __future__ import annotations

from tests.host.driver import Driver
from tests.measures.creation import measure
from tests.measures.prices import cost_of

OWN_SECONDS = 15
TRANSITIONS = 335
INVOCATIONS = 112
LEDGER_REQUESTS = 394
CALLS = 789
# Of these: five functions begin a session for the operation, and three of them enter the cluster, helm by itself.
SIGN_INS = 10
# A stage that looks once more or less is no news; one that does so at every turn is.
MARGIN = 0.05


def test_a_creation_stays_within_its_calls_its_cent_and_fifteen_seconds_a_stage(driver: Driver) -> None:
    measured = measure(driver)
    assert measured.operation["status"] == "SUCCEEDED", measured.operation["error"]
    assert {each.stage: each.own_seconds for each in measured.stages if each.own_seconds > OWN_SECONDS} == {}
    assert [each.stage for each in measured.stages if each.own_seconds < 0] == []
    assert _near(measured.transitions, TRANSITIONS)
    assert _near(measured.invocations, INVOCATIONS)
    assert _near(sum(measured.ledger.values()), LEDGER_REQUESTS)
    assert _near(sum(measured.calls.values()), CALLS)
    assert measured.calls["sts"] <= SIGN_INS
    assert sum(cost_of(measured).values()) < 0.01


def _near(found: int, usual: int) -> bool:
    return abs(found - usual) <= MARGIN * usual
