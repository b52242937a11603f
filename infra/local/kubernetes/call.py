"""One routed request: its target, query and body as values the verbs work with."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import yaml

from infra.local.kubernetes import protobuf
from infra.local.kubernetes.documents import JsonObject, ensure_mapping, name_of, namespace_of, text
from infra.local.kubernetes.errors import BadRequest, NotFound, UnsupportedMediaType
from infra.local.kubernetes.identity import Identity
from infra.local.kubernetes.resources import Registry, Resource
from infra.local.kubernetes.store import Store
from infra.local.kubernetes.views import from_wire
from infra.local.messages import HttpRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUP_VERSION = re.compile(r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))(?P<rest>(?:/[^/]+)+)/?")
_TRUE = ("1", "true", "True")


class _YamlLoader(yaml.SafeLoader):
    """Reads YAML as the API server does: a bare date stays a string."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the attribute PyYAML reads
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


@dataclass(frozen=True)
class Target:
    """What a path names: a resource, an object when `name` is set, a part of it when `subresource` is."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True)
class Call:
    """A request to one target by one identity."""

    store: Store
    request: HttpRequest
    target: Target
    identity: Identity

    @property
    def resource(self) -> Resource:
        """The target's resource."""
        return self.target.resource

    @cached_property
    def query(self) -> Mapping[str, str]:
        """Query parameters; the last one of a name counts."""
        return dict(parse_qsl(self.request.query, keep_blank_values=True))

    @property
    def dry_run(self) -> bool:
        """Whether nothing may be stored."""
        return "dryRun" in self.query

    @property
    def media_type(self) -> str:
        """The body's media type without parameters; JSON when the client says nothing."""
        return self.request.headers.get("content-type", "application/json").partition(";")[0].strip()

    def flag(self, name: str) -> bool:
        """Whether a query parameter is set to true."""
        return self.query.get(name) in _TRUE

    def number(self, name: str) -> int:
        """A query parameter as a whole number, 0 when absent.

        Raises BadRequest when it is no number.
        """
        written = self.query.get(name) or "0"
        if not written.isdecimal():
            raise BadRequest(f'strconv.ParseInt: parsing "{written}": invalid syntax')
        return int(written)

    def document(self) -> JsonObject:
        """The body as the object it must be for this target, its namespace filled in.

        Raises BadRequest when it does not belong to the URL, UnsupportedMediaType for a format that is not read.
        """
        body = decode_object(self.request, self.media_type)
        require_fit(self.target, body)
        return from_wire(self.resource, body)


def route(registry: Registry, path: str) -> Target:
    """The target of a path.

    Raises NotFound when the path names nothing that is served.
    """
    match = _GROUP_VERSION.fullmatch(path)
    if match is None:
        raise NotFound()
    namespace, (plural, name, subresource) = _split(match["rest"].strip("/").split("/"))
    resource = registry.find(match["group"] or "", match["core"] or match["version"], plural)
    if resource is None or (namespace and not resource.namespaced):
        raise NotFound()
    if name and resource.namespaced and not namespace:
        raise NotFound()
    if subresource and subresource not in resource.subresources:
        raise NotFound()
    return Target(resource, namespace, name, subresource)


def decode_object(request: HttpRequest, media_type: str) -> JsonObject:
    """The body as one JSON or YAML mapping.

    Raises BadRequest when it is not, UnsupportedMediaType for any other format.
    """
    document = decode(request, media_type)
    if not isinstance(document, dict):
        raise BadRequest("the object provided is unrecognized (must be of type Object)")
    return document


def decode(request: HttpRequest, media_type: str) -> object:
    """The body as a JSON value.

    Raises BadRequest when it cannot be parsed, UnsupportedMediaType for a format that is neither JSON nor YAML.
    """
    if media_type == protobuf.MEDIA_TYPE:
        return _decode_protobuf(request.body)
    if not media_type.endswith(("json", "yaml")):
        raise UnsupportedMediaType()
    try:
        if media_type.endswith("json") or request.body[:1] == b"{":
            parsed: object = json.loads(request.body)
        else:
            parsed = yaml.load(request.body, Loader=_YamlLoader)
    except (ValueError, yaml.YAMLError) as error:
        raise BadRequest(f"error decoding the request body: {error}") from error
    return parsed


def _decode_protobuf(body: bytes) -> object:
    try:
        return protobuf.decode(body)
    except protobuf.Unreadable as error:
        # The API server reads every kind; this one says that it does not rather than guess.
        raise UnsupportedMediaType() from error


def require_fit(target: Target, document: JsonObject) -> None:
    """Check that an object belongs to the URL it was sent to, and fill in its namespace.

    Raises BadRequest when kind, version, name or namespace say otherwise.
    """
    resource = target.resource
    version, kind = text(document, "apiVersion"), text(document, "kind")
    if version and version != resource.api_version:
        raise BadRequest(
            f"the API version in the data ({version}) does not match the expected API version ({resource.api_version})"
        )
    if kind and kind != resource.kind:
        raise BadRequest(f"the kind in the data ({kind}) does not match the expected kind ({resource.kind})")
    _require_location(target, document)


def _require_location(target: Target, document: JsonObject) -> None:
    metadata = ensure_mapping(document, "metadata")
    name, namespace = name_of(document), namespace_of(document)
    if target.name and name and name != target.name:
        raise BadRequest(f"the name of the object ({name}) does not match the name on the URL ({target.name})")
    if target.namespace and namespace and namespace != target.namespace:
        raise BadRequest("the namespace of the provided object does not match the namespace sent on the request")
    if target.name:
        metadata["name"] = target.name
    if target.namespace:
        metadata["namespace"] = target.namespace


def _split(segments: list[str]) -> tuple[str, tuple[str, str, str]]:
    namespace = ""
    if segments[0] == "namespaces" and len(segments) > 2 and segments[2] not in ("status", "finalize"):
        namespace, segments = segments[1], segments[2:]
    if len(segments) > 3:
        raise NotFound()
    plural, name, subresource = [*segments, "", ""][:3]
    return namespace, (plural, name, subresource)
