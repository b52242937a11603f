"""Why something is granted that no test needs: each is done by AWS itself, out of sight of the local host.

A reason is for roles, statements and actions that match its patterns; one that explains nothing any more is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.local.authorization.uses import Use


@dataclass(frozen=True)
class Reason:
    role: str
    sid: str
    action: str
    why: str

    def explains(self, use: Use) -> bool:
        pairs = ((use.role, self.role), (use.sid, self.sid), (use.action, self.action))
        return all(fnmatchcase(*pair) for pair in pairs)


_FUNCTION: Final = "instantstart-function-*"
_MACHINE: Final = "instantstart-machine-*"
_FOUNDATION: Final = "instantstart-foundation"
REASONS: Final = (
    Reason(_FUNCTION, "WriteLog", "logs:*", "Lambda writes the log of a function in its name"),
    Reason(_FUNCTION, "WriteTraces", "xray:*", "Lambda sends the traces of a function in its name"),
    Reason(_MACHINE, "DeliverLogs", "logs:*", "Step Functions delivers the log of a machine in its name"),
    Reason(_MACHINE, "WriteTraces", "xray:*", "Step Functions sends the traces of a machine in its name"),
    Reason(_FUNCTION, "HearStreams", "dynamodb:*", "Lambda reads a table's stream in the function's name"),
    Reason(
        _FUNCTION, "UnscopedDynamodb", "dynamodb:ListStreams", "Lambda finds a table's stream in the function's name"
    ),
    Reason(_FOUNDATION, "*", "*:Describe*", "CloudFormation's handlers read what they make; the simulator knows it"),
    Reason(_FOUNDATION, "*", "*:Get*", "CloudFormation's handlers read what they make; the simulator knows it"),
    Reason(_FOUNDATION, "*", "*:List*", "CloudFormation's handlers read what they make; the simulator knows it"),
)


def unexplained(unused: Iterable[Use], reasons: Iterable[Reason] = REASONS) -> list[Use]:
    """List what nobody needs and nothing explains."""
    known = tuple(reasons)
    return sorted(use for use in unused if not any(reason.explains(use) for reason in known))


def idle(unused: Iterable[Use], reasons: Iterable[Reason] = REASONS) -> list[Reason]:
    """List the reasons that explain nothing."""
    uses = tuple(unused)
    return [reason for reason in reasons if not any(reason.explains(use) for use in uses)]
