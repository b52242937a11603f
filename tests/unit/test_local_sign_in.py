"""The pieces of the local sign-in that need no host: tokens, the file of users, the start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra.local.__main__ import main
from infra.local.sign_in.keys import BadToken, SigningKey, decoded, encoded, verified
from infra.local.sign_in.users import BadUsers, User, kept_in

if TYPE_CHECKING:
    from pydantic import JsonValue


@pytest.fixture(scope="module")
def key() -> SigningKey:
    return SigningKey()


def test_a_token_says_what_was_signed(key: SigningKey) -> None:
    claims: dict[str, JsonValue] = {"sub": "ann", "aud": ["a", "b"], "exp": 1}
    assert verified(key.sign(claims), {key.id: key.public}) == claims


def test_a_token_is_only_good_under_the_id_of_its_key(key: SigningKey) -> None:
    with pytest.raises(BadToken):
        verified(key.sign({}), {"other": key.public})


@pytest.mark.parametrize("algorithm", ["none", "HS256", "RS512", "rs256", None])
def test_no_other_way_of_signing_is_taken(key: SigningKey, algorithm: str | None) -> None:
    _, claims, signature = key.sign({"sub": "ann"}).split(".")
    header = encoded(json.dumps({"alg": algorithm, "kid": key.id}).encode())
    with pytest.raises(BadToken):
        verified(f"{header}.{claims}.{signature}", {key.id: key.public})


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_token_that_was_changed_anywhere_is_refused(key: SigningKey, part: int) -> None:
    parts = key.sign({"sub": "ann"}).split(".")
    content = bytearray(decoded(parts[part]))
    content[len(content) // 2] ^= 1
    parts[part] = encoded(bytes(content))
    with pytest.raises(BadToken):
        verified(".".join(parts), {key.id: key.public})


@pytest.mark.parametrize("claims", ["[]", '"ann"', "7", "null"])
def test_claims_that_are_no_object_are_refused(key: SigningKey, claims: str) -> None:
    signed = key.sign(json.loads(claims))
    with pytest.raises(BadToken):
        verified(signed, {key.id: key.public})


def test_there_is_somebody_of_each_group_until_a_person_says_otherwise(tmp_path: Path) -> None:
    names = {user.name: user.groups for user in kept_in(tmp_path)}
    assert names == {
        "reader": ("instantstart-readers",),
        "operator": ("instantstart-operators",),
        "administrator": ("instantstart-administrators",),
    }
    (tmp_path / "users.json").write_text('{"users": [{"name": "mia"}]}', encoding="utf-8")
    assert kept_in(tmp_path) == (User(name="mia"),)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"users": []}',
        '{"users": [{"name": "Ann Lee"}]}',
        '{"users": [{"name": "ann", "group": "instantstart-readers"}]}',
    ],
)
def test_a_file_of_users_that_cannot_be_read_is_named_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    path = tmp_path / "users.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadUsers, match="Mend it"):
        kept_in(tmp_path)
    assert main(["--auth", "cognito", "--port", "0", "--directory", str(tmp_path)]) == 1
    assert capsys.readouterr().err.startswith(f"{path} is no list of users")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("{", "Expecting property name"),
        ('{"deployer": "instantstart-operators"}', "deployer is no ARN of a role"),
        ('{"arn:aws:iam::123456789012:role/a": "admins"}', "admins of arn:aws:iam::123456789012:role/a is no group"),
    ],
)
def test_agents_roles_that_count_for_nothing_are_named_before_anything_is_served(
    given: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--agent-roles", given])
    assert ended.value.code == 2
    assert named in capsys.readouterr().err
