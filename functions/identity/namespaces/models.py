"""Namespaces as callers ask for them and read them."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue
from pydantic_core import PydanticCustomError

from functions.capacity.models.names import check_label_key, check_label_value
from functions.clusters.models import KubernetesName
from functions.core.requests import Wire

LABELS_LIMIT: Final = 50
_RESERVED: Final = re.compile(r"kube-.*|default")
# Where the keys of labels begin that the control plane writes itself.
OURS: Final = ("instantstart", "app.kubernetes.io")
# Kubernetes documentation, "Enforce Pod Security Standards with Namespace Labels".
_POD_SECURITY: Final = re.compile(r"pod-security\.kubernetes\.io/(?:enforce|audit|warn)(?P<version>-version)?")
_LEVELS: Final = ("privileged", "baseline", "restricted")
_VERSION: Final = re.compile(r"latest|v1\.\d{1,2}")


def check_not_reserved(value: str) -> str:
    """Refuse the namespaces that Kubernetes keeps for itself, and the one that every cluster has."""
    if _RESERVED.fullmatch(value):
        message = "is reserved: kube-... is Kubernetes' own, and every cluster has default; choose another name"
        raise PydanticCustomError("reserved_namespace", message)
    return value


def check_labels(value: dict[str, str]) -> dict[str, str]:
    """Refuse labels that Kubernetes would refuse, or that mean something to it or to us, but those of Pod Security."""
    if len(value) > LABELS_LIMIT:
        raise PydanticCustomError("labels", "has {count} labels; {limit} are possible", _counted(value))
    for key, content in value.items():
        if found := _POD_SECURITY.fullmatch(key):
            _check_pod_security(key, content, versioned=bool(found["version"]))
            continue
        if key.rpartition("/")[0] in OURS:
            raise PydanticCustomError("labels", "has {key}, which the control plane writes itself", {"key": key})
        check_label_key(key)
        check_label_value(content)
    return value


def _check_pod_security(key: str, value: str, *, versioned: bool) -> None:
    if versioned and not _VERSION.fullmatch(value):
        message = "has {key} {value}; latest or a version such as v1.34 is possible"
        raise PydanticCustomError("labels", message, {"key": key, "value": value})
    if not versioned and value not in _LEVELS:
        message = "has {key} {value}; possible are {levels}"
        raise PydanticCustomError("labels", message, {"key": key, "value": value, "levels": ", ".join(_LEVELS)})


def _counted(value: dict[str, str]) -> dict[str, int]:
    return {"count": len(value), "limit": LABELS_LIMIT}


class CreateNamespace(Wire):
    """A namespace with labels of the caller's own; one of the name that somebody else made is used as it is."""

    name: Annotated[KubernetesName, AfterValidator(check_not_reserved)]
    labels: Annotated[dict[str, str], AfterValidator(check_labels)] = Field(
        default={}, description="Labels of the namespace, those of Pod Security among them."
    )


class NewNamespace(BaseModel):
    """What an operation keeps of the request."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    labels: dict[str, str] = {}

    def record(self) -> dict[str, JsonValue]:
        """Give the operation's request."""
        return self.model_dump(mode="json")


class NamespaceView(BaseModel):
    """A namespace as one reads it; `ours` says that the control plane made it for this cluster."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    phase: str
    ours: bool
    labels: dict[str, str]
    created_at: datetime | None


class NamespacePage(BaseModel):
    """One page of namespaces, by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    namespaces: list[NamespaceView]
    next_token: str | None = None
