"""The CDK app: `cdk deploy` runs it, and `make synth` runs it alone and prints what would be deployed."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from aws_cdk import App
from pydantic import ValidationError

from infra import assets
from infra.host.complaint import complaint
from infra.host.context import KEY, Context
from infra.host.report import report
from infra.host.shipment import shipment
from infra.host.stack import InstantStart
from infra.shapes import ROOT
from infra.topology import TOPOLOGY

if TYPE_CHECKING:
    from pydantic import JsonValue


def main() -> int:
    """Synthesise into CDK_OUTDIR and give the exit code; what cannot be deployed is said in one sentence."""
    started = time.monotonic()
    app = App(context=_defaults(), analytics_reporting=False)
    try:
        context = Context.of(app.node.try_get_context(KEY))
        shipped = shipment(context.charts)
        InstantStart(app, topology=TOPOLOGY, context=context, packages=assets, shipment=shipped)
    except ValidationError as error:
        return _refuse(complaint(error))
    except assets.AssetFault as fault:
        return _refuse(f"{fault}")
    assembly = app.synth()
    sys.stdout.write(report(Path(assembly.directory), time.monotonic() - started, shipped.refused))
    return 0


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


def _defaults() -> dict[str, JsonValue]:
    """Read what CDK's command line reads too; what that one has wins."""
    settings: dict[str, dict[str, JsonValue]] = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))
    return settings["context"]


if __name__ == "__main__":
    sys.exit(main())
