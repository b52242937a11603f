"""The lock on a stack that is synthesised with stand-ins for its Helm charts."""

from __future__ import annotations

from typing import Final

from aws_cdk import Annotations, CfnParameter
from constructs import Construct

PARAMETER: Final = "RehearsalOnly"
CONFIRMED: Final = "stand-in charts"
_WARNING: Final = (
    "This assembly carries stand-ins for Helm charts, and no cluster works with them: run `make charts`, and "
    "synthesise again with the charts of the lock."
)


class RehearsalLock(Construct):
    """Asks whoever deploys for a parameter that has no default: nothing goes ahead by accident, on AWS least of all.

    A rehearsal on an emulator gives `RehearsalOnly` the value `stand-in charts`.
    """

    def __init__(self, scope: Construct, construct_id: str) -> None:
        super().__init__(scope, construct_id)
        parameter = CfnParameter(self, PARAMETER, allowed_values=[CONFIRMED], description=_WARNING)
        parameter.override_logical_id(PARAMETER)
        Annotations.of(self).add_warning_v2("instantstart:rehearsal", _WARNING)
