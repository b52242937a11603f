"""The simulated cloud: services, and one Kubernetes API per EKS cluster, kept in step with the clock."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, cast

from infra.local.addon_objects import addon_objects
from infra.local.engine.ec2_dependencies import Interfaces
from infra.local.kubernetes.api import KubernetesApi
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.hyperpod_nodes import recoveries_asked, sync_nodes
from infra.local.kubernetes.identity import AccessPolicy, Identity
from infra.local.kubernetes.releases import has_release
from infra.local.load_balancers import LoadBalancers
from infra.local.mounting import is_equipped, serve_mounts
from infra.local.node_facts import as_kubernetes_sees
from infra.local.simulators.bus_event import BusEvent
from infra.local.simulators.cloudformation import CloudFormation
from infra.local.simulators.eks import Eks
from infra.local.simulators.eks_auth import EksAuth
from infra.local.simulators.eks_records import EksHost
from infra.local.simulators.hyperpod.service import HyperPod
from infra.local.simulators.hyperpod.state import HyperPodHost
from infra.local.simulators.lambda_ import LambdaService
from infra.local.simulators.mountpoint import Mountpoint, driver_role
from infra.local.simulators.service import Service
from infra.local.simulators.service_quotas import ServiceQuotas
from infra.local.simulators.sns import Sns
from infra.local.simulators.sts import StsService
from infra.local.simulators.sts_token import InvalidToken, read_token
from infra.local.simulators.sts_web_identity import WebIdentities
from infra.local.tokens import SeenTokens

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from infra.local.clients import ClientOf
    from infra.local.clock import Clock
    from infra.local.clock_primitives import Waiter
    from infra.local.identities import Identities
    from infra.local.identities import Identity as Signer
    from infra.local.simulators.eks_records import AccessEntryRecord, ClusterRecord

PERSON = Identity("local", ("system:masters",))
_CALLING_FUNCTIONS = ("lambda", "execute-api")
_SETTLED_FIRST = ("cloudformation", "eks", "sagemaker")


class World:
    """Everything that AWS would be, for one account and region."""

    def __init__(
        self,
        clock: Clock,
        identities: Identities,
        region: str,
        client: ClientOf,
        person_token: str,
        client_of_stack: Callable[[str, str], BaseClient],
    ) -> None:
        self._clock = clock
        self._identities = identities
        self._client = client
        self._person_token = person_token
        self._lock = clock.lock()
        self._settling = False
        self._touched = True
        self._next_due: datetime | None = None
        self._timer: Waiter | None = None
        self._tokens = SeenTokens(clock.time)
        self.kubernetes: dict[str, KubernetesApi] = {}
        self.endpoint_of: Callable[[str], str] = lambda name: f"https://127.0.0.1/clusters/{name}"
        self.certificate_authority: Callable[[], str] = str
        self.on_clusters_changed: Callable[[], None] = lambda: None
        self.publish: Callable[[BusEvent], object] = lambda event: None
        account = identities.account_id
        self.interfaces = Interfaces(account, region)
        self.load_balancers = LoadBalancers(clock.now, cast("Callable[[str], BaseClient]", client))
        self.eks = Eks(clock.now, account, region, self._eks_host())
        self.hyperpod = HyperPod(clock.now, account, region, self._hyperpod_host())
        self.hyperpod.conditions.hold = lambda: self.settled("sagemaker")
        stack_clients = cast("Callable[[str], BaseClient]", client)
        self.cloudformation = CloudFormation(clock.now, account, region, stack_clients, self._publish, client_of_stack)
        self.functions = LambdaService(clock.now, account, region)
        web = WebIdentities(clock.now, account, self._iam, self._claims_by_issuer)
        self.sts = StsService(clock.now, account, region, identities.assume, self._iam, web)
        auth = EksAuth(clock.now, account, region, self._eks_clusters, self._iam, identities.assume, self._claims)
        self.quotas = ServiceQuotas(clock.now, account, region, lambda: self.hyperpod.records)
        self.topics = Sns(clock.now, account, region)
        clouds = (self.cloudformation, self.eks, self.hyperpod)
        services: tuple[Service, ...] = (*clouds, self.functions, self.sts, auth, self.quotas, self.topics)
        self.services = {service.scope_name or service.name: service for service in services}

    # -- keeping in step

    @contextmanager
    def settled(self, service: str) -> Iterator[None]:
        """Bring everything up to the clock, then hold it while a service answers.

        Lambda and the WebSocket gateway are not held: functions call the other services while these answer.
        """
        if service in _CALLING_FUNCTIONS:
            yield
            return
        with self._lock:
            self.settle()
            try:
                yield
            finally:
                if service in _SETTLED_FIRST:
                    self._touched = True
                    self._arm()

    def settle_what_is_due(self) -> None:
        """Settle, unless nothing can have changed since the last time."""
        with self._lock:
            if self._touched or (self._next_due is not None and self._next_due <= self._clock.now()):
                self.settle()

    def settle(self) -> None:
        """Bring services, nodes and clusters up to the clock; what a service does meanwhile does not recurse."""
        with self._lock:
            if self._settling:
                return
            self._settling = True
            try:
                for name in _SETTLED_FIRST:
                    self.services[name].settle()
                for name, api in self.kubernetes.items():
                    self._advance(name, api)
            finally:
                self._settling = False
            self._touched = False
            self._arm()

    def _arm(self) -> None:
        """Come back when the next thing is due: calls that a stack makes must happen at their own moment."""
        now = self._clock.now()
        of_services = [self.services[name].deadlines() for name in _SETTLED_FIRST]
        of_clusters = [api.deadlines() for api in self.kubernetes.values()]
        of_clusters += [self.load_balancers.deadlines(api) for api in self.kubernetes.values()]
        due = chain.from_iterable([*of_services, *of_clusters])
        following = min((moment for moment in due if moment > now), default=None)
        if following == self._next_due:
            return
        if self._timer is not None:
            self._clock.cancel(self._timer)
        self._next_due = following
        self._timer = self._clock.call_at(following.timestamp(), self.settle) if following else None

    def _advance(self, name: str, api: KubernetesApi) -> None:
        networked = self._has_network(name)
        for instance_id, recovery in recoveries_asked(api.store).items():
            self.hyperpod.conditions.ask_recovery(instance_id, recovery)
        nodes = [node for node in self.hyperpod.node_facts(name) if node.running]
        sync_nodes(api.store, [as_kubernetes_sees(node, networked) for node in nodes])
        api.advance()
        self.load_balancers.advance(self.eks.records.clusters[name], api)

    def _has_network(self, name: str) -> bool:
        """Say whether nodes get a network: without the VPC CNI none becomes Ready."""
        cluster = self.eks.records.clusters.get(name)
        addon = cluster.addons.get("vpc-cni") if cluster else None
        return addon is not None and addon.in_cluster and not addon.deleted_at

    def _has_dependencies(self, name: str) -> bool:
        """Say whether helm has installed the release that HyperPod looks for, `dependencies` in `kube-system`."""
        api = self.kubernetes.get(name)
        return api is not None and has_release(api.store, "dependencies", "kube-system")

    # -- what the simulators ask of each other

    def _eks_host(self) -> EksHost:
        return EksHost(
            ec2=lambda: self._client("ec2"),
            iam=lambda: self._client("iam"),
            endpoint_of=self._endpoint_of,
            certificate_authority=self._certificate_authority,
            on_cluster_active=self._open_cluster,
            on_cluster_deleted=self._close_cluster,
            on_version_changed=self._upgrade_cluster,
            node_versions=lambda name: [node.kubernetes_version for node in self.hyperpod.node_facts(name)],
            addons=addon_objects(self.kubernetes, self._addon_version, self._has_nodes),
            hold_interface=self.interfaces.held_by("amazon-eks"),
            free_interface=self.interfaces.let_go,
            hyperpod_on=self._hyperpod_on,
        )

    def _hyperpod_host(self) -> HyperPodHost:
        return HyperPodHost(
            ec2=lambda: self._client("ec2"),
            iam=lambda: self._client("iam"),
            s3=lambda: self._client("s3"),
            logs=lambda: cast("Callable[[str], BaseClient]", self._client)("logs"),
            eks_cluster=self.eks.view,
            dependencies_installed=self._has_dependencies,
            admit_nodes=self.eks.admit_nodes,
            publish=self._publish,
            hold_interface=self.interfaces.held_by("amazon-sagemaker"),
            free_interface=self.interfaces.let_go,
        )

    def _publish(self, event: BusEvent) -> None:
        self.publish(event)

    def _hyperpod_on(self, eks_arn: str) -> str | None:
        found = self.hyperpod.records.clusters.values()
        return next((cluster.name for cluster in found if cluster.eks_arn == eks_arn), None)

    def _iam(self) -> BaseClient:
        return self._client("iam")

    def _eks_clusters(self) -> Mapping[str, ClusterRecord]:
        return self.eks.records.clusters

    # The ports of the clusters open after the services are made, which must not keep the addresses of before.

    def _endpoint_of(self, name: str) -> str:
        return self.endpoint_of(name)

    def _certificate_authority(self) -> str:
        return self.certificate_authority()

    def _open_cluster(self, name: str) -> None:
        record = self.eks.records.clusters[name]
        self.kubernetes[name] = KubernetesApi(
            record.version,
            self._clock.now,
            lambda token: self._identify(name, token),
            self.settle,
            issuer=record.issuer,
        )
        serve_mounts(self.kubernetes[name], self._mountpoint(name))
        self.on_clusters_changed()

    def _upgrade_cluster(self, name: str) -> None:
        self.kubernetes[name].upgrade(self.eks.records.clusters[name].version)

    def _mountpoint(self, cluster: str) -> Mountpoint:
        return Mountpoint(
            role=lambda: driver_role(self.eks.records.clusters[cluster]),
            iam=lambda: self._client("iam"),
            s3=lambda: self._client("s3"),
            equipped=lambda pod: is_equipped(self.kubernetes[cluster], self.eks.records.clusters[cluster], pod),
        )

    def _close_cluster(self, name: str) -> None:
        api = self.kubernetes.pop(name, None)
        if api is not None:
            api.close()
        self.on_clusters_changed()

    def _addon_version(self, cluster: str, addon: str) -> str:
        return self.eks.records.clusters[cluster].addons[addon].version

    def _has_nodes(self, cluster: str) -> bool:
        return any(node.running for node in self.hyperpod.node_facts(cluster))

    def _identify(self, cluster: str, token: str | None) -> Identity | None:
        """Let in the person at the machine, and roles that have an access entry."""
        if token == self._person_token:
            return PERSON
        identity = self.signer_of(cluster, token)
        if identity is None or not self._tokens.valid(token or ""):
            return None
        entry = self.eks.access_entry(cluster, identity.role_arn)
        if entry is None:
            return None
        username = entry.username.replace("{{SessionName}}", identity.session)
        return Identity(username, tuple(entry.groups), _policies(entry))

    def signer_of(self, cluster: str, token: str | None) -> Signer | None:
        """Say whose session signed a cluster's token, however old; None for a person."""
        try:
            return self._identities.get(read_token(token or "", cluster, self._secret_of, datetime.now(UTC)))
        except InvalidToken:
            return None

    def _claims(self, cluster: str, token: str) -> JsonObject | None:
        """Say what a service account's token of a cluster says; None when the cluster did not sign it."""
        return self.kubernetes[cluster].token_claims(token) if cluster in self.kubernetes else None

    def _claims_by_issuer(self, issuer: str, token: str) -> JsonObject | None:
        found = (name for name, record in self.eks.records.clusters.items() if record.issuer == issuer)
        return next((self._claims(name, token) for name in found), None)

    def _secret_of(self, access_key: str) -> str | None:
        identity = self._identities.get(access_key)
        return identity.secret_key if identity else None

    # -- snapshots

    @contextmanager
    def standing(self) -> Iterator[None]:
        """Let no simulator do anything while a block runs."""
        with self._lock:
            self.settle()
            yield

    def snapshot(self) -> bytes:
        """Give everything the world remembers; an engine's state is another snapshot."""
        with self._lock:
            self.settle()
            services = {name: service.snapshot() for name, service in self.services.items()}
            clusters = {name: (api.store.git_version, api.store.snapshot()) for name, api in self.kubernetes.items()}
            return pickle.dumps((services, clusters))

    def restore(self, state: bytes) -> None:
        """Go back to a snapshot, taken in this process or an earlier one of the same code."""
        services, clusters = pickle.loads(state)
        with self._lock:
            for name in list(self.kubernetes):
                self.kubernetes.pop(name).close()
            for name, kept in services.items():
                self.services[name].restore(kept)
            for name, (_, store) in clusters.items():
                self._open_cluster(name)
                self.kubernetes[name].store.restore(store)
            self.on_clusters_changed()
            self._next_due = None
            self.settle()


def _policies(entry: AccessEntryRecord) -> tuple[AccessPolicy, ...]:
    return tuple(
        AccessPolicy(arn.rpartition("/")[2], tuple(policy["accessScope"]["namespaces"]))
        for arn, policy in entry.policies.items()
    )
