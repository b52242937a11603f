"""Time that is over lets no further call begin, neither one of AWS nor one of a cluster."""

from __future__ import annotations

from datetime import timedelta

import pytest

from functions.core import deadlines, runtime
from functions.core.deadlines import TimeOver
from functions.kubernetes_api import objects
from functions.kubernetes_api.connection import ClusterClient
from functions.kubernetes_api.objects import NAMESPACES


def test_a_cluster_is_asked_for_no_page_when_time_is_over() -> None:
    # It is signed in nowhere: whoever used it would fail in another way.
    client = ClusterClient.__new__(ClusterClient)
    with deadlines.until(runtime.now()), pytest.raises(TimeOver):
        next(objects.listed(client, NAMESPACES))
    with deadlines.until(runtime.now() + timedelta(hours=1)), pytest.raises(AttributeError):
        next(objects.listed(client, NAMESPACES))
