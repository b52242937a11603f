"""What every cluster has from the start, and the service account of every namespace."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, name_of
from infra.local.kubernetes.metadata import is_deleting
from infra.local.kubernetes.resources import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    NAMESPACES,
    SERVICE_ACCOUNTS,
    SERVICES,
)
from infra.local.kubernetes.roles import CLUSTER_ROLES as ROLES
from infra.local.kubernetes.roles import FIRST_BINDINGS, binding_document, role_document
from infra.local.kubernetes.store import Store

FIRST_NAMESPACES = ("default", "kube-system", "kube-public", "kube-node-lease")
_API_SERVICE: JsonObject = {
    "metadata": {
        "name": "kubernetes",
        "namespace": "default",
        "labels": {"component": "apiserver", "provider": "kubernetes"},
    },
    "spec": {"clusterIP": "172.20.0.1", "ports": [{"name": "https", "port": 443, "protocol": "TCP"}]},
}


def bootstrap(store: Store) -> None:
    """Create the namespaces, service accounts, roles and the API's own service of a new cluster.

    Raises AlreadyExists when the store is not empty.
    """
    for name in FIRST_NAMESPACES:
        store.create(NAMESPACES, {"metadata": {"name": name}})
    store.create(SERVICES, _API_SERVICE)
    for name in ROLES:
        store.create(CLUSTER_ROLES, role_document(name))
    for name in FIRST_BINDINGS:
        store.create(CLUSTER_ROLE_BINDINGS, binding_document(name))
    default_service_accounts(store)


def default_service_accounts(store: Store) -> None:
    """Give each namespace the service account `default`."""
    for namespace in store.select(NAMESPACES):
        name = name_of(namespace)
        if not is_deleting(namespace) and store.find(SERVICE_ACCOUNTS, "default", name) is None:
            store.create(SERVICE_ACCOUNTS, {"metadata": {"name": "default", "namespace": name}})
