"""Trying the connection to a cluster: step by step, within seconds, and against that cluster alone.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Iterator
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import access_entries, eks, eks_survey
from functions.clusters import records
from functions.clusters.importing.models.connection import Check, ConnectionReport
from functions.clusters.importing.models.found import FoundEks
from functions.clusters.importing.rules import connection as rules
from functions.clusters.importing.rules.access import association, commands
from functions.core import application, deadlines, failures, runtime, settings
from functions.core.cluster import ClusterSpec
from functions.core.deadlines import TimeOver
from functions.core.errors import StageFailed, Unavailable
from functions.core.gathering import EDGE_TIME
from functions.identity.cluster_roles.manifests import rights
from functions.identity.rules import ACCESS
from functions.kubernetes_api import connection
from functions.kubernetes_api.objects import NO_ENTRY
from functions.kubernetes_api.rights import may

_ADMIN, _OPERATOR = ACCESS["admin"], ACCESS["operator"]


def get_connection(
    tag: Annotated[str, Path(max_length=64, description="The tag of a cluster.")],
) -> ConnectionReport:
    """Try to get into a cluster: its control plane, its endpoint, our two roles and their rights."""
    spec = records.read(tag).spec
    checks = rules.completed(_in_time(spec))
    return ConnectionReport(
        cluster_tag=tag,
        eks_cluster=spec.names.eks_cluster,
        connected=all(check.outcome == "passed" for check in checks),
        checks=checks,
    )


def _in_time(spec: ClusterSpec) -> list[Check]:
    """Take the steps that there is time for; the others are told as not reached."""
    taken = list[Check]()
    with deadlines.until(runtime.now() + EDGE_TIME):
        try:
            for check in _checks(spec):
                taken.append(check)
        except TimeOver as over:
            application.warn(f"the connection to {spec.tag} is not tried to the end", over)
    return taken


def _checks(spec: ClusterSpec) -> Iterator[Check]:
    found = _eks(spec.names.eks_cluster)
    yield (reached := rules.control_plane(spec.names.eks_cluster, found))
    if found is None or reached.outcome != "passed":
        return
    yield (open_to_us := rules.endpoint(found))
    if open_to_us.outcome == "passed":
        yield from _admin(spec)
        yield from _inside(spec, found)


def _admin(spec: ClusterSpec) -> list[Check]:
    """Read from EKS whether the administrator gets in, and with which rights."""
    cluster, role = spec.names.eks_cluster, settings.required(_ADMIN.role)
    try:
        if access_entries.groups(cluster, role) is None:
            return [rules.not_let_in("admin_entry", f"{role} has no access entry", _commands(spec))]
        lacking = _ADMIN.lacks(access_entries.policies(cluster, role))
    except (ClientError, BotoCoreError) as error:
        return [rules.refused("admin_entry", failures.problem_of(error, cluster))]
    mending = [association(cluster, spec.region, role, policy) for policy in lacking]
    return [rules.passed("admin_entry", "the role has an access entry"), rules.admin_rights(lacking, mending)]


def _inside(spec: ClusterSpec, found: FoundEks) -> list[Check]:
    try:
        seen = _operator(spec)
    except Unavailable as silent:
        return [rules.unreachable(found, silent.detail)]
    return [rules.passed("reachable", "the API server answers"), *seen]


def _operator(spec: ClusterSpec) -> list[Check]:
    """Try the operator. Raises Unavailable when the API server does not answer, TimeOver when it was not asked."""
    answers = dict[str, bool]()
    accepted = rules.passed("operator_token", "the token is accepted")
    try:
        client = connection.connect(spec.names.eks_cluster, eks.api_server_of, _OPERATOR.role)
        for group, resource, verb in rights():
            right = f"{verb} {resource}{f'.{group}' if group else ''}"
            answers[right] = may(client, verb, group, resource)
    except TimeOver:
        if not answers:
            raise
        return [accepted]
    except StageFailed as refused:
        if refused.cause is None or refused.cause.code != NO_ENTRY:
            raise
        return [rules.not_let_in("operator_token", refused.detail, _commands(spec))]
    except (ClientError, BotoCoreError) as error:
        return [rules.refused("operator_token", failures.problem_of(error, settings.required(_OPERATOR.role)))]
    missing = [right for right, allowed in answers.items() if not allowed]
    return [accepted, rules.rights("operator_rights", missing, spec.tag)]


def _commands(spec: ClusterSpec) -> str:
    roles = {name: settings.required(access.role) for name, access in ACCESS.items()}
    return commands(spec.names.eks_cluster, spec.region, roles)


def _eks(name: str) -> FoundEks | None:
    """Read the EKS cluster; raises what says that EKS does not tell."""
    try:
        return eks_survey.describe(name)
    except (ClientError, BotoCoreError) as error:
        raise failures.problem_of(error, name) from error
