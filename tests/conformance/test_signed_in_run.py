"""`python -m infra.local --auth cognito`, reached through its ports only: by a browser's requests and a machine's."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener, urlopen

import pytest

from tests.conformance.conftest import PATIENCE_SECONDS, Json, LocalRun, serving


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalRun]:
    with serving(tmp_path_factory.mktemp("signed-in"), auth="cognito") as run:
        yield run


def read(address: str, fields: Mapping[str, str] | None = None) -> Json:
    content = None if fields is None else urlencode(fields).encode()
    with urlopen(Request(address, content), timeout=PATIENCE_SECONDS) as answer:
        return dict(json.load(answer))


class Nowhere(HTTPRedirectHandler):
    """Follows nothing, so that a redirect shows as what it is."""

    def redirect_request(self, *_: object) -> None:
        return None


def redirected(address: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Send a form and give what the redirect that answers it carries."""
    with pytest.raises(HTTPError) as redirect:
        build_opener(Nowhere).open(Request(address, urlencode(fields).encode()), timeout=PATIENCE_SECONDS)
    with redirect.value as answer:
        assert answer.code == 302
        return dict(parse_qsl(urlsplit(str(answer.headers["location"])).query))


def config(run: LocalRun) -> Json:
    return read(f"{run.endpoints['api'].removesuffix('/api')}/config.json")


def test_who_signs_in_as_the_console_does_is_let_in_as_far_as_their_groups(run: LocalRun) -> None:
    sign_in = config(run)["sign_in"]
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {
        "response_type": "code",
        "client_id": sign_in["client_id"],
        "redirect_uri": sign_in["callback_url"],
        "scope": " ".join(sign_in["scopes"]),
        "code_challenge": challenge,
        "code_challenge_method": "S256",
    }
    with urlopen(f"{sign_in['authorization_endpoint']}?{urlencode(asked)}", timeout=PATIENCE_SECONDS) as page:
        shown, login = page.read().decode(), urlsplit(page.url)
    assert all(f'value="{user}"' in shown for user in ("reader", "operator", "administrator"))
    code = redirected(f"{login.scheme}://{login.netloc}{login.path}", {**asked, "user": "reader"})["code"]
    proof = {
        "grant_type": "authorization_code",
        "client_id": sign_in["client_id"],
        "redirect_uri": sign_in["callback_url"],
        "code": code,
        "code_verifier": verifier,
    }
    token = read(sign_in["token_endpoint"], proof)["access_token"]
    assert run.send("GET", "/clusters", authorization=f"Bearer {token}").status == 200
    assert run.send("POST", "/clusters", {"tag": "t1"}, authorization=f"Bearer {token}").status == 403


def test_nobody_is_let_in_without_a_token(run: LocalRun) -> None:
    answer = run.send("GET", "/clusters")
    assert (answer.status, answer.body) == (401, {"message": "Unauthorized"})
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_machine_signs_in_with_the_secret_that_the_start_names(run: LocalRun) -> None:
    path = run.directory / "machine-client.json"
    assert str(path) in run.printed
    client = json.loads(path.read_text(encoding="utf-8"))
    token = read(config(run)["sign_in"]["token_endpoint"], {"grant_type": "client_credentials", **client})
    accepted = run.send(
        "POST", "/clusters?dry_run=true", {"tag": "t1"}, authorization=f"Bearer {token['access_token']}"
    )
    assert accepted.status == 200


def test_the_gateways_door_is_closed_to_whoever_has_no_role_of_it(run: LocalRun) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(f"{run.endpoints['internal']}/api/clusters", timeout=PATIENCE_SECONDS)
    with refused.value as answer:
        assert (answer.code, json.load(answer)) == (403, {"message": "Forbidden"})
