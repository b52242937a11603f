"""cdk-nag's rules find what is acknowledged with a reason beside the construct that has it, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from aws_cdk import App, Validations
from cdk_nag import AwsSolutionsChecks

from infra.host.shipment import shipment
from infra.host.stack import NAME
from infra.privilege.wildcards import reason_for
from tests.infrastructure.deployment import CHOSEN, assembled

if TYPE_CHECKING:
    from pathlib import Path

PACK: Final = "AwsSolutions"
# The most doors and roles, and CloudFront's own certificate, which a domain of one's own would replace.
EVERYTHING: Final = CHOSEN.model_copy(update={"allowed_origins": ("https://console.example.com",)})


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The assembly of a stack that the rules have let through: a finding that nobody acknowledged stops it."""
    folder = tmp_path_factory.mktemp("judged")
    app = App(outdir=str(folder / "cdk.out"), analytics_reporting=False)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    assembled(app, EVERYTHING, shipment(EVERYTHING.charts), folder)
    app.synth()
    return folder / "cdk.out"


def test_every_finding_is_acknowledged_and_every_acknowledgement_is_of_a_finding(judged: Path) -> None:
    report = json.loads((judged / "validation-report.json").read_text(encoding="utf-8"))
    (verdict,) = [each for each in report["pluginReports"] if each["pluginName"] == PACK]
    assert verdict["violations"] == []
    found = {(each["acknowledgedAt"], each["acknowledgedId"]) for each in verdict["suppressedViolations"]}
    assert acknowledged(judged) == found
    assert found


def test_a_pattern_of_a_kind_that_nobody_gave_a_reason_is_refused() -> None:
    with pytest.raises(LookupError, match="narrow it"):
        reason_for("arn:aws:bedrock:us-west-2:111122223333:agent/*")


def acknowledged(assembly: Path) -> set[tuple[str, str]]:
    """List what the stack acknowledges of this pack: the path of the construct, and the id."""
    written = json.loads((assembly / f"{NAME}.metadata.json").read_text(encoding="utf-8"))
    notes = [(path, note) for path, found in written.items() for note in found]
    ours = [(path, note["data"]) for path, note in notes if note["type"] == Validations.ACKNOWLEDGED_RULES_METADATA_KEY]
    return {(path.lstrip("/"), rule) for path, data in ours for rule in data if rule.startswith(f"{PACK}::")}
