"""Security groups of instances: what EFA, the control plane and AWS's own services need of them.

Sources: SageMaker developer guide, "Setting up SageMaker HyperPod with a custom Amazon VPC"; Amazon EKS user guide,
"Amazon EKS security group requirements".
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from functions.capacity.preflight.rules.security_groups import missing_rules
from functions.catalog.rules import has_efa
from functions.diagnostics.models.answers import Name, Priority
from functions.diagnostics.rules.hyperpod import wanted
from functions.diagnostics.rules.saying import fact, failed, passed, unchecked, unread, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from functions.capacity.preflight.models import SecurityGroup
    from functions.clusters.importing.models.found import FoundEks
    from functions.diagnostics.models.answers import Check
    from functions.diagnostics.models.facts import Facts

_SELF, _EGRESS, _TRAFFIC = Name.SELF_REFERENCE, Name.EGRESS, Name.CONTROL_PLANE_TRAFFIC
# So many values a filter of EC2 takes: one call tells of all that a cluster can have but for the oddest.
_MOST: Final = 200
_RULES: Final = {"inbound": "authorize-security-group-ingress", "outbound": "authorize-security-group-egress"}


def groups_of(facts: Facts) -> dict[str, bool]:
    """Name the security groups that instances have, or are to have, each with whether EFA runs through it."""
    named: dict[str, bool] = {}
    found = facts.hyperpod.value
    standing = {group.desired.name: group.security_group_ids for group in found.groups} if found else {}
    for group in wanted(facts):
        ids = standing.get(group.name) or group.security_group_ids or filter(None, [own_group(facts)])
        for group_id in ids:
            named[group_id] = named.get(group_id, False) or any(map(has_efa, group.types))
    if not named and (own := own_group(facts)):
        named[own] = False
    return dict(islice(named.items(), _MOST))


def own_group(facts: Facts) -> str | None:
    """Name the security group that instances get where nobody names another."""
    if facts.spec.surroundings:
        return facts.spec.surroundings.security_group_id
    return facts.stack.value.outputs.get("ComputeSecurityGroupId") if facts.stack.value else None


def check(facts: Facts) -> Iterator[Check]:
    """Judge each security group."""
    yield from unread(_SELF, facts.hyperpod, facts.stack)
    if not facts.security_groups.asked:
        return
    if facts.security_groups.value is None:
        yield unchecked(_SELF, facts.security_groups)
        return
    for group_id, efa in groups_of(facts).items():
        found = facts.security_groups.value.get(group_id)
        yield from _of(facts, found, efa=efa) if found else [_absent(group_id)]


def _absent(group_id: str) -> Check:
    remedy = "Make it again with all traffic from and to itself, or create the HyperPod cluster anew with another one."
    return failed(_SELF, Priority.P0, f"the security group {group_id} does not exist", remedy, group_id)


def _of(facts: Facts, group: SecurityGroup, *, efa: bool) -> Iterator[Check]:
    eks = facts.eks.value.found if facts.eks.value else None
    if eks and eks.vpc_id and group.vpc_id != eks.vpc_id:
        message = f"{group.group_id} is in {group.vpc_id}, the EKS cluster in {eks.vpc_id}"
        remedy = f"Give the instances a security group of {eks.vpc_id}."
        yield failed(_SELF, Priority.P0, message, remedy, group.group_id, [fact("vpc", group.vpc_id)])
        return
    yield _self_reference(group, efa=efa)
    yield _egress(group)
    if eks:
        yield _from_control_plane(group, eks)


def _self_reference(group: SecurityGroup, *, efa: bool) -> Check:
    missing = missing_rules(group)
    seen = [fact("from_itself", group.from_itself), fact("to_itself", group.to_itself), fact("efa", efa)]
    if missing:
        message = f"{group.group_id} lacks the rule {' and '.join(missing)}"
        message += ", without which EFA's health check fails" if efa else ", which nodes need among themselves"
        remedy = "; ".join(_command(rule, group.group_id) for rule in missing)
        return failed(_SELF, Priority.P0 if efa else Priority.P1, message, remedy, group.group_id, seen)
    if efa and not group.names_itself:
        message = f"{group.group_id} lets everything out to a range, and no outbound rule names the group itself"
        remedy = _command("outbound", group.group_id)
        return warned(_SELF, Priority.P1, message, remedy, group.group_id, seen)
    return passed(_SELF, f"{group.group_id} lets its members reach each other", group.group_id)


def _command(rule: str, group_id: str) -> str:
    """Write the command that adds a rule; adding one takes nothing from anybody."""
    call = _RULES[rule.partition(":")[0]]
    pair = f"IpProtocol=-1,UserIdGroupPairs=[{{GroupId={group_id}}}]"
    return f"aws ec2 {call} --group-id {group_id} --ip-permissions '{pair}'"


def _egress(group: SecurityGroup) -> Check:
    if group.leaves:
        return passed(_EGRESS, f"{group.group_id} lets HTTPS out to everywhere", group.group_id)
    message = (
        f"{group.group_id} does not let HTTPS out to everywhere: instances reach AWS through endpoints only, if any"
    )
    remedy = (
        f"aws ec2 authorize-security-group-egress --group-id {group.group_id} --protocol -1 --cidr 0.0.0.0/0; or see "
        "that the VPC has endpoints for every service that instances call."
    )
    return warned(_EGRESS, Priority.P1, message, remedy, group.group_id, [fact("https_out", value=False)])


def _from_control_plane(group: SecurityGroup, eks: FoundEks) -> Check:
    """Judge whether the API server gets to nodes: by a group that both have, or by a rule."""
    doors = {eks.cluster_security_group_id, *eks.security_group_ids} - {""}
    if group.group_id in doors or doors & group.admits:
        return passed(_TRAFFIC, f"{eks.name} reaches members of {group.group_id}", group.group_id)
    message = f"{group.group_id} lets nothing in from {eks.name}: logs, commands in pods and webhooks do not work"
    source = eks.cluster_security_group_id or next(iter(sorted(doors)), "<group of the EKS cluster>")
    remedy = (
        f"aws ec2 authorize-security-group-ingress --group-id {group.group_id} --protocol -1 --source-group {source}"
    )
    seen = [fact("groups_of_control_plane", ", ".join(sorted(doors)))]
    return warned(_TRAFFIC, Priority.P1, message, remedy, group.group_id, seen)
