"""A stack with stand-in charts is not deployed by accident."""

from __future__ import annotations

from aws_cdk import App, Stack
from aws_cdk.assertions import Annotations, Match, Template

from infra.host.rehearsal import CONFIRMED, PARAMETER, RehearsalLock


def test_a_rehearsal_waits_for_a_parameter_that_only_a_person_gives() -> None:
    stack = Stack(App(), "Rehearsal")
    RehearsalLock(stack, "RehearsalLock")
    parameter = Template.from_stack(stack).to_json()["Parameters"][PARAMETER]
    assert "Default" not in parameter
    assert parameter["AllowedValues"] == [CONFIRMED]
    Annotations.from_stack(stack).has_warning("*", Match.string_like_regexp("run `make charts`"))
