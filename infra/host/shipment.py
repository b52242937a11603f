"""What a release ships for managed clusters: their template, their lifecycle script, the Helm charts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infra.charts import LOCK, PACKED, ChartRefused, deployable, packed
from infra.local.charts_standin import packed as stand_ins
from infra.release import Release, ShippedChart, artifacts
from infra.topology import CLUSTER_ARTIFACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.host.context import Charts

_DIGITS: Final = 12


@dataclass(frozen=True)
class Shipment:
    """A release and its files, by their paths under its prefix; `refused` says why it must not be deployed."""

    release: Release
    files: Mapping[str, bytes]
    refused: str | None = None

    def write(self, directory: Path) -> Path:
        """Write the files into a directory, and give it."""
        for path, content in self.files.items():
            target = directory / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        return directory


def shipment(charts: Charts, *, lock: Path = LOCK, directory: Path = PACKED) -> Shipment:
    """Collect what a release ships; its name follows from the files, so the same files are the same release."""
    files = {path.relative_to(CLUSTER_ARTIFACTS).as_posix(): path.read_bytes() for path in artifacts()}
    if charts == "stand_in":
        shipped = {ShippedChart(c.release, c.version, c.key, c.sha256, c.namespace): c.content for c in stand_ins()}
        return _shipment(files, shipped)
    try:
        return _shipment(files, _locked(lock, directory))
    except ChartRefused as refused:
        return _shipment(files, {}, f"{refused}")


def _locked(lock: Path, directory: Path) -> dict[ShippedChart, bytes]:
    found = {chart: packed(chart, directory).read_bytes() for chart in deployable(lock)}
    return {
        ShippedChart(
            chart.release,
            chart.version,
            f"charts/{chart.release}-{chart.version}.tgz",
            hashlib.sha256(content).hexdigest(),
            chart.namespace,
        ): content
        for chart, content in found.items()
    }


def _shipment(files: Mapping[str, bytes], charts: Mapping[ShippedChart, bytes], refused: str | None = None) -> Shipment:
    every = {**files, **{chart.key: content for chart, content in charts.items()}}
    return Shipment(Release(_name(every), tuple(charts)), every, refused)


def _name(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for path, content in sorted(files.items()):
        digest.update(f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return digest.hexdigest()[:_DIGITS]
