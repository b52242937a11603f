"""Freezes the release at hand: plays a creation to its end and another one half-way, and writes what they left."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from functions.core.ledger.tables import CLUSTER_EVENTS, CLUSTERS, OPERATIONS
from infra.local.functions import Outcome
from infra.local.host import LocalHost, Options
from infra.topology import PREFIX, TOPOLOGY
from tests.host.driver import Driver, Json, cluster_request
from tests.host.states import START
from tests.workflows.releases.frozen import FOLDER, MACHINES, Item

FINISHED: Final = "finished"
MIDWAY: Final = "midway"
_TABLES: Final = (CLUSTERS, OPERATIONS, CLUSTER_EVENTS)
# A task token is of no use to anybody else, and long.
_TOKEN: Final = "await_token"


def freeze(name: str) -> Path:
    """Write a release to its folder, in place of the one that was kept, and give the folder."""
    with TemporaryDirectory() as scratch:
        host = LocalHost(Options(Path(scratch), start=START))
        host.functions.load()
        with closing(host), host.clock.busy():
            files = _played(Driver(host))
    for old in [path for path in FOLDER.iterdir() if (path / MACHINES).is_dir()]:
        shutil.rmtree(old)
    folder = FOLDER / name
    (folder / MACHINES).mkdir(parents=True)
    for machine in TOPOLOGY.machines:
        shutil.copy(machine.path, folder / MACHINES / machine.path.name)
    for file, content in files.items():
        (folder / f"{file}.json").write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return folder


def _played(driver: Driver) -> dict[str, object]:
    with _recorded(driver.host) as payloads:
        finished = driver.create(cluster_request(FINISHED))
        if finished["status"] != "SUCCEEDED":
            raise RuntimeError(f"the creation to be frozen failed: {finished['error']}")
        begun = driver.post("/api/clusters", cluster_request(MIDWAY))
        midway = driver.until_said(begun["operation_id"], "foundation", "CREATE_IN_PROGRESS")
        files = {each: _records(driver, each, of) for each, of in ((FINISHED, finished), (MIDWAY, midway))}
        # How a stage is cancelled is sent too.
        driver.cancel(begun["operation_id"])
        driver.finish(begun["operation_id"])
    return {**files, "payloads": [payloads[key] for key in sorted(payloads)]}


@contextmanager
def _recorded(host: LocalHost) -> Iterator[dict[tuple[str, str], Json]]:
    """Keep the first event of each kind that a state machine sends to a function while a block runs."""
    seen, invoke = dict[tuple[str, str], "Json"](), host.functions.invoke

    def recording(name: str, payload: object) -> Outcome:
        if isinstance(payload, dict) and "operation_id" in payload:
            seen.setdefault((name, str(payload["action"])), {"function": name, "event": payload})
        return invoke(name, payload)

    setattr(host.functions, "invoke", recording)  # noqa: B010  # for as long as the block runs
    try:
        yield seen
    finally:
        setattr(host.functions, "invoke", invoke)  # noqa: B010


def _records(driver: Driver, tag: str, operation: Json) -> dict[str, list[Item]]:
    """Read all that the ledger has of a cluster and of its operation."""
    found: dict[str, list[Item]] = {}
    for table in _TABLES:
        pages = driver.host.client("dynamodb").get_paginator("scan").paginate(TableName=f"{PREFIX}{table.name}")
        items = [{**item} for page in pages for item in page["Items"]]
        key, value = ("operation_id", operation["operation_id"]) if table is OPERATIONS else ("cluster_tag", tag)
        mine = [item for item in items if item[key] == {"S": value}]
        found[table.name] = [{name: each for name, each in item.items() if name != _TOKEN} for item in mine]
    return found
