"""What `make demo` tells a newcomer, read line by line."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.conformance.conftest import ROOT


def test_the_demo_ends_with_a_release_a_ready_node_and_the_pods_of_its_daemonsets() -> None:
    played = subprocess.run(
        [sys.executable, "-m", "infra.local.demo"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert played.returncode == 0, played.stdout + played.stderr
    told = [" ".join(line.split()) for line in played.stdout.splitlines()]
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
