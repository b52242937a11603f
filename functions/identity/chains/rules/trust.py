"""Decisions about a role's trust: what it must say, and what keeps a trust from letting the service account in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.identity.chains.models import Mode
from functions.identity.chains.rules.documents import allows, conditions, matches, principals, statements, texts

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.identity.chains.models import IdentityChain, Place
    from functions.identity.chains.rules.documents import Document

AUDIENCE: Final = "sts.amazonaws.com"
# Source: Amazon EKS user guide, "Create IAM role with trust policy required by EKS Pod Identity".
PODS: Final = "pods.eks.amazonaws.com"
_POD_ACTIONS: Final = ("sts:AssumeRole", "sts:TagSession")
_WEB_ACTION: Final = "sts:AssumeRoleWithWebIdentity"
_JUDGED: Final = frozenset({"StringEquals", "StringLike"})


def trust_of(chain: IdentityChain, place: Place) -> dict[str, JsonValue]:
    """Write the exact trust of a chain's role."""
    if chain.mode is Mode.POD_IDENTITY:
        own = _statement({"Service": PODS}, list(_POD_ACTIONS))
    else:
        exact: dict[str, JsonValue] = {
            f"{place.issuer_name}:aud": AUDIENCE,
            f"{place.issuer_name}:sub": chain.subject,
        }
        own = _statement({"Federated": place.provider}, [_WEB_ACTION])
        own["Condition"] = {"StringEquals": exact}
    others: list[JsonValue] = [_statement({"Service": name}, ["sts:AssumeRole"]) for name in chain.also_trusted]
    return {"Version": "2012-10-17", "Statement": [own, *others]}


def merged(wanted: dict[str, JsonValue], standing: Document) -> dict[str, JsonValue]:
    """Write our trust and keep what others have added: statements that let in neither pods nor web identities.

    Those stand for our own, broken or outdated. A statement that denies is not kept: it may be what breaks the chain.
    """
    ours = wanted["Statement"]
    listed = ours if isinstance(ours, list) else [ours]
    kept: list[JsonValue] = [
        dict(each) for each in statements(standing, "Allow") if dict(each) not in listed and _of_others(each)
    ]
    return {**wanted, "Statement": [*listed, *kept]}


def _of_others(statement: Document) -> bool:
    named = statement.get("Principal")
    strangers = not principals(statement, "Federated") and PODS not in principals(statement, "Service")
    return isinstance(named, dict) and strangers


def trust_fault(document: Document, chain: IdentityChain, place: Place) -> str | None:
    """Say what keeps a trust from doing its work; None when it lets exactly this chain's pods in."""
    own = _pods_fault(document) if chain.mode is Mode.POD_IDENTITY else _web_fault(document, chain, place)
    missing = [name for name in chain.also_trusted if not _trusts(document, name, ("sts:AssumeRole",))]
    denied = next((f"a statement denies {action}" for action in _actions(chain) if _denies(document, action)), None)
    return denied or own or (f"it does not trust {missing[0]}" if missing else None)


def _statement(principal: dict[str, JsonValue], actions: list[JsonValue]) -> dict[str, JsonValue]:
    return {"Effect": "Allow", "Principal": principal, "Action": actions}


def _actions(chain: IdentityChain) -> tuple[str, ...]:
    return _POD_ACTIONS if chain.mode is Mode.POD_IDENTITY else (_WEB_ACTION,)


def _denies(document: Document, action: str) -> bool:
    return any(allows(texts(each.get("Action")), action) for each in statements(document, "Deny"))


def _pods_fault(document: Document) -> str | None:
    missing = [action for action in _POD_ACTIONS if not _trusts(document, PODS, (action,))]
    return f"{PODS} may not call {' and '.join(missing)}" if missing else None


def _trusts(document: Document, service: str, actions: tuple[str, ...]) -> bool:
    return any(
        service in principals(each, "Service")
        and all(allows(texts(each.get("Action")), action) for action in actions)
        and not each.get("Condition")
        for each in statements(document, "Allow")
    )


def _web_fault(document: Document, chain: IdentityChain, place: Place) -> str | None:
    candidates = [each for each in statements(document, "Allow") if allows(texts(each.get("Action")), _WEB_ACTION)]
    faults = [_statement_fault(each, chain, place) for each in candidates]
    if not faults:
        return f"no statement allows {_WEB_ACTION}"
    return None if None in faults else faults[0]


def _statement_fault(statement: Document, chain: IdentityChain, place: Place) -> str | None:
    named = principals(statement, "Federated")
    if place.provider not in named:
        return _provider_fault(named, place)
    strange = next((each for each in conditions(statement) if each[0] not in _JUDGED), None)
    if strange:
        return f"the operator {strange[0]} on {strange[1]} is none that we write"
    foreign = [key for _, key, _ in conditions(statement) if key.rpartition(":")[0] != place.issuer_name]
    if foreign:
        return f"a condition is about {foreign[0]}, the cluster's issuer is {place.issuer_name}"
    wanted = {"aud": AUDIENCE, "sub": chain.subject}
    return next((fault for name, text in wanted.items() if (fault := _claim_fault(statement, name, text))), None)


def _provider_fault(named: list[str], place: Place) -> str:
    found = ", ".join(named) or "no identity provider"
    account = next((arn.split(":")[4] for arn in named if arn.count(":") >= 5), place.account)
    if account != place.account:
        return f"it trusts the provider of account {account}, the cluster is in account {place.account}"
    return f"it trusts {found}, the cluster's issuer is {place.issuer_name}"


def _claim_fault(statement: Document, name: str, wanted: str) -> str | None:
    found = [each for each in conditions(statement) if each[1].rpartition(":")[2] == name]
    if not found:
        return f"no condition on {name}"
    for operator, _, values in found:
        if operator == "StringEquals" and wanted not in values:
            wild = [value for value in values if "*" in value or "?" in value]
            if wild:
                return f"{name} uses a wildcard with StringEquals ({wild[0]}), which compares it as plain text"
            return f"{name} is {', '.join(values)}, not {wanted}"
        if operator == "StringLike" and not any(matches(value, wanted) for value in values):
            return f"{name} is like {', '.join(values)}, which {wanted} is not"
    return None
