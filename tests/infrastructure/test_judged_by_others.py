"""Programs of others find nothing to mend in what would be deployed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from infra.host.stack import NAME
from infra.release import Release, environment, substitutions
from infra.topology import TOPOLOGY
from tests.infrastructure.deployment import PLACE
from tests.infrastructure.outsiders import run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.infrastructure.deployment import Deployment

# What cfn-lint warns of and nobody mends.
WARNINGS: Final = {
    "W3005": "CDK writes down a dependency on a role that a reference has already; that changes nothing.",
    "W3045": "CloudFront's standard log and S3's server access log are written by access control lists.",
    "W2001": "Nothing reads RehearsalOnly: whoever deploys a rehearsal has to give it, and that is its purpose.",
}


def test_the_outside_validator_takes_every_state_machine_as_it_is_deployed(tmp_path: Path) -> None:
    values = substitutions(environment(TOPOLOGY, PLACE, Release("r1", ())))
    written: list[str | Path] = []
    for machine in TOPOLOGY.machines:
        text = machine.path.read_text(encoding="utf-8")
        for name, value in values.items():
            text = text.replace(f"${{{name}}}", value)
        assert "${" not in text, machine.name
        path = tmp_path / machine.path.name
        path.write_text(text, encoding="utf-8")
        written += ["--json-path", path]
    verdict = run("asl-validator", *written)
    assert verdict.returncode == 0, verdict.stdout + verdict.stderr


def test_the_outside_validator_refuses_a_state_machine_that_leads_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"StartAt": "a", "States": {"a": {"Type": "Pass", "Next": "b"}}}), encoding="utf-8")
    assert run("asl-validator", "--json-path", path).returncode == 1


def test_cloudformation_lint_finds_no_error_and_warns_of_nothing_unknown(plain: Deployment, chosen: Deployment) -> None:
    templates = [deployment.assembly / f"{NAME}.template.json" for deployment in (plain, chosen)]
    found = json.loads(run("cfn-lint", "--format", "json", *templates).stdout)
    unknown = [f"{each['Rule']['Id']} {each['Message']}" for each in found if each["Rule"]["Id"] not in WARNINGS]
    assert unknown == []
    assert {each["Rule"]["Id"] for each in found} == WARNINGS.keys()
