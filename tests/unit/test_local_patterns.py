"""Event patterns match as EventBridge's do, and what is not simulated is refused."""

from __future__ import annotations

import pytest

from infra.local.patterns import Unverified, check, matches

EVENT = {
    "source": "aws.sagemaker",
    "resources": ["arn:one", "arn:two"],
    "detail": {"status": {"name": "CREATE_COMPLETE"}, "level": None},
}


@pytest.mark.parametrize(
    "pattern",
    [
        {},
        {"source": ["aws.states", "aws.sagemaker"]},
        {"resources": ["arn:two"]},
        {"resources": [{"prefix": "arn:"}]},
        {"detail": {"status": {"name": [{"suffix": "_COMPLETE"}]}}},
        {"source": [{"prefix": "aws."}], "detail": {"status": {"name": ["DELETED", {"suffix": "COMPLETE"}]}}},
    ],
)
def test_an_event_matches_when_every_field_has_one_of_its_values(pattern: dict[str, object]) -> None:
    check(pattern)
    assert matches(pattern, EVENT)


@pytest.mark.parametrize(
    "pattern",
    [
        {"source": ["aws.states"]},
        {"source": []},
        {"source": ["aws.sagemaker"], "resources": ["arn:three"]},
        {"detail": {"status": ["CREATE_COMPLETE"]}},
        {"detail": {"level": ["Info"]}},
        {"detail": {"absent": ["x"]}},
        {"detail": {"status": {"name": [{"prefix": "DELETE"}]}}},
        {"source": {"name": ["aws.sagemaker"]}},
    ],
)
def test_an_event_that_lacks_one_of_the_fields_does_not_match(pattern: dict[str, object]) -> None:
    check(pattern)
    assert not matches(pattern, EVENT)


@pytest.mark.parametrize(
    "pattern",
    [
        {"source": "aws.sagemaker"},
        {"detail": {"count": [{"numeric": [">", 1]}]}},
        {"source": [{"anything-but": "aws.states"}]},
        {"source": [{"prefix": "a", "suffix": "b"}]},
        {"source": [{"prefix": {"equals-ignore-case": "a"}}]},
        {"detail": {"level": [None]}},
        {"$or": [{"source": ["a"]}]},
    ],
)
def test_what_is_not_simulated_is_refused(pattern: dict[str, object]) -> None:
    with pytest.raises(Unverified, match="unverified"):
        check(pattern)
