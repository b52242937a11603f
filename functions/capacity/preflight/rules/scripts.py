"""Whether a lifecycle script of the caller's own can run at all.

Source: SageMaker developer guide, "Troubleshooting" of HyperPod: scripts have Unix line endings and begin with `#!`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import InvalidRequest
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from functions.capacity.models import InstanceGroup
    from functions.capacity.preflight.models import Facts, Placed, Script

SCRIPT: Final = "lifecycle_script"
BUCKET: Final = "lifecycle_bucket"
_READABLE: Final = "sagemaker-"
# A set-up script that is larger carries data, which belongs beside it.
SIZE_LIMIT: Final = 1024 * 1024


def place_of(group: InstanceGroup) -> str | None:
    """Say where a group's own script lies; None when it takes the release's."""
    if group.lifecycle is None:
        return None
    return f"{group.lifecycle.source_uri.rstrip('/')}/{group.lifecycle.script}"


def check(placed: Sequence[Placed], facts: Facts) -> Iterator[Finding]:
    """Read each script that was found, and look where it lies."""
    for each in placed:
        place = place_of(each.group)
        if place and not place.startswith(f"s3://{_READABLE}"):
            yield Finding(
                check=BUCKET,
                level=Level.WARNING,
                field=each.at("lifecycle.source_uri"),
                message=f"the cluster's execution role reads buckets named {_READABLE}*; {place} lies in another",
                resource=place,
                remedy="Put the script into the cluster's bucket, or let the bucket's policy admit the role.",
            )
        if place and facts.scripts is not None and place in facts.scripts and (wrong := fault(facts.scripts[place])):
            yield Finding(
                check=SCRIPT,
                level=Level.ERROR,
                code=InvalidRequest.code,
                field=each.at("lifecycle"),
                message=f"{place} {wrong[0]}",
                resource=place,
                remedy=wrong[1],
            )


def fault(script: Script | None) -> tuple[str, str] | None:
    """Say what is wrong with a script, and what to do about it."""
    if script is None:
        return "does not exist", "Upload the script, or correct source_uri and its name."
    if script.size == 0:
        return "is empty", "Upload the script's text."
    if script.size > SIZE_LIMIT:
        return f"has {script.size} bytes, more than {SIZE_LIMIT}", "Keep the script small, and its data beside it."
    if b"\r\n" in script.content:
        return "has Windows line endings (CR LF)", "Convert it to Unix line endings, for example with dos2unix."
    if not script.content.startswith(b"#!"):
        return "does not begin with '#!'", "Begin it with its interpreter, for example '#!/bin/bash'."
    return None
