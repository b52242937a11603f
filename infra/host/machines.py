"""The Standard state machines, from their ASL files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from infra.host.logs import log_group
from infra.shapes import StateMachine
from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_logs as logs


class Machines(Construct):
    """All state machines of the topology, by name.

    Their log says which state an execution is in. What the states hand on is not in it: the ledger has that, and the
    token of a task belongs into no log.
    """

    by_name: Mapping[str, stepfunctions.StateMachine]

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        machines: Sequence[StateMachine],
        roles: Mapping[str, iam.IRole],
        substitutions: Mapping[str, str],
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        # Step Functions writes to groups of that prefix without a resource policy, whose size is limited.
        group = log_group(self, "log", f"/aws/vendedlogs/states/{PREFIX}machines", log_retention_days)
        self._substitutions = substitutions
        self.by_name = {each.name: self._add(each, roles[each.name], group) for each in machines}

    def _add(self, machine: StateMachine, role: iam.IRole, group: logs.ILogGroup) -> stepfunctions.StateMachine:
        return stepfunctions.StateMachine(
            self,
            machine.name,
            state_machine_name=f"{PREFIX}{machine.name}",
            state_machine_type=stepfunctions.StateMachineType.STANDARD,
            definition_body=stepfunctions.DefinitionBody.from_file(str(machine.path)),
            definition_substitutions=self._substitutions,
            role=role,
            logs=stepfunctions.LogOptions(
                destination=group, level=stepfunctions.LogLevel.ALL, include_execution_data=False
            ),
            tracing_enabled=True,
        )
