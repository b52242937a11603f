"""Taking in a cluster that somebody else made, looking at it again, and forgetting it.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Sequence

from pydantic import BaseModel

from functions.aws import eks_survey
from functions.clusters import records
from functions.clusters.importing.models.found import FoundEks
from functions.clusters.importing.models.requests import ForgetCluster, ImportCluster, RedetectCluster
from functions.clusters.importing.rules import admission, planning
from functions.clusters.names import TEMPLATES
from functions.clusters.reuse import routes as reuse
from functions.clusters.routes import Tag
from functions.clusters.rules import generated as made_up
from functions.clusters.rules import generated_tag, taken
from functions.core import application, gathering, ledger, mutations, runtime, settings
from functions.core.application import IdempotencyKey
from functions.core.findings import Finding
from functions.core.gathering import Gathering
from functions.core.ledger import granted
from functions.core.ledger.models import JsonObject, NewOperation
from functions.core.mutations import Answer, Confirm, DryRun, Intent


def import_cluster(
    request: ImportCluster, dry_run: DryRun = False, confirm: Confirm = None, idempotency_key: IdempotencyKey = None
) -> Answer:
    """Take in an EKS cluster, with the HyperPod cluster that runs on it; nothing is changed without consent."""
    known_by = mutations.key_of(_sent(request), idempotency_key).value
    generated = generated_tag(application.caller().id, known_by or ledger.new_identifier())
    tag = planning.tag_of(request, generated)
    asked = _asked(planning.IMPORT, tag, request, idempotency_key)
    return mutations.carry_out(
        asked, lambda: _import(asked, request, generated, dry_run=dry_run), dry_run=dry_run, confirm=confirm
    )


def redetect_cluster(
    tag: Tag,
    request: RedetectCluster | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Look again at an imported cluster, and tell what has changed; a HyperPod cluster made here stays as wanted."""
    body = request or RedetectCluster()
    asked = _asked(planning.REDETECT, tag, body, idempotency_key)
    return mutations.carry_out(asked, lambda: _look_again(asked, body), dry_run=dry_run, confirm=confirm)


def forget_cluster(
    tag: Tag,
    request: ForgetCluster | None = None,
    dry_run: DryRun = False,
    confirm: Confirm = None,
    idempotency_key: IdempotencyKey = None,
) -> Answer:
    """Forget an imported cluster; AWS keeps it, and it can be imported again. Capacity that runs on is confirmed."""
    body = request or ForgetCluster()
    asked = _asked(planning.FORGET, tag, body, idempotency_key)
    return mutations.carry_out(asked, lambda: _forgetting(asked, body), dry_run=dry_run, confirm=confirm)


def _import(asked: NewOperation, request: ImportCluster, generated: str, *, dry_run: bool) -> Intent:
    """Decide what an import comes to; a dry run also tells of the tag what one in earnest learns when it is written."""
    tag, deployed, name, look = asked.cluster_tag, settings.current(), request.eks_cluster_name, gathering.at_edge()
    eks = _eks(name, look)
    findings = [
        *_known(name),
        *admission.admit(name, eks, request.consents),
        *reuse.look_at(tag, request.execution_role_arn, request.bucket, look),
    ]
    if dry_run:
        findings += [made_up(tag)] if tag == generated else []
        findings += [taken(tag)] if records.exists(tag) else []
    if eks is None:
        return Intent(new=asked, changes=(), findings=findings)
    spec = planning.spec_of(request, tag, deployed.account_id, deployed.region, eks, runtime.now())
    new = _planned(asked, request, planning.import_stages(eks, request.consents), findings)
    return Intent(
        new=new.model_copy(update={"new_cluster": spec.model_dump(mode="json", exclude_none=True)}),
        changes=planning.import_changes(eks, request),
        findings=findings,
        read={"eks": eks.version, "authentication_mode": eks.authentication_mode},
    )


def _look_again(asked: NewOperation, body: RedetectCluster) -> Intent:
    tag = asked.cluster_tag
    cluster, look = records.read(tag), gathering.at_edge()
    mutations.owned(cluster.spec)
    findings = [
        *planning.not_imported(cluster.spec, f"Compare it by POST /api/clusters/{tag}/drift."),
        *reuse.look_at(tag, body.execution_role_arn, body.bucket, look, cluster.spec.names.bucket),
    ]
    return Intent(
        new=_planned(asked, body, planning.redetect_stages(), findings),
        changes=planning.redetect_changes(cluster.spec),
        findings=findings,
        read={"spec": cluster.spec.version},
        cluster=cluster.spec,
    )


def _forgetting(asked: NewOperation, body: ForgetCluster) -> Intent:
    tag = asked.cluster_tag
    cluster = records.read(tag)
    mutations.owned(cluster.spec)
    people = sorted(each.principal_arn for each in granted.granted_on(tag))
    seen = planning.Remembered(cluster.conditions, cluster.detected, people)
    findings = planning.not_imported(cluster.spec, f"Delete it by DELETE /api/clusters/{tag}.")
    return Intent(
        new=_planned(asked, body, planning.forget_stages(body), findings),
        changes=planning.forget_changes(cluster.spec, body, seen),
        findings=findings,
        read={"spec": cluster.spec.version, "people": [*people]},
        cluster=cluster.spec,
        confirm_name=tag if planning.leaves_capacity(cluster.spec, cluster.conditions) else None,
    )


def _asked(kind: str, tag: str, request: BaseModel, key: str | None) -> NewOperation:
    return mutations.asked(kind, tag, _sent(request), planning.SCOPES, key)


def _sent(request: BaseModel) -> JsonObject:
    return request.model_dump(mode="json", exclude_unset=True)


def _planned(
    asked: NewOperation, request: BaseModel, stages: Sequence[tuple[str, str]], findings: Sequence[Finding]
) -> NewOperation:
    planned = [mutations.planned(phase, name) for phase, name in stages]
    kept = request.model_dump(mode="json")
    return asked.model_copy(update={"request": kept, "stages": planned, "findings": [*findings]})


def _eks(name: str, look: Gathering) -> FoundEks | None:
    """Read the EKS cluster; raises what says that EKS does not tell."""
    asked = look.ask("eks_cluster", lambda: eks_survey.describe(name, look.patience))
    look.make()
    return asked.required(name)


def _known(eks_cluster: str) -> list[Finding]:
    """Find the cluster of the ledger that an EKS cluster belongs to, imported or created."""
    if holder := ledger.claimant(eks_cluster):
        return [planning.known_as(eks_cluster, holder)]
    prefix = TEMPLATES["eks_cluster"][0].removesuffix("{tag}")
    made_as = eks_cluster.removeprefix(prefix)
    if made_as == eks_cluster or not records.exists(made_as):
        return []
    names = records.read(made_as).spec.names
    return [planning.known_as(eks_cluster, made_as)] if names.eks_cluster == eks_cluster else []
