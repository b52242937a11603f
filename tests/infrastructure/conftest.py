"""What the infrastructure ring shares: the Node beside this Python, and one deployment as it would be deployed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# jsii takes the first Node on the path otherwise, which may be one that it does not support any more.
os.environ.setdefault("JSII_NODE", str(Path(sys.executable).parent / "node"))

if TYPE_CHECKING:
    from tests.infrastructure.deployment import Deployment


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """What a deployment with nothing chosen gets; no chart is locked with a digest yet."""
    from infra.host.context import Context
    from tests.infrastructure.deployment import synthesised

    return synthesised(Context(), tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="session")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """What a deployment gets that chooses all it can."""
    from tests.infrastructure.deployment import CHOSEN, synthesised

    return synthesised(CHOSEN, tmp_path_factory.mktemp("chosen"))
