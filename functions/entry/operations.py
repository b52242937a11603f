"""The Lambda function that writes the beginnings and ends of operations and stages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core import pipeline
from functions.core.pipeline import Step

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue


def handler(event: Mapping[str, JsonValue], _context: object) -> dict[str, JsonValue]:
    """Take one step of a pipeline."""
    return pipeline.take(Step.model_validate(event))
