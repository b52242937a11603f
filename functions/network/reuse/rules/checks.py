"""All checks of what a cluster takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.cluster import ReusedResources
from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level, errors_in
from functions.network.reuse.rules import buckets, network, owners, roles, security, tags
from functions.network.reuse.rules.kinds import INVALID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.network.reuse.models import Facts
    from functions.network.reuse.rules.roles import Home
    from functions.network.subnets.rules.needs import Need


def check(reused: ReusedResources, bucket: str, facts: Facts, needs: Sequence[Need], home: Home) -> list[Finding]:
    """Find everything that is wrong or good to know, errors first; `bucket` is the one that the cluster uses."""
    found = [
        *owners.check(reused, facts, home.tag),
        *network.check(reused, facts, needs),
        *tags.check(reused, facts),
        *security.check(reused, facts),
        *roles.check(reused, bucket, facts, home),
        *buckets.check(reused, facts, home),
        *buckets.check_reading(reused, bucket, facts, home),
    ]
    return _errors_first(found)


def check_parts(reused: ReusedResources, bucket: str | None, facts: Facts, home: Home) -> list[Finding]:
    """Find what is wrong with roles and bucket alone; `bucket` is the one that the cluster uses, if it has one yet.

    A bucket that it uses already, and that the request does not name, is only told of.
    """
    found = [*owners.check(reused, facts, home.tag), *roles.check(reused, bucket or "", facts, home)]
    found += buckets.check(reused, facts, home)
    found += buckets.check_reading(reused, bucket, facts, home) if bucket else ()
    return [*_errors_first(found), *(_standing(bucket, facts, home) if bucket and not reused.bucket else ())]


def _standing(bucket: str, facts: Facts, home: Home) -> list[Finding]:
    used = ReusedResources(bucket=bucket)
    found = [*owners.check(used, facts, home.tag), *buckets.check(used, facts, home)]
    return [each.model_copy(update={"level": Level.WARNING}) for each in found]


def _errors_first(found: Sequence[Finding]) -> list[Finding]:
    errors = errors_in(found)
    return [*map(_coded, errors), *(finding for finding in found if finding not in errors)]


def _coded(error: Finding) -> Finding:
    """Say with which code an error refuses the request."""
    return error.model_copy(update={"code": (InvalidRequest if error.check in INVALID else Conflict).code})
