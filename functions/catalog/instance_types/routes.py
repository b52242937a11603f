"""The routes that read instance types.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from functions.aws import instance_types, offerings, zones
from functions.catalog.answers.routes import Asking
from functions.catalog.instance_types.models import InstanceTypeAnswer, InstanceTypePage, InstanceTypeView
from functions.catalog.instance_types.rules import chosen, known_type, view
from functions.catalog.models import Hardware, InstanceType
from functions.catalog.rules import zone_named
from functions.catalog.tables import instance_types as shipped_types
from functions.core import application, settings
from functions.core.application import PageLimit, PageToken
from functions.core.errors import FieldError, InvalidRequest
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.runtime import Patience

Accelerated = Annotated[bool | None, Query(description="Only types with accelerators, or only those without.")]
Efa = Annotated[bool | None, Query(description="Only types with the Elastic Fabric Adapter, or only those without.")]
InZone = Annotated[str | None, Query(max_length=32, description="Only types that this zone offers; its name or id.")]
TypeName = Annotated[str, Path(max_length=64, description="The name of an instance type, such as ml.g6.4xlarge.")]


def list_instance_types(
    accelerated: Accelerated = None,
    availability_zone: InZone = None,
    efa: Efa = None,
    limit: PageLimit = None,
    next_token: PageToken = None,
) -> InstanceTypePage:
    """List the instance types that a HyperPod cluster accepts."""
    caller, size = application.caller().id, page_limit(limit)
    sent = {"accelerated": str(accelerated), "availability_zone": availability_zone, "efa": str(efa)}
    query = {"list": "instance_types", **sent}
    after = unseal(next_token, query, caller) if next_token else ""
    asking = Asking()
    hardware = _hardware(asking, shipped_types().values())
    known = chosen(list(shipped_types().values()), hardware, accelerated=accelerated, efa=efa)
    narrowed = _of_zone(asking, known, availability_zone) if availability_zone else known
    left = [each for each in narrowed or [] if each.type > after]
    views = None if narrowed is None else _views(asking, left[:size], hardware)
    return InstanceTypePage(
        source="run_time" if hardware else "shipped",
        unknown=asking.unknown,
        instance_types=views,
        next_token=seal(left[size - 1].type, query, caller) if len(left) > size else None,
    )


def get_instance_type(instance_type: TypeName) -> InstanceTypeAnswer:
    """Read one instance type."""
    known, asking = known_type(instance_type), Asking()
    [described] = _views(asking, [known], _hardware(asking, [known]))
    return InstanceTypeAnswer(source=described.source, unknown=asking.unknown, instance_type=described)


def _views(
    asking: Asking, page: Sequence[InstanceType], hardware: Mapping[str, Hardware] | None
) -> list[InstanceTypeView]:
    offered, region = _offered(asking, page), settings.current().region
    return [view(each, hardware, offered, region) for each in page]


def _of_zone(asking: Asking, known: Sequence[InstanceType], asked: str) -> list[InstanceType] | None:
    """Give the types that a zone offers; None when EC2 did not say. Raises InvalidRequest for a foreign zone."""
    zone = _zone(asking, asked, settings.current().region)
    offered = _offered(asking, known) if zone else None
    if offered is None:
        return None
    return [each for each in known if zone in offered.get(each.type.removeprefix("ml."), ())]


def _names(known: Iterable[InstanceType]) -> list[str]:
    """Give EC2's names of types."""
    return [each.type.removeprefix("ml.") for each in known]


def _hardware(asking: Asking, known: Iterable[InstanceType]) -> Mapping[str, Hardware] | None:
    return asking.ask("hardware", lambda: instance_types.describe(_names(known), Patience.EDGE))


def _offered(asking: Asking, known: Sequence[InstanceType]) -> Mapping[str, frozenset[str]] | None:
    if not known:
        return {}
    return asking.ask("offerings", lambda: offerings.zones_by_type(_names(known), Patience.EDGE))


def _zone(asking: Asking, asked: str, region: str) -> str | None:
    """Give the name of a zone; None when EC2 does not name the zones. Raises InvalidRequest for a foreign one."""
    found = asking.ask("availability_zones", zones.describe)
    if found is None:
        return None
    zone = zone_named(asked, found)
    if zone is None:
        message = f"{asked} is not a zone of {region}"
        error = FieldError(field="availability_zone", message=message, allowed=sorted(each.name for each in found))
        raise InvalidRequest(f"availability_zone: {message}", errors=[error])
    return zone.name
