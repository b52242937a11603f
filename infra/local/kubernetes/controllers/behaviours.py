"""What containers do here, where nothing really runs: a table of scripts keyed by image and command.

Later rules win over earlier ones, and a pod's annotations win over every rule:
`simulator.instantstart/exit-code`, `run-seconds`, `ready-after`, `fails-after`, `pull-error` and `logs` (one line per
line). Without a rule a container of a Job, or of a pod that is not restarted, exits 0 after 5 seconds; every other
one runs for ever and is ready at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from infra.local.kubernetes.documents import JsonObject, objects, string_map, strings, text

ANNOTATION = "simulator.instantstart/"
_REFERENCE = re.compile(
    r"(?:[\w.-]+(?::\d+)?/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


@dataclass(frozen=True)
class Behaviour:
    """What one run of a container does; seconds count from its start."""

    run_seconds: int | None = None
    """When it exits by itself; None: never."""
    exit_code: int = 0
    reason: str = ""
    """Why it ended, when not by its exit code alone: `OOMKilled`."""
    message: str = ""
    ready_after: int = 0
    """From when on its probes succeed."""
    fails_after: int | None = None
    """From when on its probes fail again."""
    pull_seconds: int = 2
    pull_error: str = ""
    """Why its image cannot be pulled."""
    stop_seconds: int = 1
    """How long it takes to end when asked to."""
    logs: tuple[tuple[int, str], ...] = ()
    """What it prints: seconds and a line each."""
    serves: Mapping[str, str] | None = None
    """What it answers over HTTP, by path; None: it does not listen."""


@dataclass(frozen=True)
class Scene:
    """A container about to run, and where."""

    pod: JsonObject
    container: JsonObject
    node: JsonObject
    restarts: int = 0
    init: bool = False

    @property
    def image(self) -> str:
        """The container's image."""
        return text(self.container, "image")

    @property
    def command(self) -> str:
        """The container's command line."""
        return " ".join([*strings(self.container, "command"), *strings(self.container, "args")])


Script = Callable[[Scene, Behaviour], Behaviour]
"""Changes the behaviour a container would have otherwise."""


@dataclass(frozen=True)
class Rule:
    """A script for the containers whose image and command contain these patterns."""

    script: Script
    image: str = ""
    command: str = ""

    def fits(self, scene: Scene) -> bool:
        """Whether the rule is about this container."""
        return bool(re.search(self.image, scene.image) and re.search(self.command, scene.command, re.DOTALL))


class Behaviours:
    """The rules of one cluster."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self._rules = list(rules)

    def add(self, rule: Rule) -> None:
        """Let a rule decide before the ones there are."""
        self._rules.append(rule)

    def of(self, scene: Scene) -> Behaviour:
        """What a container will do."""
        behaviour = _usual(scene)
        for rule in self._rules:
            if rule.fits(scene):
                behaviour = rule.script(scene, behaviour)
        behaviour = _annotated(scene, behaviour)
        if not behaviour.pull_error and not _REFERENCE.fullmatch(scene.image):
            return replace(behaviour, pull_error="invalid reference format")
        return behaviour


def always(behaviour: Behaviour) -> Script:
    """A script that has one behaviour, whatever the scene."""
    return lambda scene, usual: behaviour


def of_shell(scene: Scene, usual: Behaviour) -> Behaviour:
    """Read `sleep`, `echo`, `exit`, `true` and `false` of a small shell script."""
    logs: list[tuple[int, str]] = []
    seconds, known = 0, False
    for step in re.split(r"\s*(?:;|&&|\n)\s*", re.sub(r"^(?:\S*/)?(?:ba|a)?sh\s+-\w*c\s+", "", scene.command.strip())):
        word, _, rest = step.strip().partition(" ")
        if word == "sleep":
            if not rest.isdigit():
                return replace(usual, run_seconds=None, logs=tuple(logs))
            seconds += int(rest)
        elif word == "echo":
            logs.append((seconds, rest.strip("\"'")))
        elif word in ("exit", "false"):
            code = int(rest) if rest.isdigit() else 1
            return replace(usual, run_seconds=seconds, exit_code=code, logs=tuple(logs))
        elif word != "true":
            return usual
        known = True
    return replace(usual, run_seconds=seconds, exit_code=0, logs=tuple(logs)) if known else usual


def _no_efa(scene: Scene, usual: Behaviour) -> Behaviour:
    """The EFA plugin ends at once where the instance has no EFA."""
    if '"vpc.amazonaws.com/efa"' in string_map(scene.node, "metadata", "annotations").get(f"{ANNOTATION}devices", ""):
        return usual
    return replace(usual, run_seconds=1, exit_code=1, logs=((0, "no valid EFA devices found"),))


def default_behaviours() -> Behaviours:
    """The rules every cluster starts with."""
    return Behaviours(
        [
            Rule(of_shell, command=r"^(?:(?:\S*/)?(?:ba|a)?sh\s+-\w*c\s|(?:\S*/)?(?:sleep|echo|true|false)\b)"),
            Rule(_no_efa, image=r"aws-efa-k8s-device-plugin"),
        ]
    )


def _usual(scene: Scene) -> Behaviour:
    if scene.init:
        return Behaviour(run_seconds=None if text(scene.container, "restartPolicy") == "Always" else 1)
    owners = [text(owner, "kind") for owner in objects(scene.pod, "metadata", "ownerReferences")]
    once = "Job" in owners or text(scene.pod, "spec", "restartPolicy") in ("Never", "OnFailure")
    return Behaviour(run_seconds=5 if once else None)


def _annotated(scene: Scene, behaviour: Behaviour) -> Behaviour:
    said = string_map(scene.pod, "metadata", "annotations")
    steered = {key.removeprefix(ANNOTATION): value for key, value in said.items() if key.startswith(ANNOTATION)}
    if not steered or scene.init:
        return behaviour
    if "exit-code" in steered:
        usual = 5 if behaviour.run_seconds is None else behaviour.run_seconds
        behaviour = replace(behaviour, exit_code=_number(steered["exit-code"]), run_seconds=usual)
    if "run-seconds" in steered:
        forever = steered["run-seconds"] == "forever"
        behaviour = replace(behaviour, run_seconds=None if forever else _number(steered["run-seconds"]))
    if "ready-after" in steered:
        behaviour = replace(behaviour, ready_after=_number(steered["ready-after"]))
    if "fails-after" in steered:
        behaviour = replace(behaviour, fails_after=_number(steered["fails-after"]))
    if "logs" in steered:
        behaviour = replace(behaviour, logs=tuple((0, line) for line in steered["logs"].splitlines()))
    return replace(behaviour, pull_error=steered.get("pull-error", behaviour.pull_error))


def _number(written: str) -> int:
    return int(written) if written.isdigit() else 0
