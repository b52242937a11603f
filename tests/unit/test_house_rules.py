"""The repository keeps the house rules, and the checker sees each way to break one."""

from __future__ import annotations

import os
import resource
import subprocess
from pathlib import Path

import pytest

from tests.house import layout, sizes
from tests.house.check import violations
from tests.house.tree import Source
from tests.rings import BUDGETS, Outcome, others_seconds, table

ROOT = Path(__file__).parents[2]
OTHER_ACCOUNT = "9988" * 3
IN_IMAGE = "/" + "root/data"
HOME = "/" + "home/someone/project"
REGISTRY = "https://" + "pypi.org/simple/moto"


def breaks(root: Path, path: str, text: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return [f"{found.line}: {found.what}" for found in violations(root)]


def test_the_repository_keeps_the_house_rules() -> None:
    assert [str(found) for found in violations(ROOT)] == []


BROKEN = [
    ("functions/clusters/routes.py", "from infra.local import host", "1: imports infra.local.host"),
    ("mcp_gateway/app.py", "import tests.rings", "1: imports tests.rings"),
    ("functions/core/http.py", "def f() -> None:\n    from infra import topology", "2: imports infra.topology"),
    ("functions/clusters/rules.py", "import os", "1: imports os"),
    ("functions/clusters/models.py", "from functions.core.runtime import now", "1: imports functions.core.runtime.now"),
    ("functions/storage/fsx/manifests.py", "from functions.core import ledger", "1: imports functions.core.ledger"),
    ("functions/clusters/rules.py", "from ..aws import eks", "1: imports functions.aws.eks"),
    ("functions/clusters/rules/names.py", "import socket", "1: imports socket"),
    ("functions/core/http.py", "from functions.aws import eks", "1: imports functions.aws.eks"),
    ("functions/entry/api.py", "import functions.kubernetes_api.client", "1: imports functions.kubernetes_api.client"),
    ("functions/kubernetes_api/token.py", "from functions.aws import eks", "1: imports functions.aws.eks"),
    ("functions/clusters/routes.py", "from functions.storage import stages", "1: imports functions.storage.stages"),
    ("functions/clusters/rules.py", "from functions import storage", "1: imports functions.storage"),
    ("functions/aws/eks.py", "from functions.clusters import routes", "1: imports functions.clusters.routes"),
    (
        "functions/core/http.py",
        "from functions.clusters import declaration",
        "1: imports functions.clusters.declaration",
    ),
    ("functions/clusters/routes.py", "from functions.entry import api", "1: imports functions.entry.api"),
    ("functions/clusters/stages.py", "from kubernetes import client", "1: imports kubernetes.client"),
    ("functions/aws/eks.py", "import boto3\nc = boto3.client('eks')", "2: uses boto3.client"),
    ("functions/aws/eks.py", "from botocore.session import get_session", "1: uses botocore.session"),
    ("functions/core/settings.py", "from os import environ\nx = environ['A']", "2: uses os.environ"),
    ("functions/core/settings.py", "import os as o\nx = o.getenv('A')", "2: uses os.getenv"),
    ("functions/core/settings.py", "import time\nx = time.time()", "2: uses time.time"),
    ("functions/core/settings.py", "import time\ndef f(clock=time.monotonic): ...", "2: uses time.monotonic"),
    ("mcp_gateway/app.py", "from datetime import datetime as d\nx = d.now()", "2: uses datetime.datetime.now"),
    ("mcp_gateway/app.py", "import datetime\nx = datetime.datetime.utcnow()", "2: uses datetime.datetime.utcnow"),
    ("mcp_gateway/app.py", "from uuid import uuid4", "1: uses uuid.uuid4"),
    ("functions/clusters/routes.py", "from typing import Any", "1: uses typing.Any"),
    ("functions/storage/fsx/stages.py", "import typing as t\ndef f(x: t.Any): ...", "2: uses typing.Any"),
    ("functions/core/http.py", "from typing import Any", "1: uses typing.Any"),
    ("functions/entry/api.py", "import typing\ndef f() -> dict[str, typing.Any]: ...", "2: uses typing.Any"),
    ("tests/unit/test_a.py", "from time import sleep", "1: uses time.sleep"),
    ("tests/conftest.py", "import asyncio\nx = asyncio.sleep(0)", "2: uses asyncio.sleep"),
    ("infra/a.py", "x = 1\ndef f(:", "2: does not parse"),
    ("infra/a.py", "x = 1\n" * 351, "1: has 351 lines"),
    ("infra/a.py", "def f():\n" + "    x = 1\n" * 61, "1: f has 61 lines"),
    ("skills/a.md", f"cd {HOME}", f"1: names the machine path {HOME[:14]}..."),
    ("skills/a.md", f"arn:aws:iam::{OTHER_ACCOUNT}:role/a", f"1: holds the account id {OTHER_ACCOUNT}"),
    ("skills/a.md", f"sagemaker-t-{OTHER_ACCOUNT}-eu-west-1", f"1: holds the account id {OTHER_ACCOUNT}"),
    ("frontend/a.npmrc", f"registry={REGISTRY}", "1: names a package registry"),
    ("infra/locks/a.txt", "a @ file:a.whl", "1: holds an address"),
    ("frontend/package-lock.json", '"resolved": "a.tgz"', "1: holds an address"),
]


@pytest.mark.parametrize(("path", "text", "found"), BROKEN, ids=[f"{path}: {found}" for path, _, found in BROKEN])
def test_each_broken_rule_is_named_with_its_line(tmp_path: Path, path: str, text: str, found: str) -> None:
    assert found in breaks(tmp_path, path, text)


KEPT = [
    ("infra/topology.py", "from functions.clusters import declaration, stages\nimport boto3, os, time, kubernetes"),
    ("functions/clusters/rules.py", "from functions.storage import models, rules\nfrom functions.core import errors"),
    (
        "functions/clusters/rules.py",
        "from . import models\nfrom urllib.parse import quote\nfrom http import HTTPStatus",
    ),
    ("functions/storage/fsx/stages.py", "from functions.aws import fsx\nfrom functions.kubernetes_api import client"),
    ("functions/storage/routes.py", "from functions.storage.fsx import stages\nfrom functions.core.runtime import now"),
    ("functions/aws/eks.py", "from functions.aws import calls\nfrom botocore.exceptions import ClientError"),
    ("functions/entry/api.py", "from functions.clusters import declaration, routes, stages"),
    ("functions/core/application.py", "from functions.clusters import declaration"),
    ("mcp_gateway/catalogue.py", "from functions.clusters import declaration\nfrom typing import Any"),
    ("functions/kubernetes_api/client.py", "from kubernetes.dynamic import DynamicClient"),
    ("functions/core/runtime.py", "import boto3, os, time\nx = boto3.client, os.environ, time.time, time.sleep"),
    ("functions/core/ledger/items.py", "from boto3.dynamodb.types import TypeSerializer"),
    ("functions/core/times.py", "from datetime import datetime\nx = datetime.fromisoformat\nfrom uuid import uuid5"),
    ("functions/core/a.py", "import botocore\ndef f(s: botocore.session.Session) -> None: ...\nnow = 1\ntime = now"),
    ("functions/training/recipes/a/workspace/run.py", f"import os, time\ntime.sleep(1)\nx = os.environ, '{IN_IMAGE}'"),
    ("tests/unit/test_a.py", "import time\nx = time.monotonic()\nsleep = 'time.sleep'"),
    ("infra/a.py", "x = 1\n" * 350),
    ("infra/a.py", 'def f():\n    """One."""\n' + "    x = 1\n" * 60 + "def g(): ...\n" * 3),
    ("skills/a.md", "arn:aws:iam::111122223333:role/a in 123456789012, GET /api/work/x, s3://b/root/x"),
    ("skills/a.md", "123e4567-e89b-12d3-a456-426614174000 took 0.123456789012 s; 1234567890123 ms"),
    ("infra/locks/a.txt", "a==1 --hash=sha256:" + "1234567890ab" * 5),
]


@pytest.mark.parametrize(("path", "text"), KEPT, ids=[path for path, _ in KEPT])
def test_what_the_rules_allow_is_left_alone(tmp_path: Path, path: str, text: str) -> None:
    assert breaks(tmp_path, path, text) == []


def test_the_median_function_of_the_product_stays_small() -> None:
    long, short = ("def f():\n" + "    x = 1\n" * size for size in (10, 9))
    assert [found.what for found in sizes.small_median([Source("infra/a.py", long)])] == [
        "the product's median function has 10 lines"
    ]
    assert list(sizes.small_median([Source("infra/a.py", short), Source("tests/a.py", long)])) == []


def test_only_the_known_names_stand_at_the_top() -> None:
    paths = ["Makefile", ".ci/run", "infra/a.py", "notes.txt", "src/a.py"]
    assert [found.path for found in layout.top_level(paths)] == ["notes.txt", "src"]


def test_every_top_level_folder_and_part_of_the_local_host_has_its_page() -> None:
    paths = [".ci/run", "infra/README.md", "infra/local/a.py", "infra/host/a.py", "skills/a.md"]
    assert [found.path for found in layout.readmes(paths)] == ["infra/local", "skills"]


def test_the_layout_is_judged_in_a_checkout_and_leaves_ignored_files_alone(tmp_path: Path) -> None:
    for name in ("mine.txt", "theirs.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert violations(tmp_path) == []
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("theirs.txt\n", encoding="utf-8")
    assert [found.path for found in violations(tmp_path)] == ["mine.txt"]


def test_a_ring_over_its_budget_fails_though_its_tests_pass() -> None:
    outcomes = [
        Outcome("unit", 3, 1.0, 20, 0),
        Outcome("component", 3, 61.0, 60, 0),
        Outcome("workflows", 3, 1.0, 40, 1),
        Outcome("conformance", 3, 46.0, 45, 0, lost=1.5),
    ]
    assert [outcome.verdict for outcome in outcomes] == ["ok", "OVER BUDGET", "FAILED", "ok"]
    assert "component         3     61.0    0.0      60  OVER BUDGET" in table(outcomes)


def test_time_of_other_programs_is_what_the_processors_worked_less_what_the_tests_took(tmp_path: Path) -> None:
    ticks = os.sysconf("SC_CLK_TCK")
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = round(ours.ru_utime + ours.ru_stime) + 100
    statistics = tmp_path / "stat"
    statistics.write_text(f"cpu  {worked * ticks} 0 {50 * ticks} 900 900 0 0 {7 * ticks} 0 0\ncpu0 1 1 1\n")

    assert round(others_seconds(statistics)) == 157
    assert others_seconds(tmp_path / "missing") == 0


def test_every_ring_with_a_budget_is_a_folder_of_this_one() -> None:
    assert list(BUDGETS) == [
        "unit",
        "component",
        "host",
        "workflows",
        "conformance",
        "infrastructure",
        "console",
        "e2e",
    ]
