"""Helm against a cluster: releases as their secrets tell them, and the few commands that change them.

The token travels in the environment of the program, never in an argument or a file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from functions.core import runtime, settings
from functions.core.cluster import AccessRole
from functions.core.documents import member
from functions.core.errors import Cause, Layer, StageFailed, Unavailable
from functions.kubernetes_api.connection import token_for
from functions.kubernetes_api.objects import NO_ENTRY, SECRETS, Object, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from functions.core.cluster import ApiServer
    from functions.kubernetes_api.connection import ClusterClient

# Helm's own timeout stays below the function's, so that it ends by itself and leaves no pending release.
_HELM_SECONDS: Final = 240
_PROGRAM_SECONDS: Final = 270
# Texts of failures that a second try may outlast.
_PASSING: Final = (
    "connection refused",
    "i/o timeout",
    "TLS handshake timeout",
    "EOF",
    "too many requests",
    "Internal error occurred",
    "an error on the server",
    "unable to handle the request",
)
# What the API server answers whom it does not know (client-go's words for a 401).
_UNKNOWN: Final = "asked for the client to provide credentials"


@dataclass(frozen=True)
class Release:
    """One revision of a release."""

    name: str
    revision: int
    status: str
    created_at: datetime
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Target:
    """Which release of which cluster a command is about."""

    server: ApiServer
    name: str
    namespace: str


def revisions(client: ClusterClient, name: str, namespace: str) -> list[Release]:
    """List the revisions of a release, newest first, from helm's secrets."""
    found = listed(client, SECRETS, f"owner=helm,name={name}", namespace)
    return sorted((_release(item) for item in found), key=lambda release: -release.revision)


def upgrade(target: Target, chart: bytes, values: Mapping[str, JsonValue], labels: Mapping[str, str]) -> None:
    """Install a chart or bring its release to these values; pods are not waited for."""
    chosen = ",".join(f"{key}={value}" for key, value in labels.items())
    chart_file = _scratch() / f"{target.server.cluster}-{target.name}.tgz"
    chart_file.write_bytes(chart)
    values_file = _scratch() / f"{target.server.cluster}-{target.name}-values.json"
    values_file.write_text(json.dumps(values), encoding="utf-8")
    _run(
        target, ["upgrade", target.name, str(chart_file), "--install", "--values", str(values_file), "--labels", chosen]
    )


def rollback(target: Target, revision: int) -> None:
    """Bring a release back to a revision."""
    _run(target, ["rollback", target.name, str(revision)])


def uninstall(target: Target) -> None:
    """Remove a release and everything it made."""
    _run(target, ["uninstall", target.name])


def _run(target: Target, arguments: Sequence[str]) -> None:
    command = [settings.required("HELM"), *arguments, "--namespace", target.namespace, "--timeout", f"{_HELM_SECONDS}s"]
    try:
        ended = runtime.run(command, _environment(target.server), _PROGRAM_SECONDS)
    except TimeoutError as error:
        raise Unavailable(
            f"helm {arguments[0]} {target.name}: {error}", cause=_cause(target, arguments[0], "timeout")
        ) from error
    if ended.status != 0:
        raise _problem(target, arguments[0], ended.errors.strip())


def _environment(server: ApiServer) -> dict[str, str]:
    authority = _scratch() / f"{server.cluster}-ca.pem"
    authority.write_text(server.certificate_authority, encoding="utf-8")
    home = str(_scratch())
    return {
        "HELM_KUBEAPISERVER": server.endpoint,
        "HELM_KUBECAFILE": str(authority),
        "HELM_KUBETOKEN": token_for(server.cluster, AccessRole.ADMIN),
        "HELM_CACHE_HOME": home,
        "HELM_CONFIG_HOME": home,
        "HELM_DATA_HOME": home,
        "HOME": home,
    }


def _scratch() -> Path:
    """Give the function's own directory for files; Lambda lets it write to /tmp only."""
    directory = Path(runtime.environment().get("SCRATCH") or "/tmp") / "helm"
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _problem(target: Target, command: str, text: str) -> StageFailed | Unavailable:
    message = f"helm {command} {target.name}: {text.removeprefix('Error: ')[:500]}"
    if any(passing in text for passing in _PASSING):
        return Unavailable(
            message, cause=_cause(target, command, "unreachable"), remedy="Retry the operation in a few minutes."
        )
    if _UNKNOWN in text or "Unauthorized" in text:
        role = settings.required(AccessRole.ADMIN)
        remedy = f"Give {role} an access entry on the EKS cluster (the dependencies phase does), then retry."
        return StageFailed(message, cause=_cause(target, command, NO_ENTRY), remedy=remedy)
    remedy = "Remove what helm names, or give it back to its owner, then retry the operation."
    return StageFailed(message, cause=_cause(target, command, command), remedy=remedy)


def _cause(target: Target, command: str, code: str) -> Cause:
    resource = f"{target.namespace}/{target.name}"
    return Cause(layer=Layer.KUBERNETES, service="helm", api_call=f"helm {command}", code=code, resource=resource)


def _release(item: Object) -> Release:
    metadata = member(item, "metadata")
    labels = {key: str(value) for key, value in member(metadata, "labels").items()}
    return Release(
        name=labels.get("name", ""),
        revision=int(labels.get("version", "0")),
        status=labels.get("status", ""),
        created_at=datetime.fromisoformat(str(metadata["creationTimestamp"]).replace("Z", "+00:00")),
        labels=labels,
    )
