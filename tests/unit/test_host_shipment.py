"""A release ships what its lock vouches for, or says why it must not be deployed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra.host.shipment import shipment
from infra.topology import CLUSTER_ARTIFACTS

if TYPE_CHECKING:
    from infra.release import ShippedChart

CONTENT = b"a packed chart"


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    return written(tmp_path, "f" * 40)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "packed/demo").mkdir(parents=True)
    (tmp_path / "packed/demo/its-own-name-1.2.3.tgz").write_bytes(CONTENT)
    return tmp_path / "packed"


def written(folder: Path, digest: str) -> Path:
    fields = {
        "release": "demo",
        "namespace": "n",
        "version": "1.2.3",
        "repository": "r",
        "commit": "c",
        "path": "p",
        "digest": digest,
    }
    entry = "".join(f'{key} = "{value}"\n' for key, value in fields.items())
    lock = folder / "charts.lock"
    lock.write_text(f"[[chart]]\n{entry}", encoding="utf-8")
    return lock


def of_clusters() -> set[str]:
    return {"foundation.yaml", "lifecycle/on_create.sh"}


def chart_of(charts: tuple[ShippedChart, ...]) -> ShippedChart:
    (found,) = charts
    return found


def test_a_locked_chart_is_shipped_beside_the_clusters_files(lock: Path, directory: Path) -> None:
    shipped = shipment("locked", lock=lock, directory=directory)
    chart = chart_of(shipped.release.charts)
    assert (chart.release, chart.version, chart.namespace) == ("demo", "1.2.3", "n")
    assert chart.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert set(shipped.files) == of_clusters() | {chart.key}
    assert shipped.files[chart.key] == CONTENT
    assert shipped.files["foundation.yaml"] == (CLUSTER_ARTIFACTS / "foundation.yaml").read_bytes()
    assert shipped.refused is None


def test_a_lock_without_a_digest_is_not_deployed(tmp_path: Path, directory: Path) -> None:
    shipped = shipment("locked", lock=written(tmp_path, ""), directory=directory)
    assert shipped.release.charts == ()
    assert set(shipped.files) == of_clusters()
    assert shipped.refused is not None
    assert "make charts" in shipped.refused


@pytest.mark.parametrize("archives", [[], ["one.tgz", "two.tgz"]])
def test_a_chart_that_is_not_packed_once_is_not_deployed(lock: Path, tmp_path: Path, archives: list[str]) -> None:
    (tmp_path / "other/demo").mkdir(parents=True)
    for name in archives:
        (tmp_path / "other/demo" / name).write_bytes(CONTENT)
    shipped = shipment("locked", lock=lock, directory=tmp_path / "other")
    assert shipped.refused is not None
    assert "make charts" in shipped.refused


def test_stand_ins_are_shipped_when_they_are_chosen() -> None:
    shipped = shipment("stand_in")
    assert [chart.release for chart in shipped.release.charts] == ["dependencies"]
    assert shipped.refused is None


def test_a_release_is_named_after_its_files(lock: Path, directory: Path) -> None:
    first = shipment("locked", lock=lock, directory=directory).release.name
    assert shipment("locked", lock=lock, directory=directory).release.name == first
    (directory / "demo/its-own-name-1.2.3.tgz").write_bytes(CONTENT + b"!")
    assert shipment("locked", lock=lock, directory=directory).release.name != first


def test_its_files_lie_under_their_paths(lock: Path, directory: Path, tmp_path: Path) -> None:
    shipped = shipment("locked", lock=lock, directory=directory)
    root = shipped.write(tmp_path / "out")
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert found == dict(shipped.files)
