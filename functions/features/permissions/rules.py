"""What an add-on's pods say of their role: that they cannot assume it, or which actions it lacks.

Logs hold secrets. What leaves this module are actions and ARNs of roles that were recognised, never a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from functions.core.documents import items_of, member
from functions.features.rules import MISSING_ACTION, missing_action

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    Object = Mapping[str, JsonValue]

NOT_ASSUMABLE: Final = "IAM_ROLE_NOT_ASSUMABLE"
# A new role, and a new association, take a while to reach every endpoint.
SETTLING: Final = timedelta(minutes=4)
# Images are pulled, webhooks get their certificates, a leader is elected.
STARTING: Final = timedelta(minutes=10)
# What ends again and again is ready for a moment each time.
_STEADY: Final = timedelta(minutes=1)
# Sources: AWS STS API reference, "AssumeRoleWithWebIdentity" (errors); EKS user guide, "Learn how EKS Pod Identity
# grants pods access"; AWS SDK for Go and Boto3, errors where no provider of credentials answers.
_ASSUMING: Final = re.compile(
    r"not authorized to perform:? sts:(?:AssumeRole|TagSession)"
    r"|AccessDenied.*\bAssumeRole(?:WithWebIdentity|ForPodIdentity)\b"
    r"|\bAssumeRole(?:WithWebIdentity|ForPodIdentity)\b.*AccessDenied"
    r"|WebIdentityErr|InvalidIdentityToken|No OpenIDConnect provider found"
    r"|EKS does not have permissions to assume the associated role"
    r"|NoCredentialProviders|no EC2 IMDS role found|Unable to locate credentials",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(r"\barn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,576}")
_MOST_ACTIONS: Final = 5


@dataclass(frozen=True)
class Fault:
    """What is wrong with a role: a cause code, and the actions it lacks or its ARN where the pods name them."""

    code: str
    named: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Say it of a pod."""
        if self.code == MISSING_ACTION:
            return f"its role lacks {', '.join(self.named)}"
        return f"it cannot assume its role {self.named[0]}" if self.named else "it cannot assume its role"

    @property
    def remedy(self) -> str:
        """Say what helps by hand."""
        if self.code == MISSING_ACTION:
            return f"Allow {', '.join(self.named)} in the add-on's role, then retry the operation."
        return "Let the add-on's service account assume its role (trust policy, association), then retry the operation."


def fault_in(lines: Iterable[str]) -> Fault | None:
    """Recognise what lines of logs and events say of a role; what cannot be assumed comes before what it may do."""
    refused: Fault | None = None
    actions: dict[str, None] = {}
    for line in lines:
        if _ASSUMING.search(line):
            role = _ROLE.search(line)
            refused = Fault(NOT_ASSUMABLE, (role[0].rstrip(".,"),)) if role else refused or Fault(NOT_ASSUMABLE)
        elif action := missing_action(line):
            actions[action] = None
    if refused or not actions:
        return refused
    return Fault(MISSING_ACTION, tuple(actions)[:_MOST_ACTIONS])


def unready(pod: Object, now: datetime) -> bool:
    """Say whether a pod has a node to run on and is not ready there, or was restarted a moment ago."""
    if not member(pod, "spec").get("nodeName") or member(pod, "metadata").get("deletionTimestamp"):
        return False
    ready = next((each for each in items_of(member(pod, "status"), "conditions") if each.get("type") == "Ready"), {})
    return ready.get("status") != "True" or any(
        _restarted_lately(each, now) for each in items_of(member(pod, "status"), "containerStatuses")
    )


def _restarted_lately(status: Object, now: datetime) -> bool:
    started = member(member(status, "state"), "running").get("startedAt")
    return bool(status.get("restartCount")) and bool(started) and now - _moment(started) < _STEADY


def since(pod: Object) -> datetime:
    """Say from when on a pod tries to start."""
    started = member(pod, "status").get("startTime") or member(pod, "metadata").get("creationTimestamp")
    return _moment(started)


def runs_of(pod: Object) -> list[tuple[str, bool]]:
    """List the runs of a pod's containers that have a log: each container, and whether its run before the present."""
    statuses = [
        *items_of(member(pod, "status"), "initContainerStatuses"),
        *items_of(member(pod, "status"), "containerStatuses"),
    ]
    runs = [(str(each.get("name")), False) for each in statuses]
    return runs + [(str(each.get("name")), True) for each in statuses if each.get("restartCount")]


def name_of(pod: Object) -> str:
    """Name a pod."""
    metadata = member(pod, "metadata")
    return f"{metadata.get('namespace')}/pod/{metadata.get('name')}"


def _moment(written: JsonValue) -> datetime:
    return datetime.fromisoformat(str(written)).astimezone(UTC)
