"""What the revisions of a helm release call for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from functions.features.helm.models import ON, DependenciesValues, EfaDevicePlugin, Global, InstanceTypes
from functions.features.helm.rules import (
    CONTENT,
    MANAGED_BY,
    MANAGER,
    WORKER_LIFE,
    Decision,
    Revision,
    Step,
    Wanted,
    content_of,
    decide,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OURS = {MANAGED_BY: MANAGER, CONTENT: "wanted"}


def revision(number: int, status: str, labels: dict[str, str] | None = None, age: timedelta = timedelta(0)) -> Revision:
    return Revision(number, status, NOW - age, OURS if labels is None else labels)


@pytest.mark.parametrize(
    ("revisions", "expected"),
    [
        ([], Decision(Step.UPGRADE)),
        ([revision(1, "deployed")], Decision(Step.NOTHING)),
        ([revision(1, "deployed", {**OURS, CONTENT: "older"})], Decision(Step.UPGRADE)),
        ([revision(1, "failed")], Decision(Step.UPGRADE)),
        ([revision(1, "deployed", {})], Decision(Step.REFUSE)),
        ([revision(2, "pending-upgrade", {})], Decision(Step.REFUSE)),
        ([revision(1, "pending-install")], Decision(Step.WAIT)),
        ([revision(1, "pending-install", age=WORKER_LIFE)], Decision(Step.UNINSTALL)),
        (
            [revision(3, "pending-upgrade", age=WORKER_LIFE), revision(2, "deployed"), revision(1, "superseded")],
            Decision(Step.ROLL_BACK, 2),
        ),
        (
            [revision(3, "pending-rollback", age=WORKER_LIFE), revision(2, "failed"), revision(1, "superseded")],
            Decision(Step.ROLL_BACK, 1),
        ),
    ],
    ids=[
        "absent is installed",
        "as wanted is left alone",
        "other content is upgraded",
        "failed is upgraded",
        "somebody else's is refused",
        "somebody else's pending one is refused",
        "a living worker is waited for",
        "a dead installation is removed",
        "a dead upgrade goes back to what was deployed",
        "a dead rollback goes back to what stood",
    ],
)
def test_revisions_decide(revisions: list[Revision], expected: Decision) -> None:
    assert decide(revisions, Wanted("wanted", "1", {}), NOW) == expected


def test_content_changes_with_chart_and_values_only() -> None:
    first = content_of("a" * 64, {"x": 1, "y": 2})
    assert first == content_of("a" * 64, {"y": 2, "x": 1})
    assert first != content_of("b" * 64, {"x": 1, "y": 2})
    assert first != content_of("a" * 64, {"x": 2, "y": 2})
    assert len(first) <= 63


def test_values_bear_the_keys_of_the_chart() -> None:
    efa = EfaDevicePlugin(device_plugin=ON, instance_types=InstanceTypes(values=("ml.p5.48xlarge",)))
    chosen = DependenciesValues(everywhere=Global(region="us-west-2"), efa_device_plugin=efa)
    values = chosen.model_dump(mode="json", by_alias=True)
    assert values["global"] == {"region": "us-west-2"}
    assert values["nvidia-device-plugin"] == {"devicePlugin": {"enabled": True}}
    assert values["aws-efa-k8s-device-plugin"] == {
        "devicePlugin": {"enabled": True},
        "supportedInstanceLabels": {"values": ["ml.p5.48xlarge"]},
    }
    assert values["health-monitoring-agent"] == {"enabled": True}
    assert values["inferenceOperators"] == {"enabled": False}
