"""The release's own lifecycle scripts in the cluster's bucket, where its instances fetch them."""

from __future__ import annotations

from typing import Final

from functions.aws import artifacts
from functions.core import settings
from functions.core.stage import Applied, Done, Observation, Reapply, StageContext

_SCRIPT: Final = "on_create.sh"
_PREFIX: Final = "lifecycle"
SCRIPT_KEY: Final = f"{_PREFIX}/{_SCRIPT}"


class LifecycleScripts:
    """The release's own lifecycle scripts in the cluster's bucket, where its instances fetch them."""

    def apply(self, context: StageContext) -> Applied:
        """Copy the script unless the bucket has this release's."""
        source_bucket = settings.required("ARTIFACT_BUCKET")
        bucket, key = context.cluster.bucket, SCRIPT_KEY
        artifacts.ensure(source_bucket, source_key(), bucket, key)
        return Applied(f"s3://{bucket}/{key}", (f"s3://{bucket}/{key}",))

    def observe(self, context: StageContext) -> Observation:
        """Done when the bucket has the script."""
        bucket, key = context.cluster.bucket, SCRIPT_KEY
        if artifacts.entity_tag(bucket, key) is None:
            return Reapply(f"s3://{bucket}/{key} is missing")
        place = f"s3://{bucket}/{key}"
        return Done({"uri": f"s3://{bucket}/{_PREFIX}", "script": _SCRIPT}, f"{place} is this release's", (place,))


def source_key() -> str:
    """Name the object of the release that the script is a copy of."""
    return f"{settings.required('RELEASE')}/lifecycle/{_SCRIPT}"
