"""EC2's quotas, which moto does not have: no more VPCs, Elastic IPs and interfaces than Service Quotas says.

Codes and texts: Amazon EC2 API reference, "Error codes for the Amazon EC2 API".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Final, Protocol

from infra.local.engine.patching import wrap
from infra.local.engine.version import require_pinned_moto
from infra.local.simulators.network_quotas import ADDRESSES, INTERFACES, VPCS, NetworkQuota

LimitOf = Callable[[NetworkQuota], float]


class _Backend(Protocol):
    vpcs: Mapping[str, object]
    addresses: Sequence[object]
    enis: Mapping[str, object]


@dataclass(frozen=True)
class _Limited:
    """What one call makes one of, and how it is refused."""

    quota: NetworkQuota
    module: str
    owner: str
    method: str
    held: str
    code: str
    message: str


_LIMITED: Final = (
    _Limited(
        VPCS, "vpcs", "VPCBackend", "create_vpc", "vpcs",
        "VpcLimitExceeded", "The maximum number of VPCs has been reached.",
    ),
    _Limited(
        ADDRESSES, "elastic_ip_addresses", "ElasticAddressBackend", "allocate_address", "addresses",
        "AddressLimitExceeded", "The maximum number of addresses has been reached.",
    ),
    _Limited(
        INTERFACES, "elastic_network_interfaces", "NetworkInterfaceBackend", "create_network_interface", "enis",
        "NetworkInterfaceLimitExceeded", "The maximum number of network interfaces has been reached.",
    ),
)  # fmt: skip
_limit_of: list[LimitOf] = []


def install(limit_of: LimitOf) -> None:
    """Adapt moto in this process to the quotas of the latest host."""
    require_pinned_moto()
    known = bool(_limit_of)
    _limit_of[:] = [limit_of]
    if known:
        return
    for limited in _LIMITED:
        owner = getattr(import_module(f"moto.ec2.models.{limited.module}"), limited.owner)
        wrap(owner, limited.method, _within(limited))


def _within(limited: _Limited) -> Callable[[Callable[..., object]], Callable[..., object]]:
    def around(make: Callable[..., object]) -> Callable[..., object]:
        def made(self: _Backend, *positional: object, **named: object) -> object:
            if len(getattr(self, limited.held)) >= _limit_of[0](limited.quota):
                raise import_module("moto.ec2.exceptions").EC2ClientError(limited.code, limited.message)
            return make(self, *positional, **named)

        return made

    return around
