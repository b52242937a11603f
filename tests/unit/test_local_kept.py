"""The file in which a local host outlives its process."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.local import kept
from infra.local.__main__ import kept_for
from infra.local.engine.state import Unfinished
from infra.local.images import HostImage
from infra.local.kept import OtherVersion

IMAGE = HostImage(
    region="us-west-2",
    time=1.5,
    person_token="person",
    page_token_key="pages",
    world=b"world",
    engine={"dynamodb": b"tables"},
    identities=({}, 3),
    undelivered=b"",
    unfinished=(Unfinished("machine", "name", "{}"),),
)


def test_what_was_written_is_read_again_and_only_its_owner_may(tmp_path: Path) -> None:
    assert kept.read(tmp_path) is None
    kept.write(tmp_path, IMAGE)
    assert kept.read(tmp_path) == IMAGE
    assert [path.name for path in tmp_path.iterdir()] == [kept.NAME]
    assert stat.S_IMODE((tmp_path / kept.NAME).stat().st_mode) == 0o600


def test_what_other_code_wrote_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.write(tmp_path, IMAGE)
    monkeypatch.setattr(kept, "code", lambda: "other")
    with pytest.raises(OtherVersion, match="another version"):
        kept.read(tmp_path)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda content: content[:-1], id="cut off"),
        pytest.param(lambda content: content[:-1] + bytes([content[-1] ^ 1]), id="changed"),
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: b"[]\n" + content, id="no header"),
    ],
)
def test_a_damaged_file_is_refused_unread(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    kept.write(tmp_path, IMAGE)
    path = tmp_path / kept.NAME
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(OtherVersion, match="damaged"):
        kept.read(tmp_path)


def test_a_state_of_another_region_or_version_is_told_and_not_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept.write(tmp_path, IMAGE)
    assert kept_for(tmp_path, "us-west-2") == IMAGE
    assert kept_for(tmp_path, "us-east-1") is None
    assert "Starting empty" in capsys.readouterr().out
