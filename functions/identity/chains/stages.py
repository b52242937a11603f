"""The chain from a service account to what its role may do: every link checked, repaired, and removed in reverse."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from functions.aws import addons, eks, iam, pod_identity
from functions.core import detection
from functions.core.detection import Part
from functions.core.documents import member
from functions.core.drifts import Drift, drift
from functions.core.errors import Busy, Cause, Conflict, DeploymentFault, Layer, PreconditionFailed, Problem
from functions.core.stage import Applied, Behaviours, Done, Failed, Observation, Reapply, StageContext
from functions.core.tags import labels_of, tags_of
from functions.identity.chains.models import (
    CHAINS,
    Account,
    Association,
    Facts,
    IdentityChain,
    Mode,
    Place,
    Provider,
    Role,
    chains_of,
    partition_of,
)
from functions.identity.chains.rules.links import AGENT, ROLE_ANNOTATION, Action, Link, broken, links_of
from functions.identity.chains.rules.removal import Removal, removal_of, staying
from functions.identity.chains.rules.trust import AUDIENCE, merged, trust_of
from functions.kubernetes_api import connection, objects
from functions.kubernetes_api.objects import NO_ENTRY, SERVICE_ACCOUNTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

_DELETE_CLUSTER: Final = "delete_cluster"
_NOT_OURS: Final = frozenset({Action.REFUSE, Action.AWAIT_ADDON})


class IdentityChainStage:
    """The chain that the stage's parameter names."""

    def apply(self, context: StageContext) -> Applied:
        """Repair the broken links in order; one that is not ours stops it with a remedy."""
        chain, place = _granting(context), _place(context)
        facts = _facts(context, chain, place)
        faults = broken(links_of(chain, place, facts))
        notes = _late(chain, facts)
        for link in faults:
            if link.action in _NOT_OURS:
                raise _refused(link)
            notes += _repair(context, chain, place, link)
        repaired = ", ".join(link.name for link in faults)
        return Applied(f"repaired {repaired}" if faults else "every link holds", (chain.role_at(place),), notes)

    def observe(self, context: StageContext) -> Observation:
        """Done when every link holds, else name the first that does not."""
        chain, place = _granting(context), _place(context)
        links = links_of(chain, place, _facts(context, chain, place))
        faults = broken(links)
        if not faults:
            result: dict[str, JsonValue] = {"subject": chain.subject, "role": chain.role_at(place)}
            named = ", ".join(link.name for link in links)
            return Done({**result, "mode": chain.mode}, f"every link holds: {named}", (chain.role_at(place),))
        if faults[0].action in _NOT_OURS:
            return Failed(_refused(faults[0]))
        return Reapply(f"broken at {faults[0]}")


class IdentityChainRemoval:
    """The end of the chain that the stage's parameter names."""

    def apply(self, context: StageContext) -> Applied:
        """Take our links in reverse; those that are not ours stay."""
        chain, place, facts, unseen = _removable(context)
        steps = removal_of(chain, place, facts)
        for step in steps:
            _take(step, context, chain, facts)
        gone = (f"identity-chain/{context.parameter}",) if steps else ()
        return Applied(f"removed: {', '.join(steps)}" if steps else "nothing of ours is left", gone, unseen)

    def observe(self, context: StageContext) -> Observation:
        """Done when nothing of ours is left; what stays is named with its owner."""
        chain, place, facts, _ = _removable(context)
        if steps := removal_of(chain, place, facts):
            return Reapply(f"still to do: {', '.join(steps)}")
        stays = staying(chain, place, facts)
        said = f"; left alone: {', '.join(stays)}" if stays else ""
        return Done({"subject": chain.subject, "left_alone": [*stays]}, f"nothing of ours is left{said}")


def _removable(context: StageContext) -> tuple[IdentityChain, Place, Facts, tuple[str, ...]]:
    """Read what there is to remove, and say what was not read; with its cluster a chain has lost all but its role."""
    chain, cluster = _chain(context), context.cluster
    name = cluster.names.eks_cluster
    place = Place(name, cluster.account_id, partition_of(cluster.region), "", cluster.tag)
    found, role = eks.describe_cluster(name), _role(chain)
    if found is None:
        return chain, place, Facts(role=role), ()
    if found.status == "DELETING":
        raise Busy(
            f"The EKS cluster {name} is being deleted, and what is left of the chain is known once it is gone.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Wait until the cluster is gone.",
        )
    account, unseen = _account_left(context, chain)
    return chain, place, Facts(role=role, account=account, association=_association(chain, place)), unseen


def _account_left(context: StageContext, chain: IdentityChain) -> tuple[Account | None, tuple[str, ...]]:
    """Read the service account of a cluster that stays, or say why nobody looked: such a cluster may let nobody in."""
    going = context.operation.kind == _DELETE_CLUSTER and context.cluster.origin == "created"
    if going:
        # It goes with its cluster, which may no longer answer.
        return None, ()
    name = f"{chain.namespace}/{chain.service_account}"
    if context.operation.request.get("skip_workloads"):
        return None, (f"service account {name} stays as it is: nothing is done inside the cluster",)
    try:
        return _account(context, chain), ()
    except Problem as refused:
        if refused.cause is None or refused.cause.code != NO_ENTRY:
            raise
        return None, (f"service account {name} stays as it is: {refused.detail}",)


def _late(chain: IdentityChain, facts: Facts) -> tuple[str, ...]:
    """Say what an association that comes after its service account leaves as it is.

    Source: Amazon EKS user guide, "Understand how EKS Pod Identity works": pods are equipped when they are admitted.
    """
    if chain.mode is not Mode.POD_IDENTITY or facts.association or facts.account is None:
        return ()
    return (f"pods of {chain.namespace}/{chain.service_account} that run already get the role when they start anew",)


def _chain(context: StageContext) -> IdentityChain:
    return _named(context, context.parameter)


def _granting(context: StageContext) -> IdentityChain:
    """Give the chain; raises PreconditionFailed for the one of a bucket where the cluster has none."""
    chain = _chain(context)
    if context.parameter not in chains_of(context.cluster):
        raise PreconditionFailed(
            f"Cluster {context.cluster.tag} has no bucket, and the identity chain {context.parameter} grants one.",
            cause=Cause(layer=Layer.CONTROL_PLANE, code="NO_BUCKET", resource=context.cluster.tag),
            remedy=f'Send POST /api/clusters/{context.cluster.tag}/redetect with {{"bucket": "sagemaker-..."}}.',
        )
    return chain


def _named(context: StageContext, name: str) -> IdentityChain:
    if name not in CHAINS:
        raise DeploymentFault(
            f"The release knows no identity chain {name}.",
            cause=Cause(layer=Layer.CONTROL_PLANE, code="UNKNOWN_CHAIN", resource=name),
            remedy=f"Name one of {', '.join(CHAINS)}, or deploy the release that knows it.",
        )
    return CHAINS[name](context.cluster)


def _parts(context: StageContext) -> Iterator[Part]:
    """List what is compared; a cluster without a bucket has no chain that would mount one."""
    had = chains_of(context.cluster)
    for name in context.parameter.split(","):
        chain = _named(context, name)
        if name not in had:
            continue
        yield Part(chain.subject, "identity chain", (f"identity_chain:{name}",), partial(_look, context, name, chain))


def _look(context: StageContext, name: str, chain: IdentityChain) -> list[Drift]:
    """Name each link that does not hold; one that is not ours is told with what its owner has to do."""
    place = _place(context)
    return [
        drift(
            link.resource,
            f"{link.name} of identity chain {name}",
            None if link.action is Action.REFUSE else f"identity_chain:{name}",
            expected="it holds",
            actual=link.fault,
            remedy=f"{link.remedy} Then detect drift again." if link.remedy else None,
        )
        for link in broken(links_of(chain, place, _facts(context, chain, place)))
    ]


def _place(context: StageContext) -> Place:
    cluster, name = context.cluster, context.cluster.names.eks_cluster
    return Place(name, cluster.account_id, partition_of(cluster.region), pod_identity.issuer_of(name), cluster.tag)


def _facts(context: StageContext, chain: IdentityChain, place: Place) -> Facts:
    pods = chain.mode is Mode.POD_IDENTITY
    provider = None if pods else iam.find_provider(place.provider)
    return Facts(
        provider=Provider(provider.audiences, provider.tags) if provider else None,
        role=_judged_role(chain),
        account=_account(context, chain),
        association=_association(chain, place),
        agent=pods and addons.describe(place.cluster, AGENT) is not None,
    )


def _role(chain: IdentityChain) -> Role | None:
    role = iam.find_role(chain.role)
    return Role(role.arn, role.tags, role.trust, role.inline, role.attached) if role else None


def _judged_role(chain: IdentityChain) -> Role | None:
    """Read a role with all that it grants: the owner of a given one may grant by managed policies."""
    role = _role(chain)
    if role is None or chain.given_role is None:
        return role
    return replace(role, inline={**role.inline, **{arn: iam.policy_document(arn) for arn in sorted(role.attached)}})


def _association(chain: IdentityChain, place: Place) -> Association | None:
    if chain.mode is not Mode.POD_IDENTITY:
        return None
    found = pod_identity.find(place.cluster, chain.namespace, chain.service_account)
    return Association(found.association_id, found.role_arn, found.owner, found.tags) if found else None


def _account(context: StageContext, chain: IdentityChain) -> Account | None:
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    found = objects.get(client, SERVICE_ACCOUNTS, chain.service_account, chain.namespace)
    if found is None:
        return None
    metadata = member(found, "metadata")
    annotations, labels = member(metadata, "annotations"), member(metadata, "labels")
    annotated_by = objects.managers_of(found, "metadata", "annotations", ROLE_ANNOTATION)
    return Account(
        annotations={name: str(value) for name, value in annotations.items()},
        labels={name: str(value) for name, value in labels.items()},
        annotated_by=annotated_by,
    )


def _repair(context: StageContext, chain: IdentityChain, place: Place, link: Link) -> tuple[str, ...]:
    """Put a link right; gives what a person has to know of it."""
    tags, role_arn = tags_of(context.cluster, context.operation.operation_id), chain.role_at(place)
    match link.action:
        case Action.CREATE_PROVIDER:
            iam.create_provider(place.issuer, AUDIENCE, tags)
        case Action.ADD_AUDIENCE:
            iam.add_audience(place.provider, AUDIENCE)
        case Action.CREATE_ROLE:
            purpose = f"of the pods of {chain.subject}"
            iam.create_role(chain.role, chain.role_path, trust_of(chain, place), tags, purpose)
        case Action.APPLY_ACCOUNT:
            return _apply_account(context, chain, role_arn if chain.mode is Mode.OIDC else None)
        case Action.CREATE_ASSOCIATION:
            pod_identity.create(place.cluster, chain.namespace, chain.service_account, role_arn, tags)
        case Action.UPDATE_ASSOCIATION:
            _point(chain, place, role_arn)
        case _:
            _repair_role(chain, place, link)
    return ()


def _repair_role(chain: IdentityChain, place: Place, link: Link) -> None:
    match link.action:
        case Action.REWRITE_TRUST:
            found = iam.find_role(chain.role)
            iam.write_trust(chain.role, merged(trust_of(chain, place), found.trust if found else {}))
        case Action.WRITE_POLICY:
            for policy in chain.inline:
                iam.write_policy(chain.role, policy.name, policy.document())
        case Action.ATTACH_POLICY:
            for arn in chain.managed:
                iam.attach_policy(chain.role, str(arn))


def _point(chain: IdentityChain, place: Place, role_arn: str) -> None:
    found = pod_identity.find(place.cluster, chain.namespace, chain.service_account)
    if found is not None:
        pod_identity.update(place.cluster, found.association_id, role_arn)


def _apply_account(context: StageContext, chain: IdentityChain, role_arn: str | None) -> tuple[str, ...]:
    """Apply what of a service account is ours: all of it, or the annotation alone."""
    metadata: dict[str, JsonValue] = {"name": chain.service_account, "namespace": chain.namespace}
    if chain.account_of is None:
        metadata["labels"] = dict(labels_of(context.cluster, context.operation.operation_id))
    if role_arn is not None:
        metadata["annotations"] = {ROLE_ANNOTATION: role_arn}
    client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
    return objects.apply(client, SERVICE_ACCOUNTS, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})


def _take(step: Removal, context: StageContext, chain: IdentityChain, facts: Facts) -> None:
    match step:
        case Removal.DELETE_ASSOCIATION if facts.association:
            pod_identity.delete(context.cluster.names.eks_cluster, facts.association.association_id)
        case Removal.REMOVE_ANNOTATION:
            _apply_account(context, chain, None)
        case Removal.DELETE_ACCOUNT:
            client = connection.connect(context.cluster.names.eks_cluster, eks.api_server_of)
            objects.delete(client, SERVICE_ACCOUNTS, chain.service_account, chain.namespace)
        case Removal.DETACH_POLICIES if facts.role:
            for arn in sorted(facts.role.attached):
                iam.detach_policy(chain.role, arn)
        case Removal.DELETE_POLICIES if facts.role:
            for name in sorted(facts.role.inline):
                iam.delete_policy(chain.role, name)
        case Removal.DELETE_ROLE:
            iam.delete_role(chain.role)


def _refused(link: Link) -> Problem:
    kind = PreconditionFailed if link.action is Action.AWAIT_ADDON else Conflict
    layer = Layer.KUBERNETES if link.name in ("service account", "annotation") else Layer.AWS
    cause = Cause(layer=layer, code="BROKEN_LINK", resource=link.resource)
    return kind(f"The chain is broken at {link}.", cause=cause, remedy=f"{link.remedy} Then retry the operation.")


STAGES: Behaviours = {
    "identity_chain": IdentityChainStage(),
    "identity_chain_removal": IdentityChainRemoval(),
    "identity_chain_drift": detection.of(_parts),
}
