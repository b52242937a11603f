"""The rules behind the controllers that need no cluster: schedules, scripts, probes, selectors, requests, hashes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from infra.local.kubernetes.controllers import cron
from infra.local.kubernetes.controllers.behaviours import Behaviour, Behaviours, Rule, Scene, always, default_behaviours
from infra.local.kubernetes.controllers.indexes import written
from infra.local.kubernetes.controllers.matching import expression_holds, selects
from infra.local.kubernetes.controllers.naming import hash_of, random_suffix
from infra.local.kubernetes.controllers.plan import plan_of
from infra.local.kubernetes.controllers.replicas import resolve
from infra.local.kubernetes.controllers.requests import pod_requests
from infra.local.kubernetes.controllers.taints import seconds_tolerated, tolerates
from infra.local.kubernetes.documents import JsonObject

_MONDAY = datetime(2029, 12, 31, 10, 7, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "zone", "following"),
    [
        ("*/15 * * * *", "", "2029-12-31T10:15:00+00:00"),
        ("0 3 * * *", "", "2030-01-01T03:00:00+00:00"),
        ("30 9 1,15 * *", "", "2030-01-01T09:30:00+00:00"),
        ("0 0 * * sun", "", "2030-01-06T00:00:00+00:00"),
        ("0 12 13 * 5", "", "2030-01-04T12:00:00+00:00"),
        ("0 3 * * *", "Asia/Tokyo", "2029-12-31T18:00:00+00:00"),
        ("0 0 29 feb *", "", "2032-02-29T00:00:00+00:00"),
        ("@hourly", "", "2029-12-31T11:00:00+00:00"),
    ],
)
def test_a_schedule_tells_when_it_next_comes_true(schedule: str, zone: str, following: str) -> None:
    found = cron.parse(schedule, zone).after(_MONDAY)
    assert found is not None and found.isoformat() == following


@pytest.mark.parametrize("schedule", ["* * * *", "61 * * * *", "a * * * *", "*/0 * * * *", "5-1 * * * *"])
def test_what_is_no_schedule_is_refused(schedule: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        cron.parse(schedule)


def test_a_date_that_never_comes_has_no_next_time() -> None:
    assert cron.parse("0 0 30 2 *").after(_MONDAY) is None


def _scene(command: str = "", policy: str = "Always", **annotations: str) -> Scene:
    steered = {f"simulator.instantstart/{key.replace('_', '-')}": value for key, value in annotations.items()}
    container: JsonObject = {"name": "main", "image": "app:1", "command": ["sh", "-c", command] if command else []}
    pod: JsonObject = {"metadata": {"annotations": steered}, "spec": {"restartPolicy": policy}}
    return Scene(pod, container, {})


@pytest.mark.parametrize(
    ("scene", "run_seconds", "exit_code"),
    [
        (_scene(), None, 0),
        (_scene(policy="Never"), 5, 0),
        (_scene("sleep 30"), 30, 0),
        (_scene("sleep 30 && exit 2"), 30, 2),
        (_scene("sleep infinity"), None, 0),
        (_scene("python train.py"), None, 0),
        (_scene(exit_code="7"), 5, 7),
        (_scene(exit_code="1", run_seconds="90"), 90, 1),
        (_scene(policy="Never", run_seconds="forever"), None, 0),
    ],
)
def test_a_container_does_what_command_policy_and_annotations_say(
    scene: Scene, run_seconds: int | None, exit_code: int
) -> None:  # fmt: skip
    behaviour = default_behaviours().of(scene)
    assert (behaviour.run_seconds, behaviour.exit_code) == (run_seconds, exit_code)


def test_a_later_rule_wins_where_its_patterns_fit() -> None:
    behaviours = Behaviours([Rule(always(Behaviour(exit_code=1)), image="app")])
    behaviours.add(Rule(always(Behaviour(exit_code=2)), image=r"^app:1$"))
    behaviours.add(Rule(always(Behaviour(exit_code=3)), image="other"))
    assert behaviours.of(_scene()).exit_code == 2


@pytest.mark.parametrize("image", ["Upper:1", "app:", "a b", "", "app@sha256:12"])
def test_an_image_that_cannot_be_named_cannot_be_pulled(image: str) -> None:
    scene = Scene({}, {"name": "main", "image": image}, {})
    assert default_behaviours().of(scene).pull_error == "invalid reference format"


def test_probes_are_worked_out_from_their_settings() -> None:
    probe = {"httpGet": {}, "initialDelaySeconds": 3, "periodSeconds": 5, "failureThreshold": 2}
    container: JsonObject = {"readinessProbe": probe, "livenessProbe": {**probe, "failureThreshold": 9}}
    plan = plan_of(container, Behaviour(ready_after=10, fails_after=40))
    assert (plan.started_after, plan.ready_after, plan.unready_after) == (0, 13, 48)
    assert (plan.ends_after, plan.exit_code, plan.killed_by) == (83, 137, "liveness")
    assert [plan.is_ready(after) for after in (12, 13, 47, 48)] == [False, True, True, False]


def test_a_container_that_ends_before_its_probe_gives_up_was_not_killed() -> None:
    container: JsonObject = {"livenessProbe": {"exec": {}, "failureThreshold": 3, "periodSeconds": 10}}
    plan = plan_of(container, Behaviour(run_seconds=15, exit_code=4, ready_after=600))
    assert (plan.ends_after, plan.exit_code, plan.killed_by) == (15, 4, "")


def test_requests_are_the_larger_of_all_containers_and_any_init_container() -> None:
    def container(cpu: str, **more: str) -> JsonObject:
        return {"resources": {"requests": {"cpu": cpu}, "limits": more}}

    pod: JsonObject = {
        "spec": {
            "containers": [container("1500m"), container("1", **{"nvidia.com/gpu": "1"})],
            "initContainers": [container("2")],
            "overhead": {"cpu": "100m"},
        }
    }
    assert pod_requests(pod) == {"cpu": 2600, "nvidia.com/gpu": 1}


def test_label_selectors_combine_labels_and_expressions() -> None:
    selector: JsonObject = {
        "matchLabels": {"app": "web"}, "matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["db"]}],
    }  # fmt: skip
    assert selects(selector, {"app": "web"})
    assert not selects(selector, {"app": "web", "tier": "db"})
    assert not selects(selector, {"tier": "web"})
    assert not expression_holds({"key": "app", "operator": "Sounds", "values": ["web"]}, {"app": "web"})


def test_tolerations_cover_taints_by_key_value_effect_or_all() -> None:
    taint: JsonObject = {"key": "gpu", "value": "a", "effect": "NoSchedule"}
    covering: list[JsonObject] = [
        {"operator": "Exists"},
        {"key": "gpu", "operator": "Exists"},
        {"key": "gpu", "value": "a"},
    ]
    assert all(tolerates(toleration, taint) for toleration in covering)
    assert not tolerates({"key": "gpu", "value": "b"}, taint)
    assert not tolerates({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, taint)


def test_a_pod_stays_five_minutes_on_a_node_that_is_lost_unless_it_says_otherwise() -> None:
    taint: JsonObject = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    patient: JsonObject = {"spec": {"tolerations": [{"operator": "Exists"}]}}
    assert (seconds_tolerated({}, taint), seconds_tolerated(patient, taint)) == (300, None)
    assert seconds_tolerated({}, {"key": "drain", "effect": "NoExecute"}) == 0


@pytest.mark.parametrize(("share", "up", "found"), [("25%", True, 2), ("25%", False, 1), (3, True, 3), ("no", True, 0)])
def test_a_share_of_replicas_is_rounded_in_the_safe_direction(share: object, up: bool, found: int) -> None:
    assert resolve(share, 5, round_up=up) == found


def test_completed_indexes_are_written_as_runs() -> None:
    assert written([5, 0, 2, 1, 7, 8]) == "0-2,5,7-8"


def test_names_and_hashes_are_the_same_for_the_same_input() -> None:
    assert random_suffix("web", 1) == random_suffix("web", 1) != random_suffix("web", 2)
    assert hash_of({"a": 1, "b": 2}) == hash_of({"b": 2, "a": 1}) != hash_of({"a": 1})
