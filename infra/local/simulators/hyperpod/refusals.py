"""SageMaker's errors for requests it does not accept."""

from __future__ import annotations

from infra.local.simulators.service import ServiceError


def invalid(message: str) -> ServiceError:
    """Refuse a request that breaks a rule."""
    return ServiceError("ValidationException", message)


def conflict(message: str) -> ServiceError:
    """Refuse a request that comes at the wrong moment."""
    return ServiceError("ConflictException", message)
