"""Files of a bucket that are written once, one a day: `<prefix>YYYY/MM/DD<suffix>`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from functions.core import runtime
from functions.core.failures import code_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_DAY: Final = re.compile(r"(\d{4})/(\d\d)/(\d\d)")
# Somebody else has written it meanwhile (S3 user guide, "Conditional writes").
_WRITTEN: Final = frozenset({"PreconditionFailed", "412"})


@dataclass(frozen=True)
class DailyFiles:
    """Where the files of days are."""

    bucket: str
    prefix: str
    suffix: str
    content_type: str

    def key_of(self, day: date) -> str:
        """Name the file of a day."""
        return f"{self.prefix}{day:%Y/%m/%d}{self.suffix}"

    def days_since(self, day: date) -> frozenset[date]:
        """List the days from one on that have a file. Raises the client's own errors."""
        return frozenset(self._days(day))

    def write(self, day: date, content: bytes) -> bool:
        """Write the file of a day unless there is one; say whether it was written. Raises the client's own errors."""
        try:
            runtime.client("s3").put_object(
                Bucket=self.bucket,
                Key=self.key_of(day),
                Body=content,
                ContentType=self.content_type,
                IfNoneMatch="*",
            )
        except ClientError as error:
            if code_of(error) in _WRITTEN:
                return False
            raise
        return True

    def _days(self, day: date) -> Iterator[date]:
        pages = runtime.client("s3").get_paginator("list_objects_v2")
        # Keys sort as their days do.
        for page in pages.paginate(Bucket=self.bucket, Prefix=self.prefix, StartAfter=f"{self.prefix}{day:%Y/%m/%d}"):
            for item in page.get("Contents", []):
                found = _DAY.fullmatch(item["Key"].removeprefix(self.prefix).removesuffix(self.suffix))
                if found:
                    yield date(int(found[1]), int(found[2]), int(found[3]))
