"""Discovery: versions, groups, resources, and as much OpenAPI as `kubectl apply` looks at."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import Registry, Resource

_OPENAPI = "/openapi/v3"


def discover(registry: Registry, path: str, git_version: str) -> JsonObject | None:
    """The discovery document at a path, None when the path is not one of discovery or nothing is served there."""
    match path.rstrip("/"):
        case "/version":
            return _version(git_version)
        case "/api":
            return {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
        case "/apis":
            return _groups(registry)
        case "/openapi/v3":
            return _openapi_index(registry)
        case bare if bare.startswith(_OPENAPI):
            return _for_group_version(registry, bare.removeprefix(_OPENAPI), openapi=True)
        case bare:
            return _for_group_version(registry, bare, openapi=False)


def _version(git_version: str) -> JsonObject:
    major, minor = git_version.removeprefix("v").split(".")[:2]
    return {
        "major": major,
        "minor": minor,
        "gitVersion": git_version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "",
        "platform": "linux/amd64",
    }


def _groups(registry: Registry) -> JsonObject:
    groups = [_group(group, versions) for group, versions in registry.group_versions().items() if group]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def _group(group: str, versions: list[str]) -> JsonObject:
    served = [{"groupVersion": f"{group}/{version}", "version": version} for version in versions]
    return {"name": group, "versions": served, "preferredVersion": served[0]}


def _for_group_version(registry: Registry, path: str, openapi: bool) -> JsonObject | None:
    match = re.fullmatch(r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)(?:/(?P<version>[^/]+))?)", path)
    if match is None:
        return None
    group, version = match["group"] or "", match["core"] or match["version"]
    versions = registry.group_versions().get(group, [])
    if version is None:
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, versions)} if versions else None
    served = [resource for resource in registry if (resource.group, resource.version) == (group, version)]
    if not served:
        return None
    return _openapi(served) if openapi else _resource_list(served)


def _resource_list(served: list[Resource]) -> JsonObject:
    entries = [entry for resource in served for entry in _entries(resource)]
    group_version = served[0].api_version
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": entries}


def _entries(resource: Resource) -> Iterator[JsonObject]:
    entry: JsonObject = {
        "name": resource.plural,
        "singularName": resource.singular or resource.kind.lower(),
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    yield entry
    for subresource in resource.subresources:
        yield _subresource(resource, subresource)


def _subresource(resource: Resource, subresource: str) -> JsonObject:
    entry: JsonObject = {
        "name": f"{resource.plural}/{subresource}",
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": "Scale" if subresource == "scale" else resource.kind,
        "verbs": ["get"] if subresource == "log" else ["get", "patch", "update"],
    }
    return {**entry, "group": "autoscaling", "version": "v1"} if subresource == "scale" else entry


def _openapi_index(registry: Registry) -> JsonObject:
    prefixes = sorted({_prefix(resource) for resource in registry})
    return {"paths": {prefix: {"serverRelativeURL": f"{_OPENAPI}/{prefix}"} for prefix in prefixes}}


def _openapi(served: list[Resource]) -> JsonObject:
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "unversioned"},
        "paths": {_object_path(resource): _patch_operation(resource) for resource in served},
        "components": {"schemas": {}},
    }


def _prefix(resource: Resource) -> str:
    return f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"


def _object_path(resource: Resource) -> str:
    scope = "/namespaces/{namespace}" if resource.namespaced else ""
    return f"/{_prefix(resource)}{scope}/{resource.plural}/{{name}}"


def _patch_operation(resource: Resource) -> JsonObject:
    identity = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    parameter = {"name": "fieldValidation", "in": "query", "schema": {"type": "string", "uniqueItems": True}}
    operation: JsonObject = {
        "parameters": [parameter],
        "responses": {"200": {"description": "OK"}},
        "x-kubernetes-action": "patch",
        "x-kubernetes-group-version-kind": identity,
    }
    return {"patch": operation}
