"""A chain whose role is the caller's own: judged link by link, and never written or removed."""

from __future__ import annotations

from dataclasses import replace

from functions.core.cluster import ReusedResources
from functions.identity.chains.models import CHAINS, Association, Facts, IdentityChain, Role
from functions.identity.chains.rules.links import Action
from functions.identity.chains.rules.removal import Removal, removal_of, staying
from functions.identity.chains.rules.trust import trust_of
from tests.unit.test_identity_chain_rules import OURS, PLACE, faults, spec

ARN = "arn:aws:iam::123456789012:role/team/mounts"


def chain() -> IdentityChain:
    names = spec().names.model_copy(update={"s3_csi_role": "mounts"})
    reused = ReusedResources(s3_csi_role_arn=ARN)
    return CHAINS["s3-csi-driver"](spec().model_copy(update={"names": names, "reused": reused}))


def facts() -> Facts:
    """A chain without fault: the grants may stand in any of the role's policies."""
    [bucket] = chain().inline
    policies = {"arn:aws:iam::123456789012:policy/data": bucket.document()}
    role = Role(ARN, {}, trust_of(chain(), PLACE), policies, frozenset(policies))
    return Facts(role=role, association=Association("a-1", ARN, tags=OURS), agent=True)


def changed(**changes: object) -> Facts:
    found = facts()
    assert found.role is not None
    return replace(found, role=replace(found.role, **changes))  # type: ignore[arg-type]  # by name


def test_it_holds_though_the_role_is_not_ours() -> None:
    assert faults(chain(), facts()) == []


def test_what_the_role_lacks_is_left_to_its_owner() -> None:
    assert faults(chain(), changed(trust={})) == [("role trust", Action.REFUSE)]
    assert faults(chain(), changed(inline={})) == [("policy", Action.REFUSE)]


def test_a_role_that_is_gone_or_another_of_its_name_is_never_made() -> None:
    assert faults(chain(), replace(facts(), role=None)) == [("role", Action.REFUSE)]
    other = "arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/mounts"
    assert faults(chain(), changed(arn=other)) == [("role", Action.REFUSE)]


def test_an_association_of_ours_is_pointed_to_it() -> None:
    elsewhere = Association("a-1", "arn:aws:iam::123456789012:role/instantstart/us-west-2/clusters/mounts", tags=OURS)
    assert faults(chain(), replace(facts(), association=elsewhere)) == [("association", Action.UPDATE_ASSOCIATION)]
    assert faults(chain(), replace(facts(), association=None)) == [("association", Action.CREATE_ASSOCIATION)]


def test_the_removal_takes_the_association_and_leaves_the_role_even_with_tags_like_ours() -> None:
    found = changed(tags=OURS)
    assert removal_of(chain(), PLACE, found) == [Removal.DELETE_ASSOCIATION]
    assert staying(chain(), PLACE, found) == [f"role {ARN} (somebody else's)"]
