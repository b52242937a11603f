"""Who may reach the public endpoint of a cluster: the caller's ranges, and always the control plane itself.

Functions outside of a VPC call from addresses that nobody knows beforehand. A list of ranges therefore needs a
deployment whose functions leave through addresses of its own (`FIXED_EGRESS_ADDRESSES`).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import TYPE_CHECKING, Final

from functions.core.errors import Conflict, InvalidRequest
from functions.core.findings import Finding, Level
from functions.network.reuse.models import EVERYWHERE, PUBLIC_RANGES_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

ENDPOINT: Final = "endpoint_access"
NO_FIXED_EGRESS: Final = "no_fixed_egress"
_FIELD: Final = "foundation.public_access_cidrs"


def restricts(ranges: Sequence[str] | None) -> bool:
    """Say whether a list of ranges leaves anybody out."""
    return bool(ranges) and EVERYWHERE not in (ranges or ())


def reach(ranges: Sequence[str] | None, egress: Sequence[str]) -> list[str] | None:
    """Give all ranges that the endpoint has to answer, our own addresses among them; None for everywhere."""
    if ranges is None or not restricts(ranges):
        return None
    return [*dict.fromkeys(ranges), *(f"{address}/32" for address in _left_out(ranges, egress))]


def check(ranges: Sequence[str] | None, egress: Sequence[str]) -> list[Finding]:
    """Find what is wrong with a list of ranges, or say what is added to it."""
    if ranges is None or not restricts(ranges):
        return []
    if not egress:
        return [_no_fixed_egress()]
    added = [f"{address}/32" for address in _left_out(ranges, egress)]
    if len({*ranges, *added}) > PUBLIC_RANGES_LIMIT:
        return [_too_many(len({*ranges, *added}), added)]
    return [_added(added)] if added else []


def _left_out(ranges: Sequence[str], egress: Sequence[str]) -> list[str]:
    listed = [IPv4Network(each) for each in ranges]
    return [address for address in egress if not any(IPv4Address(address) in each for each in listed)]


def _no_fixed_egress() -> Finding:
    return Finding(
        check=NO_FIXED_EGRESS,
        level=Level.ERROR,
        code=Conflict.code,
        field=_FIELD,
        message="would shut out the control plane: this deployment has no fixed addresses of its own that the list "
        "could name",
        remedy="Leave public_access_cidrs out, or deploy the control plane with the choice `egress`, whose subnets its "
        "functions then leave through NAT gateways: FIXED_EGRESS_ADDRESSES names their addresses.",
    )


def _too_many(count: int, added: Sequence[str]) -> Finding:
    return Finding(
        check=ENDPOINT,
        level=Level.ERROR,
        code=InvalidRequest.code,
        field=_FIELD,
        message=f"comes to {count} ranges with the control plane's own ({', '.join(added)}); EKS takes "
        f"{PUBLIC_RANGES_LIMIT}",
        remedy="Join ranges that lie side by side, or leave some out.",
    )


def _added(added: Sequence[str]) -> Finding:
    return Finding(
        check=ENDPOINT,
        level=Level.INFO,
        field=_FIELD,
        message=f"{', '.join(added)} is added: by {'it' if len(added) == 1 else 'them'} the control plane itself "
        "reaches the cluster",
    )
