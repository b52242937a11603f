"""The domains that this release consists of; `infra/topology.py` and every entry build from this list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.audit.declaration import DECLARATION as AUDIT
from functions.capacity.declaration import DECLARATION as CAPACITY
from functions.catalog.declaration import DECLARATION as CATALOG
from functions.clusters.declaration import DECLARATION as CLUSTERS
from functions.clusters.deletion.declaration import DECLARATION as CLUSTERS_DELETION
from functions.clusters.drift.declaration import DECLARATION as CLUSTER_DRIFT
from functions.clusters.importing.declaration import DECLARATION as IMPORTING
from functions.clusters.settings.declaration import DECLARATION as CLUSTER_SETTINGS
from functions.clusters.upgrades.declaration import DECLARATION as UPGRADES
from functions.connections.declaration import DECLARATION as CONNECTIONS
from functions.diagnostics.declaration import DECLARATION as DIAGNOSTICS
from functions.features.declaration import DECLARATION as FEATURES
from functions.identity.declaration import DECLARATION as IDENTITY
from functions.identity.namespaces.declaration import DECLARATION as IDENTITY_NAMESPACES
from functions.identity.people.declaration import DECLARATION as IDENTITY_PEOPLE
from functions.network.declaration import DECLARATION as NETWORK
from functions.operations.declaration import DECLARATION as OPERATIONS
from functions.storage.declaration import DECLARATION as STORAGE

if TYPE_CHECKING:
    from functions.core.declaration import Declaration

DECLARATIONS: Final[tuple[Declaration, ...]] = (
    CLUSTERS,
    CLUSTER_DRIFT,
    IMPORTING,
    CLUSTER_SETTINGS,
    CLUSTERS_DELETION,
    OPERATIONS,
    CONNECTIONS,
    NETWORK,
    IDENTITY,
    IDENTITY_PEOPLE,
    IDENTITY_NAMESPACES,
    FEATURES,
    CAPACITY,
    STORAGE,
    CATALOG,
    AUDIT,
    UPGRADES,
    DIAGNOSTICS,
)
