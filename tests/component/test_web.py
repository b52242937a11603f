"""HTTP to other addresses: an answer, or in what way there was none, so that who asked knows what to do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest

from functions.core.web import ConnectionBroken, SystemWeb, Unreachable, WebRequest

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok"
Talk = Callable[[socket.socket], None]


@contextmanager
def serving(*talks: Talk) -> Iterator[str]:
    """Serve one connection after the other, each by its own talk."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:

        def serve() -> None:
            for talk in talks:
                accepted, _ = listener.accept()
                with closing(accepted):
                    talk(accepted)

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/x?a=b%2Fc"
        server.join(5)


def answer(accepted: socket.socket) -> None:
    accepted.recv(65536)
    accepted.sendall(ANSWER)


def hang_up(accepted: socket.socket) -> None:
    accepted.recv(65536)


def be_silent(accepted: socket.socket) -> None:
    accepted.recv(65536)
    accepted.recv(65536)  # until the caller has had enough


def test_an_answer_comes_with_its_headers_in_lower_case() -> None:
    with serving(answer) as url:
        got = SystemWeb().send(WebRequest("GET", url, {"a": "b"}), 5)
    assert (got.status, got.headers["x-a"], got.body) == (200, "b", b"ok")


def test_a_connection_stays_open_for_the_next_request() -> None:
    def twice(accepted: socket.socket) -> None:
        answer(accepted)
        answer(accepted)

    web = SystemWeb()
    with serving(twice) as url:
        assert [web.send(WebRequest("GET", url, {}), 5).body for _ in range(2)] == [b"ok", b"ok"]


def test_a_connection_that_breaks_off_is_told_from_one_that_stays_silent() -> None:
    with serving(hang_up) as url, pytest.raises(ConnectionBroken):
        SystemWeb().send(WebRequest("POST", url, {}, b"{}"), 5)
    with serving(be_silent) as url, pytest.raises(Unreachable) as silent:
        SystemWeb().send(WebRequest("GET", url, {}), 0.2)
    assert not isinstance(silent.value, ConnectionBroken)


def test_where_nothing_listens_nothing_is_reached() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with pytest.raises(Unreachable):
        SystemWeb().send(WebRequest("GET", f"http://127.0.0.1:{port}/", {}), 1)
