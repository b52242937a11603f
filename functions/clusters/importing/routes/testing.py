"""Trying the connection to a cluster: step by step, within seconds, and against that cluster alone.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import access_entries, eks, eks_survey
from functions.clusters import records
from functions.clusters.importing.models.connection import Check, ConnectionReport
from functions.clusters.importing.models.found import FoundEks
from functions.clusters.importing.rules import connection as rules
from functions.clusters.importing.rules.access import association, commands
from functions.core import failures, runtime, settings
from functions.core.cluster import ClusterSpec
from functions.core.errors import StageFailed, Unavailable
from functions.identity.cluster_roles.manifests import rights
from functions.identity.rules import ACCESS
from functions.kubernetes_api import connection
from functions.kubernetes_api.objects import NO_ENTRY
from functions.kubernetes_api.rights import may

# One answer may take ten seconds more, and a request has thirty.
_BUDGET: Final = timedelta(seconds=8)
_ADMIN, _OPERATOR = ACCESS["admin"], ACCESS["operator"]


def get_connection(
    tag: Annotated[str, Path(max_length=64, description="The tag of a cluster.")],
) -> ConnectionReport:
    """Try to get into a cluster: its control plane, its endpoint, our two roles and their rights."""
    spec = records.read(tag).spec
    checks = rules.completed(_checks(spec, runtime.now() + _BUDGET))
    return ConnectionReport(
        cluster_tag=tag,
        eks_cluster=spec.names.eks_cluster,
        connected=all(check.outcome == "passed" for check in checks),
        checks=checks,
    )


def _checks(spec: ClusterSpec, deadline: datetime) -> list[Check]:
    found = _eks(spec.names.eks_cluster)
    checks = [rules.control_plane(spec.names.eks_cluster, found)]
    if found is not None and checks[-1].outcome == "passed":
        checks.append(rules.endpoint(found))
    if found is None or not _well(checks):
        return checks
    return [*checks, *_admin(spec), *_inside(spec, found, deadline)]


def _well(checks: Sequence[Check]) -> bool:
    return all(check.outcome == "passed" for check in checks)


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


def _inside(spec: ClusterSpec, found: FoundEks, deadline: datetime) -> list[Check]:
    try:
        seen = _operator(spec, deadline)
    except Unavailable as silent:
        return [rules.unreachable(found, silent.detail)]
    return [rules.passed("reachable", "the API server answers"), *seen]


def _operator(spec: ClusterSpec, deadline: datetime) -> list[Check]:
    """Try the operator. Raises Unavailable when the API server does not answer."""
    missing = list[str]()
    try:
        client = connection.connect(spec.names.eks_cluster, eks.api_server_of, _OPERATOR.role)
        for group, resource, verb in rights():
            if runtime.now() > deadline:
                return [rules.passed("operator_token", "the token is accepted")]
            if not may(client, verb, group, resource):
                missing.append(f"{verb} {resource}{f'.{group}' if group else ''}")
    except StageFailed as refused:
        if refused.cause is None or refused.cause.code != NO_ENTRY:
            raise
        return [rules.not_let_in("operator_token", refused.detail, _commands(spec))]
    except (ClientError, BotoCoreError) as error:
        return [rules.refused("operator_token", failures.problem_of(error, settings.required(_OPERATOR.role)))]
    return [rules.passed("operator_token", "the token is accepted"), rules.rights("operator_rights", missing, spec.tag)]


def _commands(spec: ClusterSpec) -> str:
    roles = {name: settings.required(access.role) for name, access in ACCESS.items()}
    return commands(spec.names.eks_cluster, spec.region, roles)


def _eks(name: str) -> FoundEks | None:
    """Read the EKS cluster; raises what says that EKS does not tell."""
    try:
        return eks_survey.describe(name)
    except (ClientError, BotoCoreError) as error:
        raise failures.problem_of(error, name) from error
