"""What both hosts call a deployment's things, and what they tell its functions: names, ARNs, settings, placeholders."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from functions.core.cluster import AccessRole
from functions.core.roles import clusters_path_of, path_of
from infra.topology import (
    CHOICES,
    CLUSTER_ARTIFACTS,
    FOUNDATION_ROLE,
    KUBERNETES_ADMIN,
    KUBERNETES_OPERATOR,
    POLL_SECONDS,
    PREFIX,
    TURN_LIMIT,
    Topology,
)
from infra.triggers import EventRule

# Files that a managed cluster's own stack and nodes read.
_SUFFIXES: Final = (".yaml", ".sh")
# Of the roles that are made for clusters, and of the deployment's own.
BOUNDARY: Final = f"{PREFIX}boundary"
OWN_BOUNDARY: Final = f"{PREFIX}own-boundary"
_PLACEHOLDER: Final = re.compile(r"\$\{([A-Z][A-Za-z]+)\}")

# The function that answers agents: of whom it says that they call, they call.
GATEWAY: Final = "mcp"
# The function that writes a release's files: it is no part of the topology, which only runs afterwards.
FILES: Final = "files"

# Where what could not be delivered lies, and whom alarms and notifications tell.
DEAD_LETTERS: Final = f"{PREFIX}dead-letters"
NOTIFICATIONS: Final = f"{PREFIX}notifications"

# The stage of the HTTP APIs: it puts no path in front of routes, so what functions see is what the caller sent.
STAGE: Final = "$default"


@dataclass(frozen=True)
class Place:
    """Where a deployment is; each may be a placeholder that the host fills in later.

    `internal_api` is the id of the internal door's API: AWS makes one up, so a host that has another says so.
    """

    account: str
    region: str
    partition: str = "aws"
    url_suffix: str = "amazonaws.com"
    internal_api: str = "internal"

    def arn(self, service: str, resource: str, *, region: bool = True) -> str:
        """Name a resource of this account; those of global services have no region."""
        return f"arn:{self.partition}:{service}:{self.region if region else ''}:{self.account}:{resource}"

    def global_name(self, name: str) -> str:
        """Give the name of what an account has once, whatever the region: there is a deployment in each."""
        return f"{name}-{self.region}"

    @property
    def role_path(self) -> str:
        """Give the path of the deployment's roles and policies in IAM."""
        return path_of(self.region)

    @property
    def clusters_role_path(self) -> str:
        """Give the path of the roles that the deployment makes for clusters."""
        return clusters_path_of(self.region)

    def role_arn(self, name: str) -> str:
        """Name a role of the deployment, by what the topology calls it."""
        return self.arn("iam", f"role{self.role_path}{self.global_name(name)}", region=False)

    def internal_route(self, method: str, path: str) -> str:
        """Name a route of the internal door, as IAM does; both may be patterns."""
        return self.arn("execute-api", f"{self.internal_api}/{STAGE}/{method}{path}")

    def bucket(self, name: str) -> str:
        """Name a bucket of the deployment: S3 knows a name once in the world."""
        return f"{PREFIX}{name}-{self.account}-{self.region}"


@dataclass(frozen=True)
class ShippedChart:
    """A packed Helm chart of a release: where it lies under the release's prefix, and its digest."""

    release: str
    version: str
    key: str
    sha256: str
    namespace: str


@dataclass(frozen=True)
class Release:
    """What is deployed besides the topology; `name` is the prefix of its artifacts, `charts` the packed Helm charts."""

    name: str
    charts: tuple[ShippedChart, ...]

    def key(self, path: str) -> str:
        """Say where an artifact lies in the artifact bucket."""
        return f"{self.name}/{path}"


def function_name(name: str) -> str:
    """Give the deployed name of a function."""
    return f"{PREFIX}{name}"


def function_role(name: str) -> str:
    """Give what the topology calls a function's role; IAM knows it by its global name."""
    return f"{PREFIX}function-{name}"


def machine_role(name: str) -> str:
    """Give what the topology calls a state machine's role; IAM knows it by its global name."""
    return f"{PREFIX}machine-{name}"


def signing_key(generation: int | str) -> str:
    """Give the name of the secret that holds a generation's signing key; `*` stands for any generation."""
    return f"{PREFIX}signing-key-{generation}"


def signing_keys(place: Place) -> str:
    """Give the pattern of the ARNs of all signing keys: Secrets Manager adds a hyphen and six characters to a name.

    Of all generations, since a rotation changes a policy before the functions that it is for.
    """
    return place.arn("secretsmanager", f"secret:{signing_key('*')}-??????")


def log_group(name: str) -> str:
    """Give the name of a function's log group."""
    return f"/aws/lambda/{function_name(name)}"


def boundary_arn(place: Place) -> str:
    """Name the permissions boundary of every role that we make for clusters."""
    return place.arn("iam", f"policy{place.role_path}{place.global_name(BOUNDARY)}", region=False)


def environment(
    topology: Topology, place: Place, release: Release, choices: Mapping[str, str] = CHOICES
) -> dict[str, str]:
    """Give the variables that all functions share; what a host alone knows (endpoints, keys) it adds itself."""
    tables = {table.variable: f"{PREFIX}{table.name}" for table in topology.tables}
    buckets = {each.variable: place.bucket(each.name) for each in topology.buckets}
    artifacts = place.bucket("artifacts")
    template = f"{artifacts}.s3.{place.region}.{place.url_suffix}/{release.key('foundation.yaml')}"
    return {
        **tables,
        **buckets,
        **POLL_SECONDS,
        **choices,
        "ACCOUNT_ID": place.account,
        "STATE_MACHINE_PREFIX": place.arn("states", f"stateMachine:{PREFIX}"),
        "ARTIFACT_BUCKET": artifacts,
        "NOTIFICATIONS_TOPIC_ARN": place.arn("sns", NOTIFICATIONS),
        "RELEASE": release.name,
        "CHARTS": json.dumps({chart.release: _told(chart, release) for chart in release.charts}),
        "FOUNDATION_TEMPLATE_URL": f"https://{template}",
        "FOUNDATION_ROLE_ARN": place.role_arn(FOUNDATION_ROLE.name),
        "PERMISSIONS_BOUNDARY_ARN": boundary_arn(place),
        "GATEWAY_ROLE_ARN": _gateway_role(topology, place),
        AccessRole.ADMIN.value: place.role_arn(KUBERNETES_ADMIN.name),
        AccessRole.OPERATOR.value: place.role_arn(KUBERNETES_OPERATOR.name),
    }


def _gateway_role(topology: Topology, place: Place) -> str:
    """Name whose word counts on who calls: nobody's before there is the function, or its name would be free to take."""
    is_there = any(each.name == GATEWAY for each in topology.functions)
    return place.role_arn(function_role(GATEWAY)) if is_there else ""


def _told(chart: ShippedChart, release: Release) -> dict[str, str]:
    return {
        "version": chart.version,
        "key": release.key(chart.key),
        "sha256": chart.sha256,
        "namespace": chart.namespace,
    }


def own_environment(topology: Topology, place: Place, function: str) -> dict[str, str]:
    """Give the variables that are one function's own."""
    declared = next(each for each in topology.functions if each.name == function)
    return {"AWS_PATIENCE": declared.patience.value, "ROLE_ARN": place.role_arn(function_role(function))}


def artifacts() -> list[Path]:
    """List the files that a release uploads for managed clusters."""
    return [path for path in sorted(CLUSTER_ARTIFACTS.rglob("*")) if path.suffix in _SUFFIXES]


def event_rules(topology: Topology, environment: Mapping[str, str]) -> list[EventRule]:
    """Give the rules of the event bus with the `${…}` of their patterns filled in."""
    values = substitutions(environment)
    filled = [(rule, definition(json.dumps(rule.pattern), values)) for rule in topology.event_rules]
    return [replace(rule, pattern=json.loads(text)) for rule, text in filled]


def substitutions(environment: Mapping[str, str]) -> dict[str, str]:
    """Give the values of the `${…}` placeholders of the ASL files."""
    _arn, partition, _rest = environment["STATE_MACHINE_PREFIX"].split(":", 2)
    return {
        "Partition": partition,
        "FunctionPrefix": PREFIX,
        "StateMachinePrefix": environment["STATE_MACHINE_PREFIX"],
        "OperationsTable": environment["OPERATIONS_TABLE"],
        "TurnLimit": str(TURN_LIMIT),
    }


def definition(text: str, values: Mapping[str, str]) -> str:
    """Fill the `${Name}` placeholders of an ASL file, as `definition_substitutions` does; `$name` is JSONata.

    Raises KeyError for a placeholder without a value.
    """
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)
