"""Trying the connection to a cluster: step by step, within seconds, and against that cluster alone.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Final

from aws_lambda_powertools.event_handler.openapi.params import Path
from botocore.exceptions import BotoCoreError, ClientError

from functions.aws import eks, eks_survey
from functions.clusters import records
from functions.clusters.importing.models.connection import Check, ConnectionReport
from functions.clusters.importing.models.found import FoundEks
from functions.clusters.importing.rules import connection as rules
from functions.clusters.importing.rules.access import commands
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
_WANTED: Final = {"admin": [("*", "*", "*")], "operator": rights()}


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
    return [*checks, *_inside(spec, found, deadline)] if found and _well(checks) else checks


def _well(checks: Sequence[Check]) -> bool:
    return all(check.outcome == "passed" for check in checks)


def _inside(spec: ClusterSpec, found: FoundEks, deadline: datetime) -> list[Check]:
    checks: list[Check] = []
    for role, wanted in _WANTED.items():
        try:
            seen = _of_role(spec, role, wanted, deadline)
        except Unavailable as silent:
            return [*checks, rules.unreachable(found, silent.detail)]
        checks += seen if role != "admin" else [rules.passed("reachable", "the API server answers"), *seen]
    return checks


def _of_role(spec: ClusterSpec, role: str, wanted: Sequence[tuple[str, str, str]], deadline: datetime) -> list[Check]:
    """Try one of our roles. Raises Unavailable when the API server does not answer."""
    token, missing = f"{role}_token", list[str]()
    try:
        client = connection.connect(spec.names.eks_cluster, eks.api_server_of, ACCESS[role].role)
        for group, resource, verb in wanted:
            if runtime.now() > deadline:
                return [rules.passed(token, "the token is accepted")]
            if not may(client, verb, group, resource):
                missing.append(f"{verb} {resource}{f'.{group}' if group and group != '*' else ''}")
    except StageFailed as refused:
        if refused.cause is None or refused.cause.code != NO_ENTRY:
            raise
        return [rules.not_let_in(token, refused.detail, _commands(spec))]
    except (ClientError, BotoCoreError) as error:
        return [rules.token_refused(token, failures.problem_of(error, settings.required(ACCESS[role].role)))]
    return [rules.passed(token, "the token is accepted"), rules.rights(f"{role}_rights", missing, spec.tag)]


def _commands(spec: ClusterSpec) -> str:
    roles = {name: settings.required(access.role) for name, access in ACCESS.items()}
    return commands(spec.names.eks_cluster, spec.region, roles)


def _eks(name: str) -> FoundEks | None:
    """Read the EKS cluster; raises what says that EKS does not tell."""
    try:
        return eks_survey.describe(name)
    except (ClientError, BotoCoreError) as error:
        raise failures.problem_of(error, name) from error
