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
from infra.host.context import KEY, Context, complaint
from infra.host.report import report
from infra.host.shipment import shipment
from infra.host.stack import InstantStart
from infra.topology import ROOT, TOPOLOGY

if TYPE_CHECKING:
    from pydantic import JsonValue


def main() -> int:
    """Synthesise into CDK_OUTDIR; a context that contradicts itself costs one sentence and exit code 1."""
    started = time.monotonic()
    app = App(context=_defaults(), analytics_reporting=False)
    try:
        context = Context.of(app.node.try_get_context(KEY))
    except ValidationError as error:
        sys.stderr.write(f"{complaint(error)}\n")
        return 1
    InstantStart(app, topology=TOPOLOGY, context=context, packages=assets, shipment=shipment(context.charts))
    assembly = app.synth()
    sys.stdout.write(report(Path(assembly.directory), time.monotonic() - started))
    return 0


def _defaults() -> dict[str, JsonValue]:
    """Read what CDK's command line reads too, and prefers to what is given here."""
    settings: dict[str, dict[str, JsonValue]] = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))
    return settings["context"]


if __name__ == "__main__":
    sys.exit(main())
