"""What the probe of a mount says about its links."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from functions.core.errors import Layer
from functions.storage.manifests import Mount, persistent_volume_claim, probe_pod
from functions.storage.rules import SCHEDULING, SETTLING, Evidence, broken_link, succeeded

if TYPE_CHECKING:
    from pydantic import JsonValue

MOUNT = Mount("s3-claim", "default", "team-bucket", "us-west-2")
CREATED, STARTED = "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"
POD = "default/pod/s3-claim-probe"


def pod(phase: str = "Pending", **status: JsonValue) -> dict[str, JsonValue]:
    status = {"phase": phase, "startTime": STARTED, **status}
    return {"metadata": {"creationTimestamp": CREATED}, "spec": {"nodeName": "node-1"}, "status": status}


def container(state: str, **what: JsonValue) -> list[JsonValue]:
    return [{"name": "probe", "state": {state: what}}]


def reported(*messages: str, reason: str = "FailedMount") -> tuple[dict[str, JsonValue], ...]:
    return tuple(
        {"reason": reason, "message": message, "lastTimestamp": f"2026-01-01T00:0{minute}:00Z"}
        for minute, message in enumerate(messages)
    )


def evidence(found: dict[str, JsonValue], *events: dict[str, JsonValue], log: str = "") -> Evidence:
    return Evidence(MOUNT, "csi-role", found, {"status": {"phase": "Bound"}}, True, events, log)


def said(found: Evidence) -> tuple[Layer, str | None, str | None]:
    link = broken_link(found)
    assert link is not None
    assert link.problem.cause is not None
    assert link.problem.remedy
    return link.problem.cause.layer, link.problem.cause.code, link.problem.cause.resource


@pytest.mark.parametrize(
    ("words", "layer", "code", "resource"),
    [
        ("… 2: Forbidden: Access Denied Error: …", Layer.AWS, "AccessDenied", "s3://team-bucket"),
        ("… is not authorized to perform: s3:ListBucket on …", Layer.AWS, "AccessDenied", "s3://team-bucket"),
        ("… 2: The bucket does not exist Error: …", Layer.AWS, "NoSuchBucket", "s3://team-bucket"),
        ("… 2: Wrong region (expecting eu-west-1)", Layer.AWS, "WrongRegion", "s3://team-bucket"),
        ("… 2: No signing credentials available", Layer.AWS, "NoCredentials", "role/csi-role"),
        (
            "driver name s3.csi.aws.com not found in the list of registered CSI drivers",
            Layer.KUBERNETES,
            "CSIDriverNotOnNode",
            "node/node-1",
        ),
        ("timed out waiting for the condition", Layer.KUBERNETES, "FailedMount", POD),
    ],
)
def test_the_words_of_a_refused_mount_name_its_link(words: str, layer: Layer, code: str, resource: str) -> None:
    assert said(evidence(pod(), *reported(words))) == (layer, code, resource)


def test_the_last_word_about_a_mount_counts() -> None:
    found = evidence(pod(), *reported("not found in the list of registered CSI drivers", "Wrong region"))
    assert said(found)[1] == "WrongRegion"


def test_the_remedy_lists_the_actions_that_were_refused_or_else_all_that_a_mount_needs() -> None:
    named = broken_link(evidence(pod(), *reported("not authorized to perform: s3:ListBucket on")))
    unnamed = broken_link(evidence(pod(), *reported("Access Denied")))
    assert named is not None
    assert unnamed is not None
    assert "csi-role s3:ListBucket by ARN" in str(named.problem.remedy)
    assert "s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject" in str(unnamed.problem.remedy)


def test_each_link_before_the_mount_is_named() -> None:
    waiting = container("waiting", reason="ImagePullBackOff", message="Back-off")
    unscheduled: JsonValue = [{"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available"}]
    whole = evidence(pod())
    assert said(replace(whole, driver_installed=False))[1] == "CSIDriverMissing"
    unbound = replace(whole, claim={"status": {"phase": "Pending"}})
    assert said(unbound) == (Layer.KUBERNETES, "VolumeNotBound", "persistentvolume/pv.default.s3-claim")
    assert said(evidence(pod(conditions=unscheduled))) == (Layer.KUBERNETES, "Unschedulable", POD)
    assert said(evidence(pod(containerStatuses=waiting))) == (Layer.KUBERNETES, "ImagePullFailed", POD)


def test_a_failed_probe_tells_its_exit_code_and_the_end_of_its_log() -> None:
    ended = pod("Failed", containerStatuses=container("terminated", exitCode=2))
    link = broken_link(evidence(ended, log="x" * 5000 + " Input/output error"))
    assert link is not None
    assert "exit code 2" in link.problem.detail
    assert link.problem.detail.endswith("Input/output error")
    assert len(link.problem.detail) < 1000
    assert said(evidence(ended, log="rm: can't remove: Operation not permitted"))[1] == "AccessDenied"


def test_a_probe_that_hangs_is_ended_and_said_to_be() -> None:
    ended = pod("Failed", reason="DeadlineExceeded", containerStatuses=container("terminated", exitCode=137))
    link = broken_link(evidence(ended))
    assert link is not None
    assert "DeadlineExceeded" in link.problem.detail
    assert link.patience == timedelta(0)


def test_a_link_gets_time_to_come_right_from_when_it_could_first_hold() -> None:
    unscheduled: JsonValue = [{"type": "PodScheduled", "status": "False"}]
    mount = broken_link(evidence(pod(), *reported("Access Denied")))
    node = broken_link(evidence(pod(conditions=unscheduled)))
    assert mount is not None
    assert node is not None
    assert (mount.since, mount.patience) == (datetime(2026, 1, 1, 0, 1, tzinfo=UTC), SETTLING)
    assert (node.since, node.patience) == (datetime(2026, 1, 1, tzinfo=UTC), SCHEDULING)


@pytest.mark.parametrize("found", [pod("Running"), pod(), {"metadata": {"creationTimestamp": CREATED}}])
def test_a_probe_on_its_way_has_no_broken_link(found: dict[str, JsonValue]) -> None:
    assert broken_link(evidence(found)) is None
    assert not succeeded(found)


def test_a_running_probe_has_left_an_earlier_refusal_behind() -> None:
    assert broken_link(evidence(pod("Running"), *reported("Access Denied"))) is None
    assert succeeded(pod("Succeeded"))


@pytest.mark.parametrize("claim", ["a", "s3-claim", "a" * 57, "a" * 58, "a" * 63, f"{'a' * 47}.{'b' * 60}"])
def test_the_name_of_a_probe_fits_and_differs_by_claim(claim: str) -> None:
    mount, other = replace(MOUNT, claim=claim), replace(MOUNT, claim=f"{claim}b")
    assert len(mount.probe) <= 63
    assert mount.probe != other.probe
    assert mount.probe.endswith("-probe")


def test_the_probe_has_no_token_no_root_and_an_end() -> None:
    spec = probe_pod(MOUNT, {}, "operation")["spec"]
    assert isinstance(spec, dict)
    assert spec["automountServiceAccountToken"] is False
    assert spec["restartPolicy"] == "Never"
    assert spec["activeDeadlineSeconds"] == 600
    context = spec["securityContext"]
    assert isinstance(context, dict)
    # Whoever is not root uses a mount by its group.
    assert (context["runAsNonRoot"], context["fsGroup"]) == (True, context["runAsGroup"])


def test_only_a_probed_claim_carries_the_operation_that_probed_it() -> None:
    assert "annotations" not in str(persistent_volume_claim(MOUNT, {}))
    assert "'instantstart/probed-by': 'operation'" in str(persistent_volume_claim(MOUNT, {}, "operation"))
