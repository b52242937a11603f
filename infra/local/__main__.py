"""`python -m infra.local`: the whole control plane on this machine, in real time times a speed."""

from __future__ import annotations

import argparse
import gc
import json
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from textwrap import indent
from typing import TextIO

from infra.host.context import Context
from infra.host.pages import BUILD
from infra.local import doors, kept
from infra.local.clock import Mode
from infra.local.doors import Doors
from infra.local.front import Auth
from infra.local.host import LocalHost, Options
from infra.local.images import HostImage
from infra.local.keeper import keeping
from infra.local.kept import OtherVersion
from infra.local.logs import functions_log_to
from infra.local.sign_in import clients, users
from infra.local.simulators.sns import Message

PORTS = 4
"""The API, the AWS endpoint, the clusters and the gateway's own door have one each, in a row."""


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted; give the exit status."""
    wanted = _parse(arguments)
    if (taken := _taken_port(wanted.port)) is not None:
        sys.stderr.write(f"Port {taken} is in use: stop what serves there, or choose others with make run PORT=4099.\n")
        return 1
    directory: Path = wanted.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    if (wrong := _wrong_users(wanted.auth, directory)) is not None:
        sys.stderr.write(wrong)
        return 1
    stopped, terminal = _interrupt(), sys.stdout
    kubernetes_port = wanted.port and wanted.port + 2
    with functions_log_to(directory) as log:
        image = None if wanted.fresh else kept_for(directory, wanted.region)
        options = Options(
            directory,
            Mode.RUN,
            wanted.speed,
            wanted.region,
            kubernetes_port=kubernetes_port,
            auth=wanted.auth,
            agent_roles=wanted.agent_roles,
            console=BUILD,
        )
        with (
            closing(_host(options, image)) as host,
            keeping(host, directory),
            doors.opened(host, wanted.port) as opened,
            _written(_endpoints(host, opened, log), directory / "endpoints.json") as endpoints,
        ):
            host.world.topics.on_message = partial(_tell, terminal)
            _announce(endpoints)
            stopped.wait()
    gc.freeze()  # else the interpreter spends seconds on collecting what ends with it anyway
    return 0


def _tell(terminal: TextIO, message: Message) -> None:
    """Show what a topic was told, as those who subscribed would read it; a function's own words go to its log."""
    terminal.write(f"\n[{message.at:%Y-%m-%d %H:%M} simulated] {message.subject}\n{indent(message.text, '  ')}")
    terminal.flush()


def kept_for(directory: Path, region: str) -> HostImage | None:
    """Read what an earlier run left, or say why this one starts empty."""
    try:
        image = kept.read(directory)
        if image is not None and image.region != region:
            raise OtherVersion(f"it is of region {image.region}")
    except OtherVersion as reason:
        sys.stdout.write(f"Starting empty: {directory / kept.NAME} is not used, because {reason}.\n")
        return None
    return image


def _host(options: Options, image: HostImage | None) -> LocalHost:
    """Make a host, or the one that was kept: at its time, with its secrets, and its executions begun anew."""
    if image is None:
        host = LocalHost(options)
        host.functions.load()
        return host
    start = datetime.fromtimestamp(image.time, UTC)
    known = replace(options, start=start, person_token=image.person_token, page_token_key=image.page_token_key)
    host = LocalHost(known)
    host.functions.load()
    host.resume(image)
    names = ", ".join(each.name for each in image.unfinished)
    sys.stdout.write(
        f"Going on from {start:%Y-%m-%d %H:%M} simulated time{f'; begun anew: {names}' if names else ''}.\n"
    )
    return host


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.local", description=__doc__)
    parser.add_argument(
        "--port",
        type=_port,
        default=3099,
        help="of the API; the next three serve the rest; 0 takes free ones",
    )
    parser.add_argument("--speed", type=_speed, default=60.0, help="simulated seconds per second")
    parser.add_argument("--region", default="us-west-2")
    parser.add_argument(
        "--auth", type=Auth, choices=list(Auth), default=Auth.LOCAL, help="cognito: people sign in; local: all may all"
    )
    parser.add_argument(
        "--agent-roles",
        type=_agent_roles,
        default={},
        help="who may speak to the gateway with a signature: a JSON object from role ARNs to groups",
    )
    parser.add_argument("--fresh", action="store_true", help="start empty instead of where the last run ended")
    parser.add_argument(
        "--directory", type=Path, default=Path(".local"), help="for addresses, kubeconfig, logs and state"
    )
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65536 - PORTS:
        raise argparse.ArgumentTypeError(f"{port} is no port that three more follow")
    return port


def _speed(text: str) -> float:
    speed = float(text)
    if not 0 < speed <= 10_000:
        raise argparse.ArgumentTypeError("time runs more than 0 and at most 10000 times as fast")
    return speed


def _agent_roles(text: str) -> dict[str, str]:
    try:
        return Context.of({"agent_roles": json.loads(text)}).agent_roles
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _taken_port(first: int) -> int | None:
    """Find a port that something else serves; asked before the host is built, which takes seconds."""
    for port in range(first, first + PORTS) if first else ():
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            return port
    return None


def _wrong_users(auth: Auth, directory: Path) -> str | None:
    """Say what is wrong with the file of those who sign in; asked before the host is built, which takes seconds."""
    try:
        _ = auth is Auth.COGNITO and users.kept_in(directory)
    except users.BadUsers as wrong:
        return f"{wrong}\n"
    return None


def _endpoints(host: LocalHost, opened: Doors, log: Path) -> dict[str, object]:
    return {
        "console": opened.api,
        "api": f"{opened.api}/api",
        "mcp": opened.mcp,
        "ws": opened.ws,
        "aws": opened.aws,
        "internal": opened.internal,
        "mcp_signed": opened.mcp_signed,
        "agent_roles": sorted(host.options.agent_roles),
        "kubeconfig": str(host.access.kubeconfig.path),
        "region": host.options.region,
        "speed": host.options.speed,
        "log": str(log),
        "auth": host.options.auth,
    }


@contextmanager
def _written(endpoints: dict[str, object], path: Path) -> Iterator[dict[str, object]]:
    """Keep the addresses in a file for as long as they serve."""
    path.write_text(json.dumps(endpoints, indent=2) + "\n", encoding="utf-8")
    try:
        yield endpoints
    finally:
        path.unlink(missing_ok=True)


def _announce(endpoints: dict[str, object]) -> None:
    sys.stdout.write(
        f"""HyperPod InstantStart Serverless serves on this machine; time runs {endpoints["speed"]:g} times as fast.

  Console     {endpoints["console"]}
  API         {endpoints["api"]}
  Agents      {endpoints["mcp"]}    their configuration from make agents
  WebSocket   {endpoints["ws"]}?ticket=…    the ticket from POST {endpoints["api"]}/tickets
  AWS         export AWS_ENDPOINT_URL={endpoints["aws"]}
              export AWS_REGION={endpoints["region"]} AWS_DEFAULT_REGION={endpoints["region"]}
              export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  Kubernetes  kubectl --kubeconfig {endpoints["kubeconfig"]} get nodes,pods,pvc -A
  Logs        {endpoints["log"]}
{_of_roles(endpoints)}{_of_sign_in(endpoints)}
Press Ctrl-C to stop; `make run` then goes on from there, `make run FRESH=1` starts empty.
"""
    )
    sys.stdout.flush()


def _of_roles(endpoints: dict[str, object]) -> str:
    if not endpoints["agent_roles"]:
        return ""
    return f"  Roles       {endpoints['mcp_signed']}    for agents that sign with one of --agent-roles\n"


def _of_sign_in(endpoints: dict[str, object]) -> str:
    if endpoints["auth"] is not Auth.COGNITO:
        return ""
    kept = Path(str(endpoints["log"])).parent
    return f"""  Sign-in     as anybody in {kept / users.NAME}; machines with the secret in {kept / clients.MACHINE}
"""


def _interrupt() -> threading.Event:
    """Give what is set when a person or the system asks to stop."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


if __name__ == "__main__":
    sys.exit(main())
