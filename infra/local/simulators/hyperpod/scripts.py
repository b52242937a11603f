"""Lifecycle scripts: what they need, how they end, and what of it stands in CloudWatch Logs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from infra.local.simulators import neighbours
from infra.local.simulators.hyperpod import times
from infra.local.simulators.hyperpod.outcomes import ScriptOutcome

if TYPE_CHECKING:
    from infra.local.simulators.hyperpod.journal import Journal
    from infra.local.simulators.hyperpod.records import GroupRecord, HyperPodRecord, NodeRecord
    from infra.local.simulators.hyperpod.state import HyperPodState

DOWNLOADING: Final = "[SageMaker] Downloading lifecycle scripts"
SUCCEEDED: Final = "[SageMaker] The lifecycle scripts succeeded."
FAILED: Final = "[SageMaker] The lifecycle scripts failed."
# As botocore words what the download of a missing script ends with.
_MISSING: Final = 'fatal error: An error occurred (404) when calling the HeadObject operation: Key "{}" does not exist'


def log_group(cluster: HyperPodRecord) -> str:
    """Name a cluster's log group."""
    return f"/aws/sagemaker/Clusters/{cluster.name}/{cluster.cluster_id}"


def log_stream(group: GroupRecord, node: NodeRecord) -> str:
    """Name the log stream of an instance's lifecycle script."""
    return f"LifecycleConfig/{group.name}/{node.instance_id}"


def failure_text(cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord) -> str:
    """SageMaker's text for a failed lifecycle script (Developer Guide, HyperPod troubleshooting)."""
    return (
        f'Instance `{node.instance_id}` failed to provision with the following error: "Lifecycle scripts did not run'
        f" successfully. To view lifecycle script logs, visit log group '{log_group(cluster)}' and log stream"
        f" '{log_stream(group, node)}'.\" Note that multiple instances may be impacted."
    )


class LifecycleScripts:
    """Runs the scripts of instances."""

    def __init__(self, state: HyperPodState, journal: Journal) -> None:
        self._state = state
        self._journal = journal

    def start(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> bool:
        """Run an instance's script; say whether it succeeded. One that never ends fails later, by `time_out`."""
        script = group.spec.get("LifeCycleConfig")
        if not script:
            return True
        self._status(cluster, group, node, at, "Started")
        planned = self._state.records.outcomes.script(cluster.name, group.name)
        if planned and planned.exit_code is None:
            node.timing_out, node.due = True, at + times.SCRIPT_TIMEOUT
            self._log(cluster, group, node, at, [DOWNLOADING, *planned.log])
            return False
        lines = self._problem(script, planned)
        if lines is None:
            self._log(cluster, group, node, at, [DOWNLOADING, SUCCEEDED])
            self._status(cluster, group, node, at, "Completed")
            return True
        self._log(cluster, group, node, at, [DOWNLOADING, *lines, FAILED])
        self._fail(cluster, group, node, at)
        return False

    def time_out(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        """Give up a script that does not end."""
        node.timing_out = False
        self._log(cluster, group, node, at, [FAILED])
        self._fail(cluster, group, node, at)

    def _problem(self, script: dict[str, str], planned: ScriptOutcome | None) -> list[str] | None:
        """Say what a failing script writes."""
        if planned:
            return [*planned.log, f"exit status {planned.exit_code}"]
        name = script.get("OnCreate") or script["OnInitComplete"]
        uri = f"{script['SourceS3Uri'].rstrip('/')}/{name}"
        if self._state.once(uri, lambda: neighbours.object_exists(self._state.host.s3(), uri)):
            return None
        return [_MISSING.format(uri.removeprefix("s3://").partition("/")[2])]

    def _fail(self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime) -> None:
        node.message = failure_text(cluster, group, node)
        self._status(cluster, group, node, at, "Failed", failure=node.message)

    def _status(
        self,
        cluster: HyperPodRecord,
        group: GroupRecord,
        node: NodeRecord,
        at: datetime,
        status: str,
        failure: str | None = None,
    ) -> None:
        text = f"Instance lifecycle script execution for EC2 Instance {node.instance_id} has {status}"
        self._journal.of_node(cluster, group, node, at, text, failure=failure, LcsExecutionState=status)

    def _log(
        self, cluster: HyperPodRecord, group: GroupRecord, node: NodeRecord, at: datetime, lines: Sequence[str]
    ) -> None:
        """Write lines where CloudWatch Logs has them; the first of a cluster makes its log group."""
        place = {"logGroupName": log_group(cluster), "logStreamName": log_stream(group, node)}
        self._make("create_log_stream", place)
        moment = int(at.timestamp() * 1000)
        events = [{"timestamp": moment, "message": line} for line in lines]
        neighbours.call(self._state.host.logs(), "put_log_events", logEvents=events, **place)

    def _make(self, method: str, names: dict[str, str]) -> None:
        try:
            neighbours.call(self._state.host.logs(), method, **names)
        except ClientError as error:
            code = neighbours.error_code(error)
            if code == "ResourceNotFoundException":
                self._make("create_log_group", {"logGroupName": names["logGroupName"]})
                self._make(method, names)
            elif code != "ResourceAlreadyExistsException":
                raise
