"""What CloudFront's functions answer, run as they are in a JavaScript that has the language and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from infra.host.addresses import PROTECTED_RESOURCE_PATHS
from infra.host.console import EDGE_FUNCTIONS
from infra.local.front import challenge
from infra.local.messages import HttpRequest
from infra.local.pages import file_of

NODE: Final = Path(sys.executable).parent / "node"
# A context of its own has no require, no fetch, no timer: CloudFront has none either.
HARNESS: Final = """
const [source, event] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answer = require("vm").runInNewContext(`${source}\\nJSON.stringify(handler(${JSON.stringify(event)}))`);
process.stdout.write(answer);
"""
HOST: Final = "d111111abcdef8.cloudfront.net"
TOKEN: Final = "Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln"
# CloudFront Functions quota: a function has at most 10 KB.
MAX_BYTES: Final = 10 * 1024

Json = dict[str, dict[str, dict[str, str]]]


def run(name: str, uri: str, method: str = "GET", **headers: str) -> dict[str, object]:
    """Run a function on a viewer request and give what it returns."""
    request = {
        "method": method,
        "uri": uri,
        "querystring": {},
        "cookies": {},
        "headers": {each.replace("_", "-"): {"value": value} for each, value in {"host": HOST, **headers}.items()},
    }
    event = {"version": "1.0", "context": {"eventType": "viewer-request"}, "viewer": {}, "request": request}
    source = (EDGE_FUNCTIONS / f"{name}.js").read_text(encoding="utf-8")
    ran = subprocess.run(
        [NODE, "-e", HARNESS], input=json.dumps([source, event]), capture_output=True, text=True, check=True
    )
    answer = json.loads(ran.stdout)
    assert isinstance(answer, dict)
    return answer


def header(answer: dict[str, object], name: str) -> str:
    headers = answer["headers"]
    assert isinstance(headers, dict)
    return str(headers[name]["value"])


def challenged(answer: dict[str, object]) -> bool:
    return answer.get("statusCode") == 401


@pytest.mark.case(76)
def test_a_call_without_a_token_is_told_where_the_resource_is_described() -> None:
    answer = run("challenge", "/mcp", "POST", content_type="application/json")

    assert answer["statusCode"] == 401
    metadata = f"https://{HOST}{PROTECTED_RESOURCE_PATHS[-1]}"
    assert header(answer, "www-authenticate") == f'Bearer resource_metadata="{metadata}"'
    assert header(answer, "cache-control") == "no-store"


def test_the_challenge_is_a_problem_with_a_remedy() -> None:
    answer = run("challenge", "/mcp", "POST")

    assert header(answer, "content-type") == "application/problem+json"
    body = answer["body"]
    assert isinstance(body, dict)
    problem = json.loads(body["data"])
    assert (problem["status"], problem["code"]) == (401, "unauthenticated")
    assert PROTECTED_RESOURCE_PATHS[-1] in problem["remedy"]


@pytest.mark.case(76)
@pytest.mark.parametrize("value", [None, "", "Bearer", "Bearer ", "Basic dTpw", "bearer abc", TOKEN])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_the_local_host_asks_for_a_token_in_the_same_words(method: str, value: str | None) -> None:
    headers = {} if value is None else {"authorization": value}
    there = run("challenge", "/mcp", method, **headers)
    here = challenge(HttpRequest(method, "/mcp", "", headers), f"https://{HOST}")

    assert (here is not None) == challenged(there)
    if here is not None:
        body = there["body"]
        assert isinstance(body, dict)
        assert json.loads(here.body) == json.loads(body["data"])
        shared = ("access-control-allow-origin", "access-control-expose-headers")
        for name in ("www-authenticate", "content-type", "cache-control", *shared):
            assert here.headers[name] == header(there, name)


@pytest.mark.case(77)
def test_a_call_with_a_token_goes_on_as_it_came_and_is_judged_by_the_authoriser() -> None:
    answer = run("challenge", "/mcp", "POST", authorization=TOKEN)

    assert (answer["uri"], answer["method"], header(answer, "authorization")) == ("/mcp", "POST", TOKEN)


@pytest.mark.parametrize("scheme", ["bearer", "BEARER"])
def test_the_scheme_is_read_whatever_its_case(scheme: str) -> None:
    assert not challenged(run("challenge", "/mcp", "POST", authorization=f"{scheme} abc"))


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer ", "Basic dTpw", "AWS4-HMAC-SHA256 Credential=a/b"])
def test_what_is_no_bearer_token_is_challenged(value: str) -> None:
    assert challenged(run("challenge", "/mcp", "POST", authorization=value))


def test_a_browsers_question_whether_it_may_call_is_not_challenged() -> None:
    answer = run("challenge", "/mcp", "OPTIONS", origin="https://inspector.example")

    assert answer["method"] == "OPTIONS"


def test_an_agent_in_a_browser_reads_the_challenge_from_whatever_page_it_is_on() -> None:
    answer = run("challenge", "/mcp", "POST", origin="https://inspector.example")

    assert header(answer, "access-control-allow-origin") == "*"
    assert header(answer, "access-control-expose-headers") == "www-authenticate"


def test_an_agent_in_a_browser_may_look_up_how_to_sign_in_with_headers_of_its_own() -> None:
    asked = {"origin": "https://inspector.example", "access_control_request_headers": "mcp-protocol-version"}
    answer = run("documents", PROTECTED_RESOURCE_PATHS[-1], "OPTIONS", **asked)

    assert answer["statusCode"] == 204
    assert header(answer, "access-control-allow-origin") == "*"
    assert header(answer, "access-control-allow-headers") == "*"
    assert "GET" in header(answer, "access-control-allow-methods")


def test_a_look_at_a_document_goes_on_as_it_came() -> None:
    assert run("documents", PROTECTED_RESOURCE_PATHS[-1])["uri"] == PROTECTED_RESOURCE_PATHS[-1]


@pytest.mark.parametrize("name", ["challenge", "documents"])
def test_what_a_function_answers_itself_binds_no_other_host_of_a_domain_to_tls(name: str) -> None:
    answer = run(name, "/mcp", "POST" if name == "challenge" else "OPTIONS")

    assert header(answer, "strict-transport-security") == "max-age=63072000"


@pytest.mark.parametrize(
    "uri", ["/", "/clusters", "/clusters/demo/", "/catalog/ml.p5.48xlarge", "/operations/01J/stages", "/assets"]
)
def test_the_address_of_a_page_leads_to_the_consoles_document(uri: str) -> None:
    assert run("pages", uri)["uri"] == "/index.html"


@pytest.mark.parametrize(
    "uri", ["/index.html", "/config.json", "/favicon.svg", "/assets/index-Bx1.js", "/assets/a/b.map"]
)
def test_a_file_stays_itself_so_that_a_missing_one_is_told_as_missing(uri: str) -> None:
    assert run("pages", uri)["uri"] == uri


@pytest.mark.case(69)
@pytest.mark.parametrize("uri", ["/prod/clusters/demo", "/instantstart/catalog/ml.p5.48xlarge"])
def test_a_page_under_a_base_path_is_a_page_too(uri: str) -> None:
    assert run("pages", uri)["uri"] == "/index.html"


@pytest.mark.parametrize("path", sorted(EDGE_FUNCTIONS.glob("*.js")), ids=lambda path: path.name)
def test_every_function_is_small_enough_for_cloudfront(path: Path) -> None:
    assert path.stat().st_size <= MAX_BYTES


@pytest.mark.parametrize(
    "path",
    ["/", "/clusters/first", "/catalog/ml.p5.48xlarge", "/icon.svg", "/assets/a.js", "/assets/", "/a/b.js"],
)
def test_the_local_host_serves_the_file_that_cloudfront_serves(path: str) -> None:
    assert file_of(path) == run("pages", path)["uri"]
