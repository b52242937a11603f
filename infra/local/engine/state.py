"""Snapshots of what moto remembers of our services, and of the executions that have ended."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from moto.backends import get_backend
from moto.core.base_backend import BaseBackend
from moto.iam.models import AWSManagedPolicy
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from infra.local.engine.stepfunctions import children_of

# Global services keep their state under the partition's name.
_REGIONAL = ("dynamodb", "ec2", "elbv2", "logs")
_GLOBAL = ("iam", "s3")
_POLICY = "policy of AWS"


class _Execution(Protocol):
    name: str
    exec_arn: str
    execution_input: str
    status: str


class _Machine(Protocol):
    arn: str
    executions: list[_Execution]


@dataclass(frozen=True)
class Unfinished:
    """An execution that runs: what StartExecution is to be told to have it anew."""

    machine_arn: str
    name: str
    text: str


class ExecutionsRunning(RuntimeError):
    """Executions are running: their threads cannot be kept in a snapshot."""


class Snapshot:
    """What moto remembered at one moment; valid in the process that took it."""

    def __init__(self, account: str, region: str) -> None:
        self._account, self._region = account, region
        self._states = dumped(account, region)
        self._executions = {machine.arn: list(machine.executions) for machine in _machines(account, region)}
        _refuse_running(self._executions)

    def restore(self) -> None:
        """Go back to that moment; raises ExecutionsRunning while executions run."""
        _refuse_running({machine.arn: machine.executions for machine in _machines(self._account, self._region)})
        load(self._states, self._account, self._region)
        for machine in _machines(self._account, self._region):
            # The ended ones are never changed again, so they can be shared.
            machine.executions[:] = self._executions.get(machine.arn, [])


def dumped(account: str, region: str) -> dict[str, bytes]:
    """Give the state of each service but Step Functions, the ledger's first: what is newer in the others is found."""
    return {name: _dump(backend) for name, backend in _backends(account, region)}


def load(states: Mapping[str, bytes], account: str, region: str) -> None:
    """Put the services back to what `dumped` gave, in this process or an earlier one of the same code."""
    for name, backend in _backends(account, region):
        state = _Unpickler(io.BytesIO(states[name])).load()
        if name == "s3":
            # Its objects keep their bytes in temporary files, which a reset closes.
            backend.reset()
        vars(backend).clear()
        vars(backend).update(state)
        if name == "s3":
            owners = dict.fromkeys(vars(backend)["buckets"], ("aws", account))
            import_module("moto.s3.models").s3_backends.bucket_accounts.update(owners)


def unfinished(account: str, region: str) -> tuple[Unfinished, ...]:
    """List the executions that run and that nobody but a caller has started: parents start their children anew."""
    running = [
        (machine.arn, each)
        for machine in _machines(account, region)
        for each in [*machine.executions]
        if each.status == "RUNNING"
    ]
    children = {arn for _, each in running for arn in children_of(each)}
    return tuple(
        Unfinished(machine, each.name, each.execution_input)
        for machine, each in running
        if each.exec_arn not in children
    )


def _backends(account: str, region: str) -> Iterator[tuple[str, BaseBackend]]:
    for name in _REGIONAL:
        yield name, _backend(name, account, region)
    for name in _GLOBAL:
        yield name, _backend(name, account, "aws")


def _backend(service: str, account: str, region: str) -> BaseBackend:
    found: BaseBackend = get_backend(service)[account][region]  # type: ignore[call-overload]  # moto types it by literal
    return found


def _machines(account: str, region: str) -> list[_Machine]:
    return cast("list[_Machine]", stepfunctions_parser_backends[account][region].state_machines)


def _refuse_running(executions: dict[str, list[_Execution]]) -> None:
    running = [each for listed in executions.values() for each in listed if each.status == "RUNNING"]
    if running:
        raise ExecutionsRunning(f"{len(running)} executions are running; wait until they have ended")


def _dump(backend: BaseBackend) -> bytes:
    target = io.BytesIO()
    _Pickler(target, pickle.HIGHEST_PROTOCOL).dump(dict(vars(backend)))
    return target.getvalue()


# AWS's own policies never change but for the number of their attachments, and there are more than a thousand.
_policies: dict[str, AWSManagedPolicy] = {}


class _Pickler(pickle.Pickler):
    """Keeps backends as names, since objects must find the living one again, and AWS's policies as theirs."""

    def persistent_id(self, obj: object) -> tuple[str, str, str | int] | None:
        if isinstance(obj, BaseBackend):
            return type(obj).__module__.split(".")[1], obj.account_id, obj.region_name
        if isinstance(obj, AWSManagedPolicy):
            _policies[obj.arn] = obj
            return _POLICY, obj.arn, obj.attachment_count
        return None


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO) -> None:
        super().__init__(source)
        # Read before the state takes their place: a new process has not dumped any yet.
        self._living = _aws_policies()

    def persistent_load(self, pid: tuple[str, str, str | int]) -> object:
        kind, name, rest = pid
        if kind != _POLICY:
            return _backend(kind, name, str(rest))
        policy = _policies.get(name) or self._living[name]
        policy.attachment_count = int(rest)
        return policy


def _aws_policies() -> dict[str, AWSManagedPolicy]:
    living = [backend for accounts in get_backend("iam").values() for backend in accounts.values()]
    return {
        arn: policy
        for backend in living
        for arn, policy in backend.managed_policies.items()
        if isinstance(policy, AWSManagedPolicy)
    }
