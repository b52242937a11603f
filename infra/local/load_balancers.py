"""What the AWS Load Balancer Controller makes in AWS: a network load balancer for each Service that asks for one.

It keeps a finalizer on the Service, so that one which is deleted stays until its load balancer is gone.
Source: AWS Load Balancer Controller documentation, "Network Load Balancer" and "Service annotations".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from infra.local.kubernetes.controllers.times import moment_at
from infra.local.kubernetes.documents import (
    JsonObject,
    ensure_mapping,
    name_of,
    namespace_of,
    objects,
    strings,
    text,
)
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import SERVICES
from infra.local.simulators.neighbours import call

if TYPE_CHECKING:
    from botocore.client import BaseClient

    from infra.local.kubernetes.api import KubernetesApi
    from infra.local.kubernetes.store import Store
    from infra.local.simulators.eks_records import ClusterRecord

FINALIZER: Final = "service.k8s.aws/resources"
_SCHEME: Final = "service.beta.kubernetes.io/aws-load-balancer-scheme"
_ROLES: Final = {"internal": "kubernetes.io/role/internal-elb", "internet-facing": "kubernetes.io/role/elb"}
_REMOVAL: Final = timedelta(seconds=30)


class LoadBalancers:
    """Keeps load balancers in step with the Services of the clusters.

    `stuck` names Services, as `namespace/name`, whose load balancers do not go though they should.
    """

    def __init__(self, now: Callable[[], datetime], client: Callable[[str], BaseClient]) -> None:
        self._now = now
        self._client = client
        self.stuck: set[str] = set()

    def advance(self, cluster: ClusterRecord, api: KubernetesApi) -> None:
        """Make what is missing, and remove what nobody asks for any more."""
        for service in _balanced(api.store):
            if not is_deleting(service) and FINALIZER not in _finalizers(service):
                self._make(cluster, api.store, service)
            elif FINALIZER in _finalizers(service) and (due := _goes_at(service)) and due <= self._now():
                self._remove(api.store, service)

    def deadlines(self, api: KubernetesApi) -> Iterator[datetime]:
        """Moments at which load balancers go."""
        return (due for service in _balanced(api.store) if (due := _goes_at(service)))

    def _make(self, cluster: ClusterRecord, store: Store, service: JsonObject) -> None:
        scheme = text(service, "metadata", "annotations", _SCHEME) or "internal"
        call(
            self._client("elbv2"),
            "create_load_balancer",
            Name=_name(service),
            Type="network",
            Scheme=scheme,
            Subnets=self._subnets(cluster, _ROLES[scheme]),
            Tags=[
                {"Key": "elbv2.k8s.aws/cluster", "Value": cluster.name},
                {"Key": "service.k8s.aws/stack", "Value": f"{namespace_of(service)}/{name_of(service)}"},
            ],
        )
        store.modify(SERVICES, name_of(service), _held, namespace_of(service))

    def _subnets(self, cluster: ClusterRecord, role: str) -> list[str]:
        """Choose the first subnet of each zone that bears the tag of the role."""
        filters = [{"Name": "vpc-id", "Values": [cluster.vpc_id]}, {"Name": "tag-key", "Values": [role]}]
        found: list[dict[str, Any]] = call(self._client("ec2"), "describe_subnets", Filters=filters)["Subnets"]
        ordered = sorted(found, key=lambda subnet: str(subnet["SubnetId"]), reverse=True)
        return sorted({str(subnet["AvailabilityZone"]): str(subnet["SubnetId"]) for subnet in ordered}.values())

    def _remove(self, store: Store, service: JsonObject) -> None:
        if f"{namespace_of(service)}/{name_of(service)}" in self.stuck:
            return
        listed: list[dict[str, Any]] = call(self._client("elbv2"), "describe_load_balancers")["LoadBalancers"]
        for balancer in listed:
            if balancer["LoadBalancerName"] == _name(service):
                call(self._client("elbv2"), "delete_load_balancer", LoadBalancerArn=balancer["LoadBalancerArn"])
        store.modify(SERVICES, name_of(service), _let_go, namespace_of(service))


def _balanced(store: Store) -> list[JsonObject]:
    """List the Services whose load balancer a controller has announced."""
    with store.lock:
        return [
            service
            for service in store.scan(SERVICES)
            if text(service, "spec", "type") == "LoadBalancer" and objects(service, "status", "loadBalancer", "ingress")
        ]


def _name(service: JsonObject) -> str:
    hostname = text(objects(service, "status", "loadBalancer", "ingress")[0], "hostname")
    return hostname.partition(".")[0]


def _goes_at(service: JsonObject) -> datetime | None:
    deleted_at = moment_at(service, "metadata", "deletionTimestamp")
    return deleted_at + _REMOVAL if deleted_at else None


def _finalizers(service: JsonObject) -> list[str]:
    return strings(service, "metadata", "finalizers")


def _held(service: JsonObject) -> None:
    ensure_mapping(service, "metadata")["finalizers"] = [*_finalizers(service), FINALIZER]


def _let_go(service: JsonObject) -> None:
    ensure_mapping(service, "metadata")["finalizers"] = [each for each in _finalizers(service) if each != FINALIZER]
