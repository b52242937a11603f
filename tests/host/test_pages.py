"""The console's files on the local host: which file answers, by which headers, and nothing beside the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from infra.host.pages import FOR_EVER, FRESH, security_headers
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.pages import Pages
from tests.host.driver import Driver

ORIGIN: Final = "http://localhost:3099"
DOCUMENT: Final = b"<!doctype html><title>console</title>"


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    build = tmp_path / "dist"
    (build / "assets").mkdir(parents=True)
    (build / "index.html").write_bytes(DOCUMENT)
    (build / "assets" / "index-1.js").write_bytes(b"let x")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return Pages(build)


def get(pages: Pages, path: str, method: str = "GET", **headers: str) -> HttpResponse:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = pages.answer(HttpRequest(method, path, headers=sent), ORIGIN)
    assert answer is not None
    return answer


@pytest.mark.parametrize("path", ["/", "/clusters/first", "/catalog/ml.p5.48xlarge", "/operations/01ARZ3"])
def test_every_page_is_the_one_document_which_is_asked_for_anew(pages: Pages, path: str) -> None:
    answer = get(pages, path)
    assert (answer.status, answer.body, answer.headers["cache-control"]) == (200, DOCUMENT, FRESH)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_what_is_named_by_its_content_lasts(pages: Pages) -> None:
    answer = get(pages, "/assets/index-1.js")
    assert (answer.status, answer.headers["cache-control"]) == (200, FOR_EVER)
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"


def test_what_a_browser_has_already_is_not_sent_again(pages: Pages) -> None:
    tag = get(pages, "/").headers["etag"]
    again = get(pages, "/", if_none_match=tag)
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
    assert get(pages, "/", if_none_match='"other"').status == 200


def test_each_answer_has_the_headers_of_the_deployment(pages: Pages) -> None:
    wanted = security_headers(["ws://localhost:3099"])
    for path in ("/", "/assets/index-1.js", "/assets/missing.js", "/favicon.ico"):
        assert wanted.items() <= get(pages, path).headers.items()


@pytest.mark.parametrize("path", ["/assets/missing.js", "/favicon.ico", "/assets/../../secret.txt", "/assets/"])
def test_a_file_that_is_not_there_is_missing_and_no_page(pages: Pages, path: str) -> None:
    assert get(pages, path).status == 404


@pytest.mark.parametrize("path", ["/api", "/api/clusters", "/mcp", "/.well-known/x", "/ws", "/oauth2/token", "/login"])
def test_what_others_answer_is_left_to_them(pages: Pages, path: str) -> None:
    assert pages.answer(HttpRequest("GET", path), ORIGIN) is None


def test_nothing_but_reading_is_of_the_console(pages: Pages) -> None:
    assert pages.answer(HttpRequest("POST", "/"), ORIGIN) is None
    assert get(pages, "/", "HEAD").status == 200


def test_a_host_without_a_built_console_says_how_to_build_it(driver: Driver) -> None:
    answer = driver.host.request("GET", "/")
    assert (answer.status, b"make console" in answer.body) == (404, True)
