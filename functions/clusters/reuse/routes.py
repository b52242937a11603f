"""The edge's look at what a request takes over, within the seconds that an answer may take.

A call that AWS refuses leaves its own check undone, one that it does not answer all that follow as well; the stage
`reuse` looks again before anything is made.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import reuse
from functions.core import application, runtime, settings
from functions.core.cluster import ReusedResources
from functions.core.failures import code_of
from functions.network.reuse.models import Facts
from functions.network.reuse.rules import checks, endpoint, kinds
from functions.network.reuse.rules.checks import check
from functions.network.reuse.rules.roles import Home, role_arns
from functions.network.subnets.rules.needs import needs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from functions.clusters.models import CreateCluster
    from functions.core.findings import Finding
    from functions.network.reuse.models import Network, Role
    from functions.network.subnets.models import Subnet
    from functions.network.subnets.rules.needs import Need

Result = TypeVar("Result")

_BUDGET: Final = timedelta(seconds=4)


def look(request: CreateCluster, bucket: str) -> list[Finding]:
    """Find what is wrong or good to know about all that a request takes over; `bucket` is the cluster's."""
    foundation, deployed = request.foundation, settings.current()
    found = endpoint.check(foundation.public_access_cidrs, settings.fixed_egress_addresses())
    reused = foundation.reused
    if reused is None:
        return found
    home = _home(deployed)
    facts = _Gathering(home).facts(reused)
    return [*found, *check(reused, bucket, facts, _needs(request), home)]


def look_at(execution_role_arn: str | None, bucket: str | None) -> list[Finding]:
    """Find what is wrong with a role and a bucket that an imported cluster is to have."""
    deployed = settings.current()
    reused = ReusedResources(execution_role_arn=execution_role_arn, bucket=bucket)
    if reused == ReusedResources():
        return []
    home = _home(deployed)
    found = checks.check_parts(reused, bucket, _Gathering(home).facts(reused), home)
    return [each.model_copy(update={"field": (each.field or "").removeprefix("foundation.") or None}) for each in found]


def _needs(request: CreateCluster) -> list[Need]:
    hyperpod = request.hyperpod
    return needs_of(hyperpod.groups, hyperpod.availability_zone, hyperpod.subnet_prefix) if hyperpod else []


class _Gathering:
    """One request's look around; `unchecked` says for each check that did not come to an end why."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._deadline = runtime.now() + _BUDGET
        self._answered = True
        self._unchecked: dict[str, str] = {}

    def facts(self, reused: ReusedResources) -> Facts:
        """Look up all that is taken over."""
        networks = self._networks(reused.vpc_id)
        group_id, name = reused.security_group_id, reused.bucket
        groups = self._ask(kinds.SECURITY_GROUP, lambda: reuse.find_security_groups([group_id])) if group_id else None
        roles = {arn: found for arn in role_arns(reused) for found in self._role(arn)}
        bucket = self._ask(kinds.BUCKET, lambda: [reuse.find_bucket(name, self._home.account)]) if name else None
        return Facts(
            networks=networks,
            strangers=self._strangers(reused, networks),
            security_groups=groups,
            roles=roles,
            buckets={name: bucket[0]} if name and bucket else None,
            unchecked=self._unchecked,
        )

    def _networks(self, vpc_id: str | None) -> dict[str, Network | None] | None:
        if vpc_id is None:
            return None
        return self._ask(kinds.VPC, lambda: {vpc_id: reuse.find_network(vpc_id, self._home.region)})

    def _strangers(self, reused: ReusedResources, networks: Mapping[str, Network | None] | None) -> dict[str, Subnet]:
        if networks is None:
            return {}
        return self._ask(kinds.SUBNET, lambda: reuse.strangers(reused, networks)) or {}

    def _role(self, arn: str) -> list[Role | None]:
        """Look a role up; a list of one, or of nothing when it could not be."""
        return self._ask(kinds.ROLE, lambda: [reuse.find_role(arn)]) or []

    def _ask(self, check_name: str, call: Callable[[], Result]) -> Result | None:
        """Make the calls of one check, if there is time for them."""
        if not self._answered or runtime.now() >= self._deadline:
            self._unchecked.setdefault(check_name, "there was no time left for it")
            return None
        try:
            return call()
        except ClientError as error:
            self._unchecked[check_name] = f"AWS answered {error.operation_name} with {code_of(error)}"
            application.warn(f"{check_name} is unchecked", error)
        except BotoCoreError as error:
            self._unchecked[check_name] = f"AWS did not answer ({type(error).__name__})"
            self._answered = False
            application.warn(f"{check_name} is unchecked", error)
        return None


def _home(deployed: settings.Settings) -> Home:
    passable, own = tuple(settings.passable_role_arns()), tuple(settings.own_buckets())
    return Home(deployed.account_id, deployed.region, passable, own)
