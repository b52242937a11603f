"""The frozen release in this folder, and its machines in place of today's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from pydantic import BaseModel, ConfigDict, JsonValue
from types_boto3_dynamodb.type_defs import AttributeValueTypeDef

from infra.local.host import LocalHost
from infra.release import definition, substitutions

FOLDER: Final = Path(__file__).parent
MACHINES: Final = "statemachines"
SUFFIX: Final = ".asl.json"
Item = dict[str, AttributeValueTypeDef]


class Payload(BaseModel):
    """An event that a state machine sent to a function."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str
    event: dict[str, JsonValue]


@dataclass(frozen=True)
class Frozen:
    """One release as it was frozen."""

    folder: Path

    def definitions(self) -> dict[str, str]:
        """Give the text of each state machine by its name, with its placeholders."""
        paths = sorted((self.folder / MACHINES).glob(f"*{SUFFIX}"))
        return {path.name.removesuffix(SUFFIX): path.read_text(encoding="utf-8") for path in paths}

    def records(self, name: str) -> dict[str, list[Item]]:
        """Give the items of each table as DynamoDB stored them: of a cluster that is `finished`, or `midway`."""
        found: object = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        return cast("dict[str, list[Item]]", found)

    def payloads(self) -> list[Payload]:
        """Give what the machines sent to functions, one of each kind."""
        found = json.loads((self.folder / "payloads.json").read_text(encoding="utf-8"))
        return [Payload.model_validate(each) for each in found]


def last() -> Frozen:
    """Give the one release that is kept; raises ValueError when there are none or several."""
    [folder] = [path for path in FOLDER.iterdir() if (path / MACHINES).is_dir()]
    return Frozen(folder)


@contextmanager
def in_place(host: LocalHost, frozen: Frozen) -> Iterator[None]:
    """Let new executions run the frozen definitions while a block runs, as those begun before an upgrade do."""
    client, values = host.client("stepfunctions"), substitutions(host.deployed.environment)
    arns = {name: f"{host.deployed.state_machine_prefix}{name}" for name in frozen.definitions()}
    todays = {arn: client.describe_state_machine(stateMachineArn=arn)["definition"] for arn in arns.values()}
    for name, text in frozen.definitions().items():
        client.update_state_machine(stateMachineArn=arns[name], definition=definition(text, values))
    try:
        yield
    finally:
        for arn, text in todays.items():
            client.update_state_machine(stateMachineArn=arn, definition=text)
