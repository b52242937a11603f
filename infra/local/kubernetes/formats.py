"""The string formats that schemas name; an unknown format is not checked."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable
from datetime import datetime
from urllib.parse import urlsplit

_UUID = re.compile(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")
_DURATION = re.compile(r"[-+]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+|0")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_HOSTNAME = re.compile(
    r"(?=.{1,255}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*"
)


def is_moment(written: str) -> bool:
    """Whether this is an RFC 3339 moment."""
    try:
        return "T" in written.upper() and datetime.fromisoformat(written).tzinfo is not None
    except ValueError:
        return False


def is_base64(written: str) -> bool:
    """Whether this is standard base64."""
    try:
        base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_date(written: str) -> bool:
    try:
        return bool(_DATE.fullmatch(written)) and datetime.fromisoformat(written) is not None
    except ValueError:
        return False


def is_address(written: str, version: int | None = None) -> bool:
    """Whether this is an IP address, of one version when given."""
    try:
        return version in (None, ipaddress.ip_address(written).version)
    except ValueError:
        return False


def _is_network(written: str) -> bool:
    try:
        return ipaddress.ip_network(written, strict=False) is not None
    except ValueError:
        return False


def _is_uri(written: str) -> bool:
    try:
        return bool(urlsplit(written).scheme)
    except ValueError:
        return False


FORMATS: dict[str, Callable[[str], bool]] = {
    "byte": is_base64,
    "cidr": _is_network,
    "date": _is_date,
    "date-time": is_moment,
    "duration": lambda written: bool(_DURATION.fullmatch(written)),
    "email": lambda written: bool(re.fullmatch(r"[^@\s]+@[^@\s]+", written)),
    "hostname": lambda written: bool(_HOSTNAME.fullmatch(written)),
    "ipv4": lambda written: is_address(written, 4),
    "ipv6": lambda written: is_address(written, 6),
    "mac": lambda written: bool(re.fullmatch(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}", written)),
    "uri": _is_uri,
    "uuid": lambda written: bool(_UUID.fullmatch(written)),
}
