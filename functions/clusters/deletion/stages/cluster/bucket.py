"""The end of the cluster's bucket, if asked for: emptied right before it is deleted, since anybody may write to it."""

from __future__ import annotations

from typing import Final

from functions.aws import buckets
from functions.core.stage import Applied, Done, Observation, Reapply, StageContext
from functions.core.tags import stack_tags

# A thousand objects a page; a turn has five minutes.
_PAGES: Final = 200


class BucketRemoval:
    """The bucket with everything in it, all versions."""

    def apply(self, context: StageContext) -> Applied:
        """Empty it and delete it; what is put into it meanwhile is for the next turn."""
        name = context.cluster.bucket
        if not _is_ours(context):
            return Applied(f"s3://{name} is gone or not ours")
        if buckets.empty(name, _PAGES) and buckets.delete(name):
            return Applied(f"deleted s3://{name} with all that was in it", (f"arn:aws:s3:::{name}",))
        return Applied(f"emptying s3://{name}", (f"arn:aws:s3:::{name}",))

    def observe(self, context: StageContext) -> Observation:
        """Done when it is gone; one without our tags is left alone."""
        name = context.cluster.bucket
        if not buckets.exists(name):
            return Done({"bucket": name}, f"s3://{name} is gone")
        return Reapply(f"s3://{name} still exists") if _is_ours(context) else Done({}, f"s3://{name} is not ours")


def _is_ours(context: StageContext) -> bool:
    tags = buckets.tags(context.cluster.bucket)
    return tags is not None and all(tags.get(key) == value for key, value in stack_tags(context.cluster).items())
