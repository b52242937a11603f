"""What `make demo` tells a newcomer, read line by line."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conformance.conftest import ROOT


@pytest.fixture(scope="module")
def told() -> list[str]:
    """Every line of the demo, its columns drawn together."""
    played = subprocess.run(
        [sys.executable, "-m", "infra.local.demo"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert played.returncode == 0, played.stdout + played.stderr
    return [" ".join(line.split()) for line in played.stdout.splitlines()]


def test_the_demo_shows_a_release_a_ready_node_and_the_pods_of_its_daemonsets(told: list[str]) -> None:
    assert "| S3 storage | s3-claim mounted |" in told
    assert any(re.search(r"release dependencies in kube-system \(\S+, deployed\)", line) for line in told)
    running = {
        found["daemonset"] for line in told if (found := re.fullmatch(r"\S+ (?P<daemonset>\S+)-\w{5} Running", line))
    }
    assert running == {
        "aws-node",
        "eks-pod-identity-agent",
        "health-monitoring-agent",
        "kube-proxy",
        "nvidia-device-plugin",
        "s3-csi-node",
    }


@pytest.mark.case(15)
def test_the_demo_is_refused_a_plan_in_the_wrong_zone_and_told_the_right_one(told: list[str]) -> None:
    refused = next(place for place, line in enumerate(told) if line.startswith("409 Conflict"))
    assert "us-west-2c" in told[refused]
    assert told[refused + 1] == "allowed: us-west-2b"
    created = "| Node | 1x ml.g6.4xlarge (Spot), 1x ml.p5.48xlarge (training plan), 1x ml.c5.4xlarge (On-Demand) |"
    assert created in told[refused:]


def test_the_demo_sees_a_broken_node_replaced_by_another(told: list[str]) -> None:
    seen = [found.groups() for line in told if (found := re.fullmatch(r"\S+ (hyperpod-i-\w+) (\w+)", line))]
    assert [health for _, health in seen] == ["Schedulable", "UnschedulablePendingReplacement", "Schedulable"]
    assert seen[0][0] == seen[1][0] != seen[2][0]


@pytest.mark.case(7)
def test_the_demo_takes_in_a_cluster_of_others_with_consent_and_forgets_it(told: list[str]) -> None:
    refused = next(place for place, line in enumerate(told) if "UNSUPPORTED_AUTH_MODE" in line)
    assert "KubernetesReachable True" in told[refused:]
    [forgotten] = [line for line in told if line.startswith("legacy-1 is forgotten")]
    assert "legacy-1" in forgotten.partition("EKS lists")[2]
