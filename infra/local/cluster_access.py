"""How people and functions reach the simulated clusters: one TLS listener, one kubeconfig."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from infra.local import cluster_faults
from infra.local.faults import Faults, Kind
from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.kubeconfig import KubeconfigFile
from infra.local.kubernetes.server import LocalServer
from infra.local.kubernetes.tls import ensure_certificates
from infra.local.messages import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from infra.local.world import World

_WRITES = ("POST", "PUT", "PATCH", "DELETE")
_CLUSTER_PREFIX = "eks-cluster-"


class ClusterAccess:
    """Serves the world's clusters and keeps the kubeconfig in step with them."""

    def __init__(self, world: World, faults: Faults, directory: Path, port: int, token: str) -> None:
        self._world = world
        self._faults = faults
        self._token = token
        self._tls = ensure_certificates(directory / "tls", datetime.now(UTC))
        self._server = LocalServer(world.kubernetes.get, self._tls, port, self._answer)
        self._tripwires: list[Callable[[], None]] = []
        self._programs: list[Callable[[Kind], None]] = []
        self.on_write: Callable[[], None] = lambda: None
        self._contexts: dict[str, str] = {}
        self.kubeconfig = KubeconfigFile(directory / "kubeconfig")
        self.kubeconfig.path.unlink(missing_ok=True)
        world.endpoint_of = self._server.url
        world.certificate_authority = lambda: base64.b64encode(self._tls.ca_pem.encode()).decode()
        world.on_clusters_changed = self._rewrite

    @property
    def port(self) -> int:
        """Say on which port the clusters are served."""
        return self._server.port

    def start(self) -> None:
        """Start to serve."""
        self._server.start()

    def stop(self) -> None:
        """End every watch, then stop serving."""
        for api in self._world.kubernetes.values():
            api.close()
        self._server.stop()

    def on_next_write(self, action: Callable[[], None]) -> Callable[[], None]:
        """Do something once, after the next write of an object that is no secret; gives what takes it back."""
        self._tripwires.append(action)
        return lambda: self._tripwires.remove(action) if action in self._tripwires else None

    def on_program_fault(self, action: Callable[[Kind], None]) -> Callable[[], None]:
        """Say which HANG or KILL struck a call of a program, which has no client of ours to play it; as above."""
        self._programs.append(action)
        return lambda: self._programs.remove(action)

    def _answer(self, cluster: str, api: KubernetesApi, request: HttpRequest) -> HttpResponse:
        response = self._answer_or_fault(cluster, api, request)
        if (word := cluster_faults.word_of(response)) and _is_a_program(request):
            for strike in [*self._programs]:
                strike(word)
        if request.method in _WRITES:
            self.on_write()
        if request.method in _WRITES and "/secrets" not in request.path:
            while self._tripwires:
                self._tripwires.pop()()
        return response

    def _answer_or_fault(self, cluster: str, api: KubernetesApi, request: HttpRequest) -> HttpResponse:
        signer = self._world.signer_of(cluster, request.headers.get("authorization", "").removeprefix("Bearer "))
        if signer is None:
            return api.handle(request)
        return cluster_faults.answer(self._faults, signer.role_arn, request, api.handle, signer.session)

    def _rewrite(self) -> None:
        """Write a context for every new cluster, the newest as current one; drop those that are gone."""
        for name in self._contexts.keys() - self._world.kubernetes.keys():
            self.kubeconfig.remove(self._contexts.pop(name))
        for name in [each for each in self._world.kubernetes if each not in self._contexts]:
            context = _context_of(name, self._contexts.values())
            self.kubeconfig.add(context, self._server.url(name), self._tls.ca_pem, self._token)
            self._contexts[name] = context


def _is_a_program(request: HttpRequest) -> bool:
    return "python" not in request.headers.get("user-agent", "").lower()


def _context_of(eks_cluster: str, taken: Collection[str]) -> str:
    """Name a context after the cluster's tag; a cluster of another origin may have that very name."""
    tag = eks_cluster.removeprefix(_CLUSTER_PREFIX)
    return eks_cluster if tag in taken else tag
