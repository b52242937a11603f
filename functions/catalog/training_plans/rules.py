"""Which instance types training plans reserve, and when HyperPod takes their instances back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from functions.core.errors import FieldError, InvalidRequest

# Source: service model of SageMaker (botocore 1.44.8), enumeration ReservedCapacityInstanceType.
RESERVABLE_TYPES: Final = (
    "ml.p4d.24xlarge",
    "ml.p4de.24xlarge",
    "ml.p5.4xlarge",
    "ml.p5.48xlarge",
    "ml.p5e.48xlarge",
    "ml.p5en.48xlarge",
    "ml.p6-b200.48xlarge",
    "ml.p6-b300.48xlarge",
    "ml.p6e-gb200.36xlarge",
    "ml.trn1.32xlarge",
    "ml.trn2.48xlarge",
)
# Source: service model of SageMaker, enumeration TrainingPlanStatus.
STATUSES: Final = ("Pending", "Active", "Scheduled", "Expired", "Failed")
# Source: SageMaker developer guide, "Training plans" with HyperPod: instances are terminated an hour before the end.
_TAKEN_BACK: Final = timedelta(hours=1)


def instances_end_at(ends_at: datetime | None) -> datetime | None:
    """Say when HyperPod takes a plan's instances back."""
    return ends_at - _TAKEN_BACK if ends_at else None


def check_reservable(instance_type: str) -> None:
    """Raise InvalidRequest for a type that no training plan reserves: for it there is nothing to search."""
    _check("instance_type", instance_type, RESERVABLE_TYPES, "is reserved by no training plan")


def check_status(status: str | None) -> None:
    """Raise InvalidRequest for a status that no training plan has."""
    if status is not None:
        _check("status", status, STATUSES, "is no status of a training plan")


def _check(field: str, value: str, allowed: tuple[str, ...], wrong: str) -> None:
    if value not in allowed:
        error = FieldError(field=field, message=f"{value} {wrong}", allowed=list(allowed))
        raise InvalidRequest(f"{field}: {error.message}; it has to be one of {', '.join(allowed)}", errors=[error])
