"""What the log of a lifecycle script says went wrong, by patterns that are known.

Sources: SageMaker developer guide, "Troubleshooting" of HyperPod; the messages of bash, apt, curl and the AWS CLI.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LIFECYCLE_SCRIPT: Final = "LIFECYCLE_SCRIPT"
SHOWN_LINES: Final = 5
_POINTER: Final = re.compile(r"log group '([^']+)' and log stream '([^']+)'")


@dataclass(frozen=True)
class Pointer:
    """Where the log of a script is: group and stream in CloudWatch Logs."""

    group: str
    stream: str


@dataclass(frozen=True)
class Diagnosis:
    """What went wrong in a script, and what to do about it."""

    code: str
    remedy: str


@dataclass(frozen=True)
class _Pattern:
    code: str
    pattern: re.Pattern[str]
    remedy: str


# Order matters: the first match names the cause. {role} and {bucket} are filled in.
_PATTERNS: Final = (
    _Pattern(
        "LIFECYCLE_KMS_ACCESS",
        re.compile(r"(kms:Decrypt|KMS\.?\w*).*(AccessDenied|not authorized)|AccessDenied.*kms", re.I),
        "Allow the role {role} kms:Decrypt on the key of the bucket {bucket}, then retry the operation.",
    ),
    _Pattern(
        "LIFECYCLE_S3_ACCESS",
        re.compile(r"AccessDenied|\(403\)|403 Forbidden", re.I),
        "Allow the role {role} s3:ListBucket and s3:GetObject on the bucket {bucket}, then retry the operation.",
    ),
    _Pattern(
        "LIFECYCLE_S3_UNREACHABLE",
        re.compile(r"Connect timeout on endpoint URL|Could not connect to the endpoint URL", re.I),
        "Give the compute subnet a route to S3 (gateway endpoint or NAT), so that {role} reaches {bucket}, then retry.",
    ),
    _Pattern(
        "LIFECYCLE_LINE_ENDINGS",
        re.compile(r"\\r|\r|\^M|bad interpreter", re.I),
        "Convert the scripts in {bucket} to Unix line endings, for example with dos2unix, then retry the operation.",
    ),
    _Pattern(
        "LIFECYCLE_PACKAGE_LOCK",
        re.compile(r"Could not get lock /var/lib/(dpkg|apt)|Unable to acquire the dpkg", re.I),
        "Let the script wait for apt (apt-get -o DPkg::Lock::Timeout=300), then retry the operation.",
    ),
    _Pattern(
        "LIFECYCLE_NETWORK",
        re.compile(r"Could not resolve host|Temporary failure in name resolution|Connection timed out", re.I),
        "Give the compute subnet a way to what the script fetches, or put that into {bucket}, then retry.",
    ),
    _Pattern(
        "LIFECYCLE_FILE_MISSING",
        re.compile(r"No such file or directory|NoSuchKey|\(404\)", re.I),
        "Put the missing file into {bucket}, or let the script test for it, then retry the operation.",
    ),
)


def pointer_in(message: str) -> Pointer | None:
    """Read where the log is from HyperPod's message of a failed script."""
    found = _POINTER.search(message)
    return Pointer(found[1], found[2]) if found else None


def diagnose(lines: Sequence[str], role: str, bucket: str) -> Diagnosis | None:
    """Find the known cause that the last lines of a log speak of; None when none is known."""
    text = "\n".join(lines)
    for known in _PATTERNS:
        if known.pattern.search(text):
            return Diagnosis(known.code, known.remedy.format(role=role, bucket=bucket))
    return None


def shown(lines: Sequence[str]) -> str:
    """Write the last lines of a log for the reader, on one line."""
    return " | ".join(line.strip() for line in lines[-SHOWN_LINES:] if line.strip())
