"""The domains that this release consists of; `infra/topology.py` and every entry build from this list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.capacity.declaration import DECLARATION as CAPACITY
from functions.catalog.declaration import DECLARATION as CATALOG
from functions.clusters.declaration import DECLARATION as CLUSTERS
from functions.clusters.settings.declaration import DECLARATION as CLUSTER_SETTINGS
from functions.connections.declaration import DECLARATION as CONNECTIONS
from functions.features.declaration import DECLARATION as FEATURES
from functions.identity.declaration import DECLARATION as IDENTITY
from functions.network.declaration import DECLARATION as NETWORK
from functions.operations.declaration import DECLARATION as OPERATIONS
from functions.storage.declaration import DECLARATION as STORAGE

if TYPE_CHECKING:
    from functions.core.declaration import Declaration

DECLARATIONS: Final[tuple[Declaration, ...]] = (
    CLUSTERS,
    CLUSTER_SETTINGS,
    OPERATIONS,
    CONNECTIONS,
    NETWORK,
    IDENTITY,
    FEATURES,
    CAPACITY,
    STORAGE,
    CATALOG,
)
