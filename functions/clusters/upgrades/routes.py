"""The route that upgrades a cluster: look at what there is, say what would happen, begin it when confirmed.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from functions.aws import upgrade_readiness
from functions.clusters import records
from functions.clusters.routes import Tag
from functions.clusters.upgrades import rules
from functions.clusters.upgrades.models import ControlPlane, UpgradeCluster
from functions.core import gathering, mutations
from functions.core.application import IdempotencyKey
from functions.core.cluster import ClusterSpec
from functions.core.errors import Cause, Layer, PreconditionFailed
from functions.core.gathering import Gathering
from functions.core.ledger.models import NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent

_KIND = "upgrade_cluster"
# An upgrade touches all of a cluster: nothing else may change it meanwhile.
_SCOPES = ["cluster"]


def upgrade_cluster(
    tag: Tag,
    request: UpgradeCluster | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Begin to move a cluster to another Kubernetes version: control plane, add-ons, nodes."""
    wanted = request or UpgradeCluster()
    asked = _asked(tag, wanted, idempotency_key)
    return mutations.carry_out(
        asked, lambda: _intent(asked, wanted, records.read(tag)), dry_run=dry_run, confirm=confirm
    )


def _asked(tag: str, request: UpgradeCluster, key: str | None) -> NewOperation:
    """Note what identifies a request; nothing is looked up or planned for it yet."""
    sent = request.model_dump(mode="json", exclude_unset=True)
    return mutations.asked(_KIND, tag, sent, _SCOPES, key)


def _intent(asked: NewOperation, request: UpgradeCluster, cluster: records.Cluster) -> Intent:
    spec, look = mutations.owned(cluster.spec), gathering.at_edge()
    plane, offered = _begun(spec, look)
    target = rules.target_of(request.kubernetes_version, plane.version, offered)
    if findings := rules.of_version(plane.version, target, offered):
        # Of a version that cannot be reached, nothing else is worth looking up.
        return Intent(new=asked, changes=(), findings=findings, read={"spec": spec.version}, cluster=spec)
    found = upgrade_readiness.gather(spec.names, plane, offered, target, spec.kubernetes_version, look)
    findings = [*rules.of_readiness(found, target, request.rollout), *look.findings]
    release, nodes = _has_release(cluster), found.may_have_nodes
    planned = {
        "request": rules.kept_request(request, found, target),
        "stages": [mutations.planned(*each) for each in rules.stages(spec, found, release=release, nodes=nodes)],
        "findings": findings,
        "cluster_version": spec.version,
        "changed_cluster": rules.noted(spec, found, target),
    }
    return Intent(
        new=asked.model_copy(update=planned),
        changes=rules.changes(spec, found, request, target, release=release, nodes=nodes),
        findings=findings,
        read=rules.read(spec, found),
        cluster=spec,
        confirm_name=spec.tag,
    )


def _has_release(cluster: records.Cluster) -> bool:
    """Say whether the Helm release of the dependencies is there and ours; an imported cluster's is its owner's."""
    ready = any(each.type == "DependenciesReady" and each.status == "True" for each in cluster.conditions)
    return ready and rules.by_stack(cluster.spec)


def _begun(spec: ClusterSpec, look: Gathering) -> tuple[ControlPlane, tuple[str, ...] | None]:
    """Read the control plane and what EKS offers; raises what says that there is nothing to upgrade."""
    name = spec.names.eks_cluster
    plane, offered = upgrade_readiness.begin(name, look)
    if plane is None or plane.status in ("CREATING", "DELETING", "FAILED"):
        raise PreconditionFailed(
            f"The EKS cluster {name} is {plane.status if plane else 'absent'}.",
            cause=Cause(layer=Layer.AWS, service="eks", api_call="DescribeCluster", resource=name),
            remedy="Create or repair the cluster's foundation first.",
        )
    return plane, offered
