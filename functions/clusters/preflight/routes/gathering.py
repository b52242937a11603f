"""Gathers the facts that a request is checked by, within the seconds that an answer may take.

A call that AWS refuses leaves its own check undone. One that AWS does not answer, or a budget that is used up, leaves
all that follow undone as well: a caller gets an answer within seconds, whatever AWS does.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import artifacts, hyperpod, offerings, quotas, security_groups, training_plans
from functions.capacity.preflight.models import Facts, Script
from functions.capacity.preflight.rules.offerings import OFFERING
from functions.capacity.preflight.rules.plans import PLAN
from functions.capacity.preflight.rules.quotas import QUOTA, used_by
from functions.capacity.preflight.rules.scripts import SCRIPT, SIZE_LIMIT
from functions.capacity.preflight.rules.security_groups import SECURITY_GROUP
from functions.core import application, runtime
from functions.core.failures import code_of
from functions.core.runtime import Patience

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from functions.capacity.preflight.models import Needed, SecurityGroup, TrainingPlan

Result = TypeVar("Result")

_BUDGET: Final = timedelta(seconds=2)
_NO_TIME: Final = "there was no time left for it"


class Gathering:
    """One request's look around.

    `answered` says whether AWS has answered all along, `unchecked` for each check that did not come to an end why.
    """

    def __init__(self, since: datetime) -> None:
        self._deadline = since + _BUDGET
        self.answered = True
        self.unchecked: dict[str, str] = {}

    def give_up(self) -> None:
        """Look nothing up any more: AWS does not answer."""
        self.answered = False

    def in_time(self) -> bool:
        """Say whether there is time for another call."""
        return self.answered and runtime.now() < self._deadline

    def plans(self, arns: Sequence[str]) -> dict[str, TrainingPlan | None] | None:
        """Describe training plans; None when one of them could not be."""
        return self._ask(PLAN, lambda: {arn: training_plans.describe(arn, Patience.EDGE) for arn in arns}, arns)

    def facts(self, wanted: Needed, plans: dict[str, TrainingPlan | None] | None, name: str) -> Facts:
        """Look up everything else."""
        kinds, groups, scripts, names = wanted.types, wanted.security_groups, wanted.scripts, wanted.quotas
        codes = wanted.quota_codes
        found = Facts(
            plans=plans,
            offerings=self._ask(OFFERING, lambda: offerings.zones_by_type(kinds, Patience.EDGE), kinds),
            security_groups=self._ask(SECURITY_GROUP, lambda: _security_groups(groups), groups),
            scripts=self._ask(SCRIPT, lambda: {place: _script(place) for place in scripts}, scripts),
            quotas=self._ask(QUOTA, lambda: quotas.read(names, codes, self.in_time, Patience.EDGE), codes),
            used=self._ask(QUOTA, lambda: self._used(name), codes),
        )
        return replace(found, unchecked=self.unchecked)

    def _used(self, name: str) -> dict[str, int]:
        groups = hyperpod.groups_of_others(name, self.in_time, Patience.EDGE)
        if groups is None:
            raise quotas.Unfinished
        return used_by((group.types, group.capacity_type, group.target) for group in groups)

    def _ask(self, check: str, call: Callable[[], Result], wanted: Sequence[str]) -> Result | None:
        """Make the calls of one check, if there is anything to look up and time for it."""
        if not wanted:
            return None
        if not self.in_time():
            self.unchecked.setdefault(check, _NO_TIME)
            return None
        try:
            return call()
        except quotas.Unfinished:
            self.unchecked[check] = _NO_TIME
        except ClientError as error:
            self.unchecked[check] = f"AWS answered {error.operation_name} with {code_of(error)}"
            application.warn(f"{check} is unchecked", error)
        except BotoCoreError as error:
            self.unchecked[check] = f"AWS did not answer ({type(error).__name__})"
            self.give_up()
            application.warn(f"{check} is unchecked", error)
        return None


def _security_groups(group_ids: Sequence[str]) -> dict[str, SecurityGroup | None]:
    found = security_groups.describe(group_ids, Patience.EDGE)
    return {group_id: found.get(group_id) for group_id in group_ids}


def _script(place: str) -> Script | None:
    bucket, _, key = place.removeprefix("s3://").partition("/")
    found = artifacts.beginning(bucket, key, SIZE_LIMIT, Patience.EDGE)
    return Script(*found) if found else None
