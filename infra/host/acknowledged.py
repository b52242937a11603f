"""Findings of cdk-nag that stay, each said with its reason beside the construct that has it.

The ids are those of its rule pack AwsSolutions; nothing of it is needed to deploy. `tests/infrastructure/` runs it, and
refuses a finding that is not acknowledged, and an acknowledgement of nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_cdk import Acknowledgment, Validations

from infra.host.internal_api import INTERNAL_API
from infra.privilege.wildcards import reason_for
from infra.release import Place

if TYPE_CHECKING:
    from constructs import IConstruct

    from infra.privilege.documents import Document

_PACK: Final = "AwsSolutions::AwsSolutions-"
# What stands for the account and its like in the id of a finding.
AS_FOUND: Final = Place(
    "<AWS::AccountId>", "<AWS::Region>", "<AWS::Partition>", "<AWS::URLSuffix>", f"<{INTERNAL_API}>"
)


def acknowledge(construct: IConstruct, rule: str, reason: str) -> None:
    """Say why a finding of a construct stays; `rule` is its id without the pack's name, as in `IAM5[Resource::*]`."""
    Validations.of(construct).acknowledge(Acknowledgment(id=f"{_PACK}{rule}", reason=reason))


def acknowledge_python(function: IConstruct) -> None:
    """Say why a function does not run on Lambda's newest Python."""
    acknowledge(function, "L1", "Python 3.13 is the newest that our tests run on.")


def acknowledge_wildcards(role: IConstruct, document: Document) -> None:
    """Say of each pattern in a role's policy why it is not narrower; the document is the one of `AS_FOUND`."""
    resources = {resource for statement in document.statements for resource in statement.resources}
    for resource in sorted(resources):
        if "*" in resource:
            acknowledge(role, f"IAM5[Resource::{resource}]", reason_for(resource.replace("<AWS::", "<")))
