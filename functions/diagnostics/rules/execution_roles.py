"""The roles of instances: there has to be each, and it has to trust SageMaker.

Source: SageMaker developer guide, "IAM execution role for SageMaker HyperPod".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.saying import fact, failed, few, passed, unchecked
from functions.identity.chains.rules.documents import allows, matches, principals, statements, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts

_NAME: Final = Name.EXECUTION_ROLE
_SERVICE: Final = "sagemaker.amazonaws.com"
_ACTION: Final = "sts:AssumeRole"


def roles_of(facts: Facts) -> list[str]:
    """Name the execution roles by their ARNs: of the groups that stand, else the one that groups would get."""
    found = facts.hyperpod.value
    standing = [group.execution_role_arn for group in found.groups if group.execution_role_arn] if found else []
    made = facts.stack.value.outputs.get("ExecutionRoleArn") if facts.stack.value else None
    imported = facts.spec.surroundings.execution_role_arn if facts.spec.surroundings else None
    return list(dict.fromkeys(standing)) or [role for role in (made, imported) if role]


def check(facts: Facts) -> Iterator[Check]:
    """Judge each role; those that are well are told together."""
    well: list[str] = []
    for arn, seen in facts.trusts.items():
        if not seen.known:
            yield unchecked(_NAME, seen, arn)
        elif fault := _fault(arn, seen.value):
            yield fault
        else:
            well.append(arn.rpartition("/")[2])
    if well:
        yield passed(_NAME, f"SageMaker takes on {few(well)}")


def _fault(arn: str, trust: Mapping[str, JsonValue] | None) -> Check | None:
    name = arn.rpartition("/")[2]
    if trust is None:
        remedy = "Bring the role back; its access entry has to be made anew then, for an entry dies with its role."
        return failed(_NAME, Priority.P0, f"the execution role {name} does not exist", remedy, arn)
    if _trusts_sagemaker(trust):
        return None
    trusted = [each for statement in statements(trust, "Allow") for each in principals(statement, "Service")]
    message = f"the execution role {name} does not let SageMaker take it on: its instances get no credentials"
    remedy = f"Add a statement to the role's trust that allows {_SERVICE} {_ACTION}."
    return failed(_NAME, Priority.P0, message, remedy, arn, [fact("trusts", few(trusted))])


def _trusts_sagemaker(trust: Mapping[str, JsonValue]) -> bool:
    if any(allows(texts(each.get("Action")), _ACTION) for each in statements(trust, "Deny")):
        return False
    return any(
        allows(texts(each.get("Action")), _ACTION)
        and any(matches(one, _SERVICE) for one in principals(each, "Service"))
        for each in statements(trust, "Allow")
    )
