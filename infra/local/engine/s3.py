"""S3: bucket policies that demand TLS, and the files of objects that are deleted.

moto refuses whatever a Deny statement with a condition names, whether or not the condition holds. Calls inside this
process count as TLS, so a statement against calls without it never applies. moto keeps an object's bytes in a temporary
file and leaves that of a deleted object open.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Protocol, runtime_checkable

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto

_WITHOUT_TLS = ({"Bool": {"aws:SecureTransport": "false"}}, {"Bool": {"aws:SecureTransport": False}})


class _Bucket(Protocol):
    policy: bytes | None
    keys: _Keys


@runtime_checkable
class _Key(Protocol):
    def dispose(self) -> None: ...


class _Keys(Protocol):
    def getlist(self, key: str, default: list[object]) -> list[object]: ...


class _Backend(Protocol):
    def get_bucket(self, bucket_name: str) -> _Bucket: ...


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    bucket = import_module("moto.s3.models").FakeBucket
    if not getattr(bucket.get_permission, "over_tls", False):
        wrap(bucket, "get_permission", _over_tls)
        wrap(import_module("moto.s3.models").S3Backend, "delete_object", _closing)


def _over_tls(decide: Callable[..., object]) -> Callable[..., object]:
    def get_permission(self: _Bucket, action: str, resource: str) -> object:
        whole = self.policy
        if whole is None:
            return decide(self, action, resource)
        self.policy = _without_tls_statements(whole)
        try:
            return decide(self, action, resource)
        finally:
            self.policy = whole

    vars(get_permission)["over_tls"] = True
    return get_permission


def _closing(delete: Callable[..., object]) -> Callable[..., object]:
    def delete_object(
        self: _Backend, bucket_name: str, key_name: str, version_id: str | None = None, bypass: bool = False
    ) -> object:
        keys = self.get_bucket(bucket_name).keys
        before = [*keys.getlist(key_name, [])]
        answer = delete(self, bucket_name, key_name, version_id, bypass)
        left = {id(each) for each in keys.getlist(key_name, [])}
        for each in before:
            if id(each) not in left and isinstance(each, _Key):
                each.dispose()
        return answer

    return delete_object


def _without_tls_statements(policy: bytes) -> bytes | None:
    document = json.loads(policy)
    kept = [statement for statement in document["Statement"] if statement.get("Condition") not in _WITHOUT_TLS]
    return json.dumps({**document, "Statement": kept}).encode() if kept else None
