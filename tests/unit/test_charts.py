"""Charts come from one commit, are known by their tree, and are refused when they are something else."""

from __future__ import annotations

import dataclasses
import subprocess
from typing import TYPE_CHECKING

import pytest

from infra.charts import ChartRefused, LockedChart, deployable, fetch, fill, locked, tree_id
from infra.local.charts_standin import packed

if TYPE_CHECKING:
    from pathlib import Path


def git(directory: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    command = ["git", "-C", str(directory), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def chart(tmp_path: Path) -> LockedChart:
    """A chart in a repository of its own."""
    repository = tmp_path / "repository"
    (repository / "charts/demo").mkdir(parents=True)
    (repository / "charts/demo/Chart.yaml").write_text("apiVersion: v2\nname: demo\nversion: 1.0.0\n", encoding="utf-8")
    git(repository, "init", "--quiet")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "a chart")
    commit = git(repository, "rev-parse", "HEAD")
    return LockedChart("demo", "default", "1.0.0", repository.as_uri(), commit, "charts/demo", "")


def test_a_fetched_chart_is_known_by_its_tree(chart: LockedChart, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    assert (fetch(chart, first) / "Chart.yaml").exists()
    known = dataclasses.replace(chart, digest=tree_id(chart, first))
    assert (fetch(known, second) / "Chart.yaml").exists()


def test_a_chart_with_another_tree_is_refused(chart: LockedChart, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(ChartRefused):
        fetch(dataclasses.replace(chart, digest="0" * 40), scratch)


def test_a_deployment_refuses_an_empty_digest(tmp_path: Path) -> None:
    lock = tmp_path / "charts.lock"
    entry = (
        'release = "demo"\nnamespace = "n"\nversion = "1"\nrepository = "r"\ncommit = "c"\npath = "p"\ndigest = ""\n'
    )
    lock.write_text(f"[[chart]]\n{entry}", encoding="utf-8")
    with pytest.raises(ChartRefused):
        deployable(lock)
    fill(lock, locked(lock)[0], "f" * 40)
    assert [found.digest for found in deployable(lock)] == ["f" * 40]


def test_stand_in_charts_are_packed_the_same_each_time() -> None:
    assert [chart.sha256 for chart in packed()] == [chart.sha256 for chart in packed()]
