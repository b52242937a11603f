"""The skill and its runbook say what the checks point to, and the function behind them can only read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from functions import diagnostics
from functions.diagnostics.models.answers import Name
from functions.diagnostics.rules.sections import AREAS, SECTIONS, SKILL, runbook_of
from infra.privilege.roles import documents
from infra.release import Place, function_role
from infra.topology import TOPOLOGY

FOLDER = Path(__file__).parents[2] / "skills" / SKILL
RUNBOOK = (FOLDER / "references" / "runbook.md").read_text(encoding="utf-8")
TEXT = (FOLDER / "SKILL.md").read_text(encoding="utf-8")
TOOLS = {
    "cluster_diagnose",
    "cluster_event_list",
    "cluster_get",
    "cluster_repair",
    "availability_zone_list",
    "drift_detect",
    "drift_get",
    "instance_type_list",
    "operation_get",
    "operation_list",
    "operation_retry",
    "operation_wait",
    "quota_list",
    "subnet_list",
}


def sections() -> dict[str, str]:
    """The sections of the runbook by the anchors of their headings."""
    parts = re.split(r"^## (.+)$", RUNBOOK, flags=re.M)[1:]
    return {heading.lower().replace(" ", "-"): text for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def test_every_check_points_to_a_section_and_every_section_is_about_its_checks() -> None:
    told = {
        anchor: set(re.findall(r"`(\w+)`", re.search(r"^Checks: (.+)\.$", text, re.M)[1]))  # type: ignore[index]
        for anchor, text in sections().items()
    }
    expected: dict[str, set[str]] = {}
    for name, section in SECTIONS.items():
        expected.setdefault(section, set()).add(name)
    assert told == expected
    assert SECTIONS.keys() == AREAS.keys() == set(Name)
    assert runbook_of(Name.QUOTA) == "diagnose-cluster-creation/quotas"


def test_the_skill_says_when_to_use_it_and_when_not() -> None:
    _, front, body = TEXT.split("---\n", 2)
    said = yaml.safe_load(front)
    assert all(words in said["description"] for words in ("Use it when", "Not for"))
    assert "references/runbook.md" in body
    assert len(body.splitlines()) < 80


@pytest.mark.parametrize("text", [TEXT, RUNBOOK], ids=["skill", "runbook"])
def test_only_tools_that_there_are_are_named(text: str) -> None:
    spoken = set(re.findall(r"`((?:cluster|drift|operation|quota|subnet|instance_type|availability_zone)_\w+)`", text))
    assert spoken - set(map(str, Name)) <= TOOLS


def test_routes_in_remedies_are_written_whole_for_the_gateway_to_find() -> None:
    sources = sorted((Path(diagnostics.__file__).parent).rglob("*.py"))
    broken = [
        path.name for path in sources if re.search(r"\b(?:GET|POST|PUT|PATCH|DELETE) \{", path.read_text("utf-8"))
    ]
    assert (len(sources) > 10, broken) == (True, [])


# What every function does, whatever it is for: its log, its traces, its signing key.
OF_ALL = {
    "logs:CreateLogStream",
    "logs:PutLogEvents",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
    "secretsmanager:GetSecretValue",
}
READING = re.compile(r"\w[\w-]*:(?:Describe|Get|List)[A-Z]\w+")
OF_LEDGER = {"dynamodb:Query"}


def test_the_function_behind_diagnoses_holds_reads_and_nothing_else() -> None:
    place = Place("123456789012", "us-west-2")
    policy = documents(TOPOLOGY, place)[function_role("diagnostics")]
    actions = {action for each in policy.statements for action in each.actions}
    assert {each for each in actions - OF_ALL - OF_LEDGER if not READING.fullmatch(each)} == set()
    # What can be named is: only what has no type of resource is granted on everything.
    wide = {a for each in policy.statements if "*" in each.resources for a in each.actions} - OF_ALL
    assert wide == {
        "ec2:DescribeNatGateways",
        "ec2:DescribeNetworkAcls",
        "ec2:DescribeRouteTables",
        "ec2:DescribeSecurityGroups",
        "ec2:DescribeSubnets",
        "ec2:DescribeVpcEndpoints",
        "servicequotas:ListServiceQuotas",
    }
