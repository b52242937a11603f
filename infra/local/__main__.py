"""`python -m infra.local`: the whole control plane on this machine, in real time times a speed."""

from __future__ import annotations

import argparse
import json
import logging
import signal
import sys
import threading
from pathlib import Path

from infra.local.clock import Mode
from infra.local.host import LocalHost, Options
from infra.local.listener import Listener, application
from infra.local.messages import HttpRequest, HttpResponse


def main(arguments: list[str] | None = None) -> int:
    """Serve until interrupted; give the exit status."""
    wanted = _parse(arguments)
    directory: Path = wanted.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    log = _log_to(directory / "functions.log")
    host = LocalHost(
        Options(directory, Mode.RUN, wanted.speed, wanted.region, kubernetes_port=_offset(wanted.port, 2))
    )
    listeners = [
        Listener(application(host.handle), wanted.port),
        Listener(application(lambda request, _: _aws(host, request)), _offset(wanted.port, 1)),
    ]
    for listener in listeners:
        listener.start()
    host.functions.load()
    endpoints = _endpoints(host, listeners, directory, wanted.speed)
    (directory / "endpoints.json").write_text(json.dumps(endpoints, indent=2) + "\n", encoding="utf-8")
    _announce(endpoints, log)
    _wait_for_interrupt()
    for listener in listeners:
        listener.stop()
    host.close()
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.local", description=__doc__)
    parser.add_argument("--port", type=int, default=3099, help="port of the API; the next two serve AWS and Kubernetes")
    parser.add_argument("--speed", type=float, default=60.0, help="simulated seconds per second")
    parser.add_argument("--region", default="us-west-2")
    parser.add_argument("--directory", type=Path, default=Path(".local"))
    return parser.parse_args(arguments)


def _offset(port: int, offset: int) -> int:
    return port + offset if port else 0


def _log_to(path: Path) -> Path:
    """Send the functions' structured logs to a file; the terminal is for the person at it."""
    handler = logging.FileHandler(path, mode="w", encoding="utf-8")
    logging.getLogger("functions").addHandler(handler)
    return path


def _aws(host: LocalHost, request: HttpRequest) -> HttpResponse:
    return host.endpoint.handle(request)


def _endpoints(host: LocalHost, listeners: list[Listener], directory: Path, speed: float) -> dict[str, object]:
    public, aws = (listener.port for listener in listeners)
    return {
        "api": f"http://localhost:{public}/api",
        "mcp": f"http://localhost:{public}/mcp",
        "ws": f"ws://localhost:{public}/ws",
        "aws": f"http://localhost:{aws}",
        "kubeconfig": str(host.access.kubeconfig.path),
        "region": host.options.region,
        "speed": speed,
        "log": str(directory / "functions.log"),
    }


def _announce(endpoints: dict[str, object], log: Path) -> None:
    sys.stdout.write(
        f"""HyperPod InstantStart Serverless serves on this machine; time runs {endpoints["speed"]:g} times as fast.

  API         {endpoints["api"]}
  AWS         export AWS_ENDPOINT_URL={endpoints["aws"]} AWS_REGION={endpoints["region"]}
              export AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local
  Kubernetes  kubectl --kubeconfig {endpoints["kubeconfig"]} get nodes,pods,pvc -A
  Logs        {log}

Press Ctrl-C to stop; everything is simulated and forgotten then.
"""
    )
    sys.stdout.flush()


def _wait_for_interrupt() -> None:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    stopped.wait()


if __name__ == "__main__":
    sys.exit(main())
