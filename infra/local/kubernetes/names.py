"""Validation of object names and labels, in the API server's wording."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infra.local.kubernetes.documents import JsonObject, mapping, name_of, text
from infra.local.kubernetes.errors import Cause, Invalid
from infra.local.kubernetes.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource, custom_key

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = f"({_QUALIFIED})?"

_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
    f"with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_DNS_1035_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character "
    f"(e.g. 'my-name',  or 'abc-123', regex used for validation is '{_DNS_1035}')"
)
_QUALIFIED_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    f"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_QUALIFIED}')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '{_VALUE}')"
)


def require_valid_metadata(resource: Resource, document: JsonObject) -> None:
    """Check an object's name and labels.

    Raises Invalid listing each broken rule.
    """
    name = name_of(document)
    labels = mapping(document, "metadata", "labels")
    causes = [*_name_causes(resource, name), *_definition_causes(resource, document), *_label_causes(labels)]
    if causes:
        raise Invalid(resource.kind, name, resource.group, causes)


def _name_causes(resource: Resource, name: str) -> Iterator[Cause]:
    if not name:
        yield Cause("FieldValueRequired", "metadata.name", "Required value: name or generateName is required")
        return
    for rule in _broken_name_rules(resource, name):
        yield _invalid("metadata.name", name, rule)


def _definition_causes(resource: Resource, document: JsonObject) -> Iterator[Cause]:
    group, plural = custom_key(document)
    if resource.key == CUSTOM_RESOURCE_DEFINITIONS.key and name_of(document) != f"{plural}.{group}":
        yield _invalid("metadata.name", name_of(document), 'must be spec.names.plural+"."+spec.group')


def _broken_name_rules(resource: Resource, name: str) -> Iterator[str]:
    if resource.group == "rbac.authorization.k8s.io":
        if name in (".", ".."):
            yield f"may not be '{name}'"
        yield from (f"may not contain '{banned}'" for banned in "/%" if banned in name)
        return
    longest, pattern, rule = _name_format(resource)
    if len(name) > longest:
        yield _too_long(longest)
    if not re.fullmatch(pattern, name):
        yield rule


def _name_format(resource: Resource) -> tuple[int, str, str]:
    match resource.group, resource.plural:
        case "", "services":
            return 63, _DNS_1035, _DNS_1035_RULE
        case "", "namespaces":
            return 63, _LABEL, _LABEL_RULE
        case _:
            return 253, _SUBDOMAIN, _SUBDOMAIN_RULE


def _label_causes(labels: JsonObject) -> Iterator[Cause]:
    for key, value in labels.items():
        yield from (_invalid("metadata.labels", key, rule) for rule in _broken_key_rules(key))
        if not isinstance(value, str):
            yield _invalid("metadata.labels", str(value), "must be a string")
            continue
        if len(value) > 63:
            yield _invalid("metadata.labels", value, _too_long(63))
        if not re.fullmatch(_VALUE, value):
            yield _invalid("metadata.labels", value, _VALUE_RULE)


def _broken_key_rules(key: str) -> Iterator[str]:
    prefix, slash, name = key.rpartition("/")
    if slash and not re.fullmatch(_SUBDOMAIN, prefix):
        yield f"prefix part {_SUBDOMAIN_RULE}"
    if not name:
        yield "name part must be non-empty"
    if len(name) > 63:
        yield f"name part {_too_long(63)}"
    if not re.fullmatch(_QUALIFIED, name):
        yield _QUALIFIED_RULE


def _invalid(field: str, value: str, rule: str) -> Cause:
    return Cause("FieldValueInvalid", field, f'Invalid value: "{value}": {rule}')


def _too_long(longest: int) -> str:
    return f"must be no more than {longest} characters"


def generated_name(document: JsonObject, suffix: str) -> str:
    """The name an object gets from its generateName, or its own name when it has one."""
    prefix = text(document, "metadata", "generateName")
    return name_of(document) or (prefix[:58] + suffix if prefix else "")
