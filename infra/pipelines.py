"""Writes the state machine of each pipeline: `python -m infra.pipelines [--check]`.

A machine is static: one Map per phase over the stages that the ledger names. They differ in their phases only, so one
template beside this module makes them all.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from functions.core.phases import PIPELINES
from infra import generated
from infra.shapes import STATE_MACHINES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from functions.core.phases import Pipeline

_TEMPLATE: Final = Path(__file__).with_name("pipeline.asl.template")
_CLOSE: Final = "Close operation"
_NAMES: Final = {"hyperpod": "HyperPod"}


def text(pipeline: Pipeline) -> str:
    """Write the machine of a pipeline in Amazon States Language."""
    head, _, rest = _TEMPLATE.read_text(encoding="utf-8").partition("@phases@\n")
    phase, _, tail = rest.partition("@end of phases@\n")
    states = [_state(name) for name in pipeline.phases]
    following = [*states[1:], _CLOSE]
    blocks = [
        _filled(phase, phase=name, words=name.replace("_", " "), state=state, next=after)
        for name, state, after in zip(pipeline.phases, states, following, strict=True)
    ]
    return _filled(head, comment=pipeline.comment, first=states[0]) + "".join(blocks) + tail


def _state(phase: str) -> str:
    return _NAMES.get(phase, phase.replace("_", " ").capitalize())


def _filled(template: str, **values: str) -> str:
    for name, value in values.items():
        template = template.replace(f"@{name}@", value)
    return template


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the machines, or name those whose files are stale."""
    return generated.main("pipelines", _made, __doc__, arguments)


def _made() -> dict[Path, str]:
    return {STATE_MACHINES / f"{pipeline.kind}.asl.json": text(pipeline) for pipeline in PIPELINES}


if __name__ == "__main__":
    sys.exit(main())
