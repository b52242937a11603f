"""The demo's agent: how a conversation ends that does not go as it should, and what is printed of one that does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, Tool

from infra.local.demo_agent.conversation import converse
from infra.local.demo_agent.transcript import Transcript

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

Json = dict[str, Any]
Answers = dict[str, Json]

NOON = datetime(2026, 9, 4, 12, tzinfo=UTC)
BEGUN: Json = {
    "operation_id": "01A",
    "kind": "create_foundation",
    "cluster_tag": "hypd-0304b",
    "status": "PENDING",
    "expected_seconds": 20,
    "replayed": True,
}
FAILED: Json = {
    "operation_id": "01A",
    "kind": "create_foundation",
    "status": "FAILED",
    "error": {"detail": "No VPC is left.", "remedy": "Raise the quota."},
}
OTHER: Json = {**FAILED, "operation_id": "01B"}
ANSWERS: Answers = {
    "cluster_list_all": {"clusters": []},
    "cluster_create_eks": BEGUN,
    "wait_seconds": {"waited_seconds": 20, "remaining_seconds": 0},
    "cluster_get_eks_creation_status": {"operations": [FAILED]},
}


def ended(answers: Answers) -> str | None:
    """Hold the conversation with a server of these answers, in which a code is a refusal's; say how it ended."""

    async def call(_: ServerRequestContext[Any], params: CallToolRequestParams) -> CallToolResult:
        content = answers[params.name]
        return CallToolResult(content=[], structured_content=content, is_error="code" in content)

    async def listed(_: ServerRequestContext[Any], __: PaginatedRequestParams | None) -> ListToolsResult:
        told: Json = {"type": "object", "properties": {"clusters": {"type": "array"}}}
        taken: Json = {"type": "object"}
        return ListToolsResult(tools=[Tool(name=each, input_schema=taken, output_schema=told) for each in answers])

    server: Server[Any] = Server("answers", on_call_tool=call, on_list_tools=listed)
    return asyncio.run(converse(server, lambda: NOON))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ("01A ended FAILED", "No VPC is left.", "Raise the quota.")),
        ({"cluster_list_all": {"clusters": [{"tag": "hypd-0304b"}]}}, ("hypd-0304b is taken",)),
        ({"cluster_list_all": {"clusters": {}}}, ("cluster_list_all", "is not of type 'array'")),
        ({"cluster_create_eks": {"code": "forbidden", "detail": "No.", "remedy": "Ask."}}, ("No. Ask.",)),
        ({"cluster_create_eks": {**BEGUN, "replayed": False}}, ("another operation, 01A",)),
        ({"cluster_get_eks_creation_status": {"operations": []}}, ("knows of no operation",)),
        (
            {"cluster_get_eks_creation_status": {"operations": [OTHER]}},
            ("01B, not of 01A",),
        ),
    ],
)
def test_a_conversation_that_ends_otherwise_says_why(changed: Answers, words: tuple[str, ...]) -> None:
    why = ended({**ANSWERS, **changed})
    assert why is not None
    assert [each for each in words if each not in why] == []


def test_an_operation_that_never_ends_wears_the_agent_out() -> None:
    running = {"operations": [{**FAILED, "status": "RUNNING"}]}
    assert "has not ended" in (ended({**ANSWERS, "cluster_get_eks_creation_status": running}) or "")


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[str]]:
    return lambda: [line.strip() for line in capsys.readouterr().out.splitlines()]


def test_what_repeats_itself_is_counted_where_it_is_folded_and_nowhere_else(written: Callable[[], list[str]]) -> None:
    transcript = Transcript(lambda: NOON)
    with transcript.folded():
        for answer in ("RUNNING", "RUNNING", "RUNNING", "SUCCEEDED"):
            transcript.call(transcript.moment(), "look", {}, answer)
    transcript.call(transcript.moment(), "look", {}, "SUCCEEDED")
    repeated = "... and 2 times a call and an answer as above"
    look = "0:00  look {}"
    assert written() == [look, "RUNNING", repeated, look, "SUCCEEDED", look, "SUCCEEDED"]


def test_of_a_long_argument_both_ends_are_written(written: Callable[[], list[str]]) -> None:
    transcript = Transcript(lambda: NOON)
    transcript.call(transcript.moment(), "delete", {"confirm": f"begin-{'x' * 80}-finish"}, "gone")
    assert written() == ['0:00  delete {"confirm": "begin-xxxxxx...xxxxx-finish"}', "gone"]
