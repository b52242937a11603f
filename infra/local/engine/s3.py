"""S3: bucket policies that demand TLS, and copies of objects that nobody closes.

moto refuses whatever a Deny statement with a condition names, whether or not the condition holds. Calls inside this
process count as TLS, so a statement against calls without it never applies. To list versions moto copies each object,
file and all, and warns of those copies when they are collected; their files are closed then, and that is enough.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Protocol

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto

_WITHOUT_TLS = ({"Bool": {"aws:SecureTransport": "false"}}, {"Bool": {"aws:SecureTransport": False}})


class _Bucket(Protocol):
    policy: bytes | None


def install() -> None:
    """Adapt moto in this process; doing it again changes nothing."""
    require_pinned_moto()
    bucket = import_module("moto.s3.models").FakeBucket
    if not getattr(bucket.get_permission, "over_tls", False):
        wrap(bucket, "get_permission", _over_tls)
        wrap(import_module("moto.s3.models").FakeKey, "dispose", _quietly)


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


def _quietly(dispose: Callable[..., object]) -> Callable[..., object]:
    def disposed(self: object, garbage: bool = False) -> object:
        return dispose(self)

    return disposed


def _without_tls_statements(policy: bytes) -> bytes | None:
    document = json.loads(policy)
    kept = [statement for statement in document["Statement"] if statement.get("Condition") not in _WITHOUT_TLS]
    return json.dumps({**document, "Statement": kept}).encode() if kept else None
