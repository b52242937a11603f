"""Time that is over lets no further call begin, neither one of AWS nor one of a cluster."""

from __future__ import annotations

from datetime import timedelta

import botocore.session
import pytest

from functions.catalog.answers.routes import Asking
from functions.core import deadlines, runtime
from functions.core.deadlines import TimeOver
from functions.kubernetes_api import objects
from functions.kubernetes_api.connection import ClusterClient
from functions.kubernetes_api.objects import NAMESPACES
from tests.component.test_ledger_support import FakeClock


def test_a_cluster_is_asked_for_no_page_when_time_is_over() -> None:
    # It is signed in nowhere: whoever used it would fail in another way.
    client = ClusterClient.__new__(ClusterClient)
    with deadlines.until(runtime.now()), pytest.raises(TimeOver):
        next(objects.listed(client, NAMESPACES))
    with deadlines.until(runtime.now() + timedelta(hours=1)), pytest.raises(AttributeError):
        next(objects.listed(client, NAMESPACES))


def test_a_part_of_an_answer_of_the_catalog_is_left_where_its_time_is_over() -> None:
    clock = FakeClock()

    def two_pages() -> str:
        clock.advance(seconds=9)
        deadlines.check(runtime.now())
        return "both"

    with runtime.bound(runtime.Runtime({}, botocore.session.get_session(), clock)):
        asking = Asking()
        assert asking.ask("quotas", two_pages) is None
    assert [(each.part, each.reason) for each in asking.unknown] == [
        ("quotas", "there was no time left to ask AWS to the end")
    ]
