"""What the API server checks of an object before it stores it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from infra.local.kubernetes.documents import JsonObject, mapping
from infra.local.kubernetes.errors import BadRequest
from infra.local.kubernetes.names import require_valid_metadata
from infra.local.kubernetes.quantities import parse_quantity
from infra.local.kubernetes.resources import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, Resource

_QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def require_valid(resource: Resource, document: JsonObject) -> None:
    """Check an object's metadata and the quantities that controllers calculate with.

    Raises Invalid for the metadata, BadRequest for something that is no quantity.
    """
    require_valid_metadata(resource, document)
    if quantities := _QUANTITIES.get(resource.key):
        for written in quantities(document):
            _require_quantity(resource, written)


def _require_quantity(resource: Resource, written: object) -> None:
    try:
        parse_quantity(str(written))
    except ValueError as error:
        kind = resource.kind
        message = f'{kind} in version "{resource.version}" cannot be handled as a {kind}: {_QUANTITY_RULE}'
        raise BadRequest(message) from error


def _volume_quantities(volume: JsonObject) -> Iterator[object]:
    yield from mapping(volume, "spec", "capacity").values()


def _claim_quantities(claim: JsonObject) -> Iterator[object]:
    yield from mapping(claim, "spec", "resources", "requests").values()


_QUANTITIES: dict[tuple[str, str], Callable[[JsonObject], Iterator[object]]] = {
    PERSISTENT_VOLUMES.key: _volume_quantities,
    PERSISTENT_VOLUME_CLAIMS.key: _claim_quantities,
}
