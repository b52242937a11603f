"""The file of what AWS says of our roles' actions is fresh, whole, and says where it is from."""

from __future__ import annotations

from datetime import date

import pytest

from infra.privilege import authorization, extraction
from infra.privilege.authorization import NotKnown
from infra.privilege.roles import LEFT_OUT, wanted_actions
from infra.topology import TOPOLOGY

KNOWN = authorization.load()


def test_the_file_is_what_the_reference_says_today() -> None:
    assert extraction.main(["--check"]) == 0


def test_a_stale_file_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extraction, "wanted_actions", lambda _: frozenset({"dynamodb:GetItem"}))
    assert extraction.main(["--check"]) == 1
    assert "authorization.json is stale: run `make authorization`" in capsys.readouterr().err


def test_the_file_says_where_it_is_from() -> None:
    assert "Service Authorization Reference" in KNOWN.origin
    assert KNOWN.version
    assert date.fromisoformat(KNOWN.date) >= date(2026, 11, 1)


def test_it_holds_what_our_roles_hold_and_what_goes_along_with_that() -> None:
    assert set(KNOWN.actions) == KNOWN.closure(wanted_actions(TOPOLOGY))


def test_actions_that_are_left_out_go_along_with_some_that_are_not() -> None:
    along = {needed for name in wanted_actions(TOPOLOGY) for needed in KNOWN.actions[name].dependent_actions}
    assert LEFT_OUT.keys() <= along


def test_a_type_of_resource_has_a_pattern_that_all_of_its_arns_match() -> None:
    (table, *_) = KNOWN.actions["dynamodb:GetItem"].resource_types
    assert table.pattern == "arn:*:dynamodb:*:*:table/*"
    assert table.required


def test_an_action_that_the_file_lacks_is_named_with_what_to_do() -> None:
    with pytest.raises(NotKnown, match=r"sns:Subscribe .* run `make authorization`"):
        KNOWN.closure(["sns:Subscribe"])


@pytest.mark.parametrize("name", ["dynamodb:ReadItem", "dynamo:GetItem"])
def test_an_action_that_aws_does_not_know_is_named(name: str) -> None:
    with pytest.raises(NotKnown, match=f"AWS knows no action {name}"):
        extraction.extract([name], "2026-11-30")
