"""The tables of `data/`, read once per process."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from functions.catalog.models import InstanceType
from functions.catalog.prices.models import Prices

_DATA = Path(__file__).parent / "data"


@cache
def instance_types() -> dict[str, InstanceType]:
    """Give every instance type that a HyperPod cluster accepts, by name."""
    table = json.loads((_DATA / "instance_types.json").read_text(encoding="utf-8"))
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return {row["type"]: InstanceType(**row) for row in rows}


@cache
def quota_codes() -> dict[str, str]:
    """Give the codes of SageMaker quotas that are known beforehand, by name."""
    table = json.loads((_DATA / "quota_codes.json").read_text(encoding="utf-8"))
    return {str(name): str(code) for name, code in table["codes"].items()}


@cache
def prices() -> Prices:
    """Give the shipped price list."""
    table = json.loads((_DATA / "prices.json").read_text(encoding="utf-8"))
    return Prices.model_validate({name: table[name] for name in Prices.model_fields})


@cache
def regions_with_hyperpod() -> frozenset[str]:
    """Name the regions in whose price list HyperPod clusters stand; one that is missing may have them all the same."""
    table = json.loads((_DATA / "regions.json").read_text(encoding="utf-8"))
    return frozenset(table["regions"])
