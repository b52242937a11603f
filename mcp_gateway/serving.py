"""Runs the SDK's application: it stays alive on one event loop, from one invocation to the next.

Lambda gives an execution environment one request at a time, so there it is one loop. A host that serves several at once
takes as many; each request runs on a loop of its own, in the thread and the context that it came with.
"""

from __future__ import annotations

import asyncio
import atexit
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp.server.lowlevel import Server
    from starlette.types import Message, Scope

    Served = Server[dict[str, object]]

LARGEST_REQUEST: Final = 256 * 1024
_BROKEN: Final = 500


@dataclass
class Answer:
    """One HTTP answer, as far as it has come."""

    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


class Loop:
    """An event loop with the application of a server on it."""

    def __init__(self, served: Served) -> None:
        self._loop = asyncio.new_event_loop()
        self._manager = StreamableHTTPSessionManager(
            served, json_response=True, stateless=True, max_request_body_size=LARGEST_REQUEST
        )
        alive = self._loop.create_future()
        self._life = self._loop.create_task(self._live(alive))
        self._loop.run_until_complete(alive)

    def answer(self, scope: Scope, body: bytes) -> Answer:
        """Answer one request."""
        return self._loop.run_until_complete(self._serve(scope, body))

    def close(self) -> None:
        """End the application and the loop."""
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(_ended(tasks))
        self._loop.close()

    async def _live(self, alive: asyncio.Future[None]) -> None:
        async with self._manager.run():
            alive.set_result(None)
            await self._loop.create_future()

    async def _serve(self, scope: Scope, body: bytes) -> Answer:
        answer, received = Answer(), False

        async def receive() -> Message:
            nonlocal received
            if received:
                # Nobody hangs up: who waits for that waits until the answer is there.
                await self._loop.create_future()
            received = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._manager.handle_request(scope, receive, answer.take)
        return answer


async def _ended(tasks: Iterable[asyncio.Task[object]]) -> None:
    """Wait until tasks have ended; how, whoever waited for them was told."""
    await asyncio.gather(*tasks, return_exceptions=True)


class Loops:
    """As many loops as requests have come at once, each with a server of its own."""

    def __init__(self, build: Callable[[], Served]) -> None:
        self._build = build
        self._idle: deque[Loop] = deque()
        atexit.register(self._close)

    def answer(self, scope: Scope, body: bytes) -> Answer:
        """Answer one request on a loop that no other request is on."""
        try:
            loop = self._idle.pop()
        except IndexError:
            loop = Loop(self._build())
        answered = Answer()
        try:
            answered = loop.answer(scope, body)
        finally:
            # What broke off may have taken the application with it.
            if answered.status < _BROKEN:
                self._idle.append(loop)
            else:
                loop.close()
        return answered

    def _close(self) -> None:
        while self._idle:
            self._idle.pop().close()
