"""The scripted agent: it calls tools, reads what they answer, and goes on by that alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from mcp.shared.exceptions import MCPError

from infra.local.demo.telling import ENDED, Json
from infra.local.demo_agent.lines import line_of, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp.client.client import Client
    from pydantic import JsonValue

    from infra.local.demo_agent.transcript import Transcript

_T = TypeVar("_T")
_WAIT: Final = "wait_seconds"
# As patient as an agent is: who has waited so often asks a person.
_LOOK_EVERY_SECONDS: Final = 120
_LOOKS: Final = 300


class Otherwise(Exception):
    """The conversation does not go as it should; the message says what happened, and what it says against it."""


class Agent:
    """One agent at one connection."""

    def __init__(self, client: Client, transcript: Transcript) -> None:
        self._client = client
        self.transcript = transcript

    def say(self, words: str) -> None:
        """Speak to the person."""
        self.transcript.agent(words)

    async def call(self, tool: str, **arguments: JsonValue) -> Json:
        """Call a tool and give its answer; raise Otherwise when it refuses."""
        is_refused, answer = await self._asked(tool, arguments)
        if is_refused:
            raise Otherwise(f"{tool} refused: {answer.get('detail')} {answer.get('remedy', '')}".rstrip())
        return answer

    async def refused(self, code: str, tool: str, **arguments: JsonValue) -> Json:
        """Call a tool that has to refuse for a reason, and give the refusal; raise Otherwise when it does not."""
        is_refused, answer = await self._asked(tool, arguments)
        if is_refused and answer.get("code") == code:
            return answer
        raise Otherwise(f"{tool} should have refused by {code}, and answered {line_of(answer)}.")

    async def following(self, answer: Json) -> Json:
        """Make the call that an answer names as the next one."""
        following = need(answer.get("next"), "an answer names no next call")
        return await self.call(following["tool"], **following["arguments"])

    async def ended(self, begun: Json, status_tool: str) -> Json:
        """Wait and look by a status tool until the operation has succeeded; give it as it ended."""
        pause = min(_LOOK_EVERY_SECONDS, begun["expected_seconds"])
        with self.transcript.folded():
            for _ in range(_LOOKS):
                await self._pause(pause)
                operation = await self._newest(status_tool, begun)
                if operation["status"] in ENDED:
                    return succeeded(operation)
        raise _not_ended(begun)

    async def waited_out(self, begun: Json) -> Json:
        """Look by the call that each answer names, until the operation has succeeded; give it as it ended."""
        answer = begun
        with self.transcript.folded():
            for _ in range(_LOOKS):
                if answer["status"] in ENDED:
                    return succeeded(answer)
                answer = await self.following(answer)
        raise _not_ended(begun)

    async def _newest(self, status_tool: str, begun: Json) -> Json:
        found = await self.call(status_tool, clusterTag=begun["cluster_tag"])
        operation: Json = need(next(iter(found["operations"]), None), f"{status_tool} knows of no operation")
        told, wanted = operation["operation_id"], begun["operation_id"]
        if told != wanted:
            raise Otherwise(f"{status_tool} tells of {told}, not of {wanted}.")
        return operation

    async def _pause(self, seconds: int) -> None:
        """Wait as long as wished: one call waits for a part of it, and names the call for the rest."""
        answer = await self.call(_WAIT, seconds=seconds)
        while "next" in answer:
            answer = await self.following(answer)

    async def _asked(self, tool: str, arguments: Mapping[str, JsonValue]) -> tuple[bool, Json]:
        moment = self.transcript.moment()
        try:
            result = await self._client.call_tool(tool, dict(arguments))
        except (MCPError, RuntimeError) as error:  # RuntimeError is the SDK's for an answer against its tool's schema
            raise Otherwise(f"{tool}: {error}") from error
        answer: Json = result.structured_content or {}
        told = refusal(answer) if result.is_error else line_of(answer)
        self.transcript.call(moment, tool, dict(arguments), told)
        return bool(result.is_error), answer


def _not_ended(begun: Json) -> Otherwise:
    return Otherwise(f"{begun['kind']} {begun['operation_id']} has not ended after {_LOOKS} looks.")


def succeeded(operation: Json) -> Json:
    """Give an operation that has succeeded; raise Otherwise with the cause and the remedy of one that has not."""
    if operation["status"] == "SUCCEEDED":
        return operation
    error = operation.get("error", {})
    cause = f"{error.get('detail', 'no cause is told')} {error.get('remedy', '')}".rstrip()
    raise Otherwise(f"{operation['kind']} {operation['operation_id']} ended {operation['status']}: {cause}")


def need(value: _T | None, why: str) -> _T:
    """Give what an answer has to hold; raise Otherwise where it is missing."""
    if value is None:
        raise Otherwise(f"{why}.")
    return value
