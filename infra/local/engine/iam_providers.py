"""IAM's identity providers: clients are added to one that stands, and taken from it; moto knows neither call.

Source: IAM API reference, AddClientIDToOpenIDConnectProvider and RemoveClientIDFromOpenIDConnectProvider, which both
change nothing where nothing is to be changed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Protocol

from moto.core.responses import ActionResult, EmptyResult

from infra.local.engine.version import require_pinned_moto


class _Provider(Protocol):
    client_id_list: list[str]


class _Backend(Protocol):
    def get_open_id_connect_provider(self, arn: str) -> _Provider: ...


class _Response(Protocol):
    backend: _Backend

    def _get_param(self, name: str) -> str: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    response = import_module("moto.iam.responses").IamResponse
    response.add_client_id_to_open_id_connect_provider = _add
    response.remove_client_id_from_open_id_connect_provider = _remove


def _add(self: _Response) -> ActionResult:
    return _changed(self, lambda clients, client: clients if client in clients else [*clients, client])


def _remove(self: _Response) -> ActionResult:
    return _changed(self, lambda clients, client: [each for each in clients if each != client])


def _changed(response: _Response, change: Callable[[list[str], str], list[str]]) -> ActionResult:
    provider = response.backend.get_open_id_connect_provider(response._get_param("OpenIDConnectProviderArn"))
    provider.client_id_list = change(provider.client_id_list or [], response._get_param("ClientID"))
    return EmptyResult()
