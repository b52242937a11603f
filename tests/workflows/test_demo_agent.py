"""The conversation of `make demo-agent`: the SDK's client and the gateway understand each other from end to end."""

from __future__ import annotations

import asyncio
import io
import re
from contextlib import redirect_stdout

import pytest

from infra.local import doors
from infra.local.demo_agent.conversation import address, converse
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from tests.host.states import back_to


@pytest.fixture(scope="module")
def told(session_host: LocalHost, empty_state: HostSnapshot) -> list[str]:
    """Every line of the conversation, its columns drawn together."""
    back_to(session_host, empty_state)
    printed = io.StringIO()
    with doors.opened(session_host) as opened, redirect_stdout(printed):
        why = asyncio.run(converse(address(opened), session_host.clock.now))
    assert why is None, f"{why}\n{printed.getvalue()}"
    return [" ".join(line.split()) for line in printed.getvalue().splitlines()]


def test_an_agent_creates_a_cluster_by_the_names_of_awss_tools_and_hands_over_its_summary(told: list[str]) -> None:
    called = [found["tool"] for line in told if (found := re.match(r"\d+:\d\d (?P<tool>\w+) {", line))]
    changing = [tool for tool in called if tool.endswith(("_create_eks", "_switch", "_dependencies", "_create"))]
    assert changing == [
        "cluster_create_eks",
        "cluster_create_eks",
        "cluster_switch",
        "cluster_configure_dependencies",
        "hyperpod_create",
        "s3_storage_create",
        "cluster_create",
    ]
    table = [line for line in told if line.startswith("|")]
    assert table == [
        "| EKS cluster | eks-cluster-hypd-0304b |",
        "| HyperPod cluster | hp-cluster-hypd-0304b |",
        "| Node | 1x ml.g6.4xlarge (On-Demand) |",
        "| Node status | Ready / Schedulable |",
        "| S3 storage | s3-claim mounted |",
    ]


def test_the_same_call_again_is_told_as_the_operation_that_it_began_before(told: list[str]) -> None:
    begun = [line for line in told if line.startswith("create_foundation") and "expected" in line]
    first, again = (line.split() for line in begun)
    assert first[:2] == again[:2]
    assert ("replayed" in " ".join(first), "replayed" in " ".join(again)) == (False, True)


def test_an_agents_pauses_are_short_and_repeated_looks_are_counted(told: list[str]) -> None:
    waited = {line for line in told if line.startswith("waited")}
    assert waited
    assert all(line.startswith("waited 20 s,") for line in waited)
    assert any(re.fullmatch(r"\.\.\. and \d+ times a call and an answer as above", line) for line in told)


@pytest.mark.case(80)
def test_an_agent_deletes_by_the_digest_of_that_deletions_preview_and_by_no_other(told: list[str]) -> None:
    refused = [line.split(": ")[1] for line in told if line.startswith("refused")]
    assert refused == ["confirmation_required", "preview_outdated"]
    previewed = next(place for place, line in enumerate(told) if line.startswith("preview of delete_cluster"))
    (lost,) = [line for line in told[previewed:] if line.startswith("delete HyperPod cluster")]
    assert lost == "delete HyperPod cluster hp-cluster-hypd-0304b -1.65 USD an hour for good"
    assert "keep S3 bucket sagemaker-hypd-0304b-123456789012-us-west-2" in told[previewed:]
    assert told[-1] == "no clusters"
