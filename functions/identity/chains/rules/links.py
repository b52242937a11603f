"""The links of a chain in order: whether each holds, and the one thing that puts it right."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from functions.identity.chains.models import MANAGER, Mode
from functions.identity.chains.rules.policy import managed_fault, policy_fault
from functions.identity.chains.rules.trust import AUDIENCE, trust_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from functions.identity.chains.models import Facts, IdentityChain, Place, Role

ROLE_ANNOTATION: Final = "eks.amazonaws.com/role-arn"
AGENT: Final = "eks-pod-identity-agent"
_MANAGED_BY: Final = "instantstart:managed-by"
_CLUSTER: Final = "instantstart:cluster"


class Action(StrEnum):
    """What puts a broken link right; the last two leave it to a person."""

    CREATE_PROVIDER = "create_provider"
    ADD_AUDIENCE = "add_audience"
    CREATE_ROLE = "create_role"
    COMES_WITH_ROLE = "comes_with_role"
    REWRITE_TRUST = "rewrite_trust"
    WRITE_POLICY = "write_policy"
    ATTACH_POLICY = "attach_policy"
    APPLY_ACCOUNT = "apply_account"
    CREATE_ASSOCIATION = "create_association"
    UPDATE_ASSOCIATION = "update_association"
    AWAIT_ADDON = "await_addon"
    REFUSE = "refuse"


@dataclass(frozen=True)
class Link:
    """A link as found: a fault breaks it, `action` repairs it, and `remedy` is for what we must not touch."""

    name: str
    resource: str
    fault: str | None = None
    action: Action | None = None
    remedy: str = ""

    def __str__(self) -> str:
        """Name the link, its resource and its fault."""
        return f"{self.name} {self.resource}: {self.fault or 'holds'}"


def links_of(chain: IdentityChain, place: Place, facts: Facts) -> list[Link]:
    """Judge every link, from what pods need first to what they need last."""
    links = [_provider(place, facts)] if chain.mode is Mode.OIDC else [_agent(place, facts)]
    links += _role_links(chain, place, facts)
    links += [_account(chain, facts), _annotation(chain, place, facts)]
    if chain.mode is Mode.POD_IDENTITY:
        links.append(_association(chain, place, facts))
    return links


def broken(links: Iterable[Link]) -> list[Link]:
    """List the links that do not hold, in order."""
    return [link for link in links if link.fault]


def ours(tags: Mapping[str, str], place: Place) -> bool:
    """Say whether tags mark what we made for this cluster."""
    return tags.get(_MANAGED_BY) == MANAGER and tags.get(_CLUSTER) == place.tag


def _agent(place: Place, facts: Facts) -> Link:
    if facts.agent:
        return Link("agent", AGENT)
    fault, remedy = f"it is not installed on {place.cluster}", f"Install the add-on {AGENT}."
    return Link("agent", AGENT, fault, Action.AWAIT_ADDON, remedy)


def _provider(place: Place, facts: Facts) -> Link:
    found, name = facts.provider, "OIDC provider"
    if found is None:
        return Link(name, place.provider, f"IAM knows no provider of {place.issuer}", Action.CREATE_PROVIDER)
    if AUDIENCE in found.audiences:
        return Link(name, place.provider)
    fault = f"{AUDIENCE} is not among its audiences"
    if ours(found.tags, place):
        return Link(name, place.provider, fault, Action.ADD_AUDIENCE)
    remedy = f"Add the client id {AUDIENCE} to the identity provider {place.provider}."
    return Link(name, place.provider, fault, Action.REFUSE, remedy)


def _role_links(chain: IdentityChain, place: Place, facts: Facts) -> list[Link]:
    role, arn = facts.role, chain.role_at(place)
    if chain.given_role:
        return _given_role_links(chain, place, role)
    if role is None:
        policies = {"policy": Action.WRITE_POLICY} if chain.inline else {}
        policies |= {"managed policy": Action.ATTACH_POLICY} if chain.managed else {}
        absent = [Link(name, chain.role, "the role is absent", action) for name, action in policies.items()]
        trust = Link("role trust", chain.role, "the role is absent", Action.COMES_WITH_ROLE)
        return [Link("role", chain.role, "it is absent", Action.CREATE_ROLE), trust, *absent]
    mine = role.arn == arn and ours(role.tags, place)
    judged = [("role trust", trust_fault(role.trust, chain, place), Action.REWRITE_TRUST)]
    judged += [("policy", policy_fault(role.inline, each, place), Action.WRITE_POLICY) for each in chain.inline]
    judged += [("managed policy", managed_fault(role.attached, each), Action.ATTACH_POLICY) for each in chain.managed]
    owner = Link("role", chain.role) if mine else _foreign(chain, place, role.arn)
    return [owner, *(Link(name, chain.role, fault, action if fault else None) for name, fault, action in judged)]


def _given_role_links(chain: IdentityChain, place: Place, role: Role | None) -> list[Link]:
    """Judge a role that the caller chose: what it lacks is for its owner to put right."""
    arn = chain.role_at(place)
    if role is None or role.arn != arn:
        remedy = f"Make the role {arn} again as it was when the cluster took it over."
        return [Link("role", arn, "it is absent", Action.REFUSE, remedy)]
    judged = [("role trust", trust_fault(role.trust, chain, place))]
    judged += [("policy", policy_fault(role.inline, each, place)) for each in chain.inline]
    remedy = f"Put it right on {arn}, which is not the control plane's to change."
    faulty = [Link(name, arn, fault, Action.REFUSE, remedy) if fault else Link(name, arn) for name, fault in judged]
    return [Link("role", arn), *faulty]


def _foreign(chain: IdentityChain, place: Place, found: str) -> Link:
    fault = f"{found} was not made by the control plane for cluster {place.tag}"
    remedy = f"Delete or rename the role {chain.role}, or tag it back if it is ours."
    return Link("role", chain.role, fault, Action.REFUSE, remedy)


def _account(chain: IdentityChain, facts: Facts) -> Link:
    name = f"{chain.namespace}/{chain.service_account}"
    if facts.account is not None or (chain.account_of and chain.precedes):
        return Link("service account", name)
    if chain.account_of is None:
        return Link("service account", name, "it is absent", Action.APPLY_ACCOUNT)
    remedy = f"Install the add-on {chain.account_of}, which makes it."
    return Link("service account", name, "it is absent", Action.AWAIT_ADDON, remedy)


def _annotation(chain: IdentityChain, place: Place, facts: Facts) -> Link:
    name, arn = f"{chain.namespace}/{chain.service_account}", chain.role_at(place)
    if facts.account is None:
        # A service account of ours gets it when it is made, an add-on's by the add-on's configuration or by us later.
        waits = chain.mode is Mode.OIDC and not chain.account_of
        fault = "there is nothing to annotate" if waits else None
        return Link("annotation", name, fault, Action.APPLY_ACCOUNT if fault else None)
    found = facts.account.annotations.get(ROLE_ANNOTATION)
    if chain.mode is Mode.OIDC:
        fault = None if found == arn else f"{ROLE_ANNOTATION} is {found or 'absent'}, not {arn}"
        return Link("annotation", name, fault, Action.APPLY_ACCOUNT if fault else None)
    if found is None:
        return Link("annotation", name)
    # Credentials of a web identity come before those of a pod identity in every SDK.
    command = f"kubectl annotate serviceaccount -n {chain.namespace} {chain.service_account} {ROLE_ANNOTATION}-"
    remedy = f"Run {command}."
    return Link("annotation", name, f"{found} would be used instead", Action.REFUSE, remedy)


def _association(chain: IdentityChain, place: Place, facts: Facts) -> Link:
    found, arn = facts.association, chain.role_at(place)
    name = f"{place.cluster}/{chain.namespace}/{chain.service_account}"
    if found is None:
        return Link("association", name, "it is absent", Action.CREATE_ASSOCIATION)
    if found.role_arn == arn:
        return Link("association", name)
    fault = f"it gives {found.role_arn}, not {arn}"
    if found.owner:
        remedy = f"Give the add-on {found.owner} the role {arn} for this service account."
        return Link("association", name, fault, Action.REFUSE, remedy)
    if ours(found.tags, place):
        return Link("association", name, fault, Action.UPDATE_ASSOCIATION)
    remedy = f"Delete the pod identity association {found.association_id}."
    return Link("association", name, fault, Action.REFUSE, remedy)
