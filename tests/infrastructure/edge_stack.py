"""The edge alone in a stack: a function that answers nothing stands for each of the topology's."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

# jsii looks for Node at its import, and takes the first it finds otherwise.
os.environ.setdefault("JSII_NODE", str(Path(sys.executable).parent / "node"))

from aws_cdk import App, Aws, Stack  # noqa: E402
from aws_cdk import aws_lambda as lambda_  # noqa: E402
from aws_cdk.assertions import Template  # noqa: E402

from infra.host.context import Context  # noqa: E402
from infra.host.edge import Edge  # noqa: E402
from infra.release import Place, Release  # noqa: E402
from infra.topology import TOPOLOGY, Topology  # noqa: E402

if TYPE_CHECKING:
    from pydantic import JsonValue

Resource = Mapping[str, "JsonValue"]
PLACE: Final = Place(Aws.ACCOUNT_ID, Aws.REGION, Aws.PARTITION, Aws.URL_SUFFIX)


@cache
def template(context: Context | None = None, topology: Topology | None = None) -> dict[str, JsonValue]:
    """Synthesise the stack of a context and a topology, by default the plain ones."""
    stack = Stack(App(), "Edge")
    wanted = topology or TOPOLOGY
    functions = {each.name: _function(stack, each.name) for each in wanted.functions}
    Edge(
        stack,
        "Edge",
        topology=wanted,
        functions=functions,
        context=context or Context(),
        place=PLACE,
        release=Release("r1", ()),
    )
    return dict(Template.from_stack(stack).to_json())


def _function(stack: Stack, name: str) -> lambda_.Function:
    return lambda_.Function(
        stack,
        name,
        function_name=name,
        code=lambda_.InlineCode("def handler(event, context): ..."),
        handler="index.handler",
        runtime=lambda_.Runtime.PYTHON_3_13,
    )
