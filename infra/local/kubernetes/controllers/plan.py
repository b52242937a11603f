"""The course one run of a container takes, worked out from its behaviour and probes when it starts."""

from __future__ import annotations

from dataclasses import dataclass

from infra.local.kubernetes.controllers.behaviours import Behaviour
from infra.local.kubernetes.controllers.times import earliest_number
from infra.local.kubernetes.documents import JsonObject, integer, mapping

KILLED = 137
_FAILURES = {
    "httpGet": "HTTP probe failed with statuscode: 503",
    "tcpSocket": "dial tcp: connect: connection refused",
    "grpc": 'service unhealthy (responded with "NOT_SERVING")',
    "exec": "command exited with a failure",
}


@dataclass(frozen=True)
class Plan:
    """Seconds from the start of a run at which something about it changes; None: never."""

    started_after: int | None
    ready_after: int | None
    unready_after: int | None
    ends_after: int | None
    exit_code: int
    killed_by: str = ""
    unhealthy: tuple[tuple[int, str], ...] = ()

    def changes(self) -> list[int]:
        """Every moment at which the run's status changes."""
        moments = (self.started_after, self.ready_after, self.unready_after, self.ends_after)
        return [moment for moment in (*moments, *(after for after, _ in self.unhealthy)) if moment is not None]

    def is_started(self, elapsed: float) -> bool:
        """Whether the startup probe has succeeded."""
        return self.started_after is not None and self.started_after <= elapsed

    def is_ready(self, elapsed: float) -> bool:
        """Whether the readiness probe succeeds."""
        ready = self.ready_after is not None and self.ready_after <= elapsed
        return ready and not (self.unready_after is not None and self.unready_after <= elapsed)


@dataclass(frozen=True)
class _Probe:
    """One probe's settings, with what the API server would default."""

    kind: str
    delay: int
    period: int
    failures: int
    successes: int
    wording: str

    @classmethod
    def of(cls, container: JsonObject, kind: str) -> _Probe | None:
        """A container's probe of a kind, None when it has none."""
        written = mapping(container, f"{kind.lower()}Probe")
        if not written:
            return None
        wording = next((said for action, said in _FAILURES.items() if action in written), _FAILURES["exec"])
        return cls(
            kind=kind,
            delay=integer(written, "initialDelaySeconds"),
            period=integer(written, "periodSeconds") or 10,
            failures=integer(written, "failureThreshold") or 3,
            successes=integer(written, "successThreshold") or 1,
            wording=wording,
        )

    def tick(self, base: int, moment: int) -> int:
        """The first probe at or after a moment, the probes starting at `base`."""
        return base if moment <= base else base + -(-(moment - base) // self.period) * self.period

    def gives_up(self, base: int, until: int) -> int | None:
        """When this many failures in a row are reached, if the probes fail from `base` until a moment."""
        last = base + (self.failures - 1) * self.period
        return last if last < until else None

    def complaint(self) -> str:
        """How the kubelet reports a failure."""
        return f"{self.kind} probe failed: {self.wording}"


def plan_of(container: JsonObject, behaviour: Behaviour) -> Plan:
    """Work out the course of a run."""
    unhealthy: list[tuple[int, str]] = []
    started, startup_kill = _startup(_Probe.of(container, "Startup"), behaviour, unhealthy)
    ready, unready = _readiness(_Probe.of(container, "Readiness"), behaviour, started, unhealthy)
    liveness_kill = _liveness(_Probe.of(container, "Liveness"), behaviour, started, unhealthy)
    kill = earliest_number(startup_kill, liveness_kill)
    ends = earliest_number(behaviour.run_seconds, kill)
    if kill is None or ends != kill:
        return Plan(started, ready, unready, ends, behaviour.exit_code, "", tuple(unhealthy))
    by = "startup" if kill == startup_kill else "liveness"
    return Plan(started, ready, unready, kill, KILLED, by, tuple(unhealthy))


def _startup(
    probe: _Probe | None, behaviour: Behaviour, unhealthy: list[tuple[int, str]]
) -> tuple[int | None, int | None]:  # fmt: skip
    if probe is None:
        return 0, None
    success = probe.tick(probe.delay, behaviour.ready_after)
    if success > probe.delay:
        unhealthy.append((probe.delay, probe.complaint()))
    killed = probe.gives_up(probe.delay, success)
    return (None, killed) if killed is not None else (success, None)


def _readiness(
    probe: _Probe | None, behaviour: Behaviour, started: int | None, unhealthy: list[tuple[int, str]]
) -> tuple[int | None, int | None]:  # fmt: skip
    if started is None or probe is None:
        return started, None
    base = max(probe.delay, started)
    success = probe.tick(base, behaviour.ready_after)
    if success > base:
        unhealthy.append((base, probe.complaint()))
    ready = success + (probe.successes - 1) * probe.period
    if behaviour.fails_after is None:
        return ready, None
    failing = probe.tick(base, behaviour.fails_after)
    unhealthy.append((failing, probe.complaint()))
    return ready, failing + (probe.failures - 1) * probe.period


def _liveness(
    probe: _Probe | None, behaviour: Behaviour, started: int | None, unhealthy: list[tuple[int, str]]
) -> int | None:  # fmt: skip
    if started is None or probe is None:
        return None
    base = max(probe.delay, started)
    success = probe.tick(base, behaviour.ready_after)
    if success > base:
        unhealthy.append((base, probe.complaint()))
    killed = probe.gives_up(base, success)
    if killed is None and behaviour.fails_after is not None:
        failing = probe.tick(base, behaviour.fails_after)
        unhealthy.append((failing, probe.complaint()))
        killed = failing + (probe.failures - 1) * probe.period
    return killed
