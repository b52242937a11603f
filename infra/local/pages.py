"""The console's files, as CloudFront serves them: by the rules of `infra/host/edge_functions/pages.js`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infra.host.pages import FOR_EVER, FRESH, NAMED_BY_CONTENT, security_headers
from infra.local import sockets
from infra.local.messages import HttpRequest, HttpResponse
from infra.topology import MCP_PATH

if TYPE_CHECKING:
    from pathlib import Path

INDEX: Final = "/index.html"
# What other parts of a deployment answer: the first three are behaviours of its distribution, the rest has hosts of its
# own there.
_OF_OTHERS: Final = ("/api", MCP_PATH, "/.well-known", sockets.PATH, "/oauth2", "/login", "/logout")
_AT_THE_TOP: Final = re.compile(r"/[^/]+\.[a-z0-9]+", re.IGNORECASE)
_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
_UNBUILT: Final = "The console is not built here. `make console` builds it; `make run` does so by itself.\n"


def file_of(path: str) -> str:
    """Name the file that answers a path: its own, or the one document that shows every page."""
    return path if path.startswith(f"/{NAMED_BY_CONTENT}/") or _AT_THE_TOP.fullmatch(path) else INDEX


@dataclass(frozen=True)
class Pages:
    """The pages of a folder; without one, or while it is not built, they say how it is built."""

    folder: Path | None

    def answer(self, request: HttpRequest, origin: str) -> HttpResponse | None:
        """Answer a request for a page or a file; None for what is not of the console. `origin` is the host's own."""
        if request.method not in ("GET", "HEAD") or any(_within(request.path, other) for other in _OF_OTHERS):
            return None
        answer = self._file(request)
        answer.headers |= security_headers([origin.replace("http", "ws", 1)])
        return answer

    def _file(self, request: HttpRequest) -> HttpResponse:
        name = file_of(request.path)
        content = self._read(name)
        if content is None:
            text = _UNBUILT if name == INDEX else "There is no such file.\n"
            return HttpResponse(404, {"content-type": _TYPES["txt"], "cache-control": "no-store"}, text.encode())
        lasting = name.startswith(f"/{NAMED_BY_CONTENT}/")
        headers = {
            "cache-control": FOR_EVER if lasting else FRESH,
            "content-type": _TYPES.get(name.rpartition(".")[2], "application/octet-stream"),
            "etag": f'"{hashlib.sha256(content).hexdigest()[:32]}"',
        }
        if headers["etag"] in request.headers.get("if-none-match", ""):
            return HttpResponse(304, headers)
        return HttpResponse(200, headers, content)

    def _read(self, name: str) -> bytes | None:
        """Read a file of the folder, and of nothing beside it."""
        if self.folder is None:
            return None
        root = self.folder.resolve()
        path = (root / name.lstrip("/")).resolve()
        return path.read_bytes() if path.is_relative_to(root) and path.is_file() else None


def _within(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")
