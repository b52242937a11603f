"""How the demo tells what happens: requests to the API, operations followed stage by stage, lines on the terminal."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

Json = dict[str, Any]

ENDED: Final = ("SUCCEEDED", "FAILED", "CANCELLED")
_STAGE_ENDED: Final = (*ENDED, "SKIPPED")
_CAPACITY: Final = {"on_demand": "On-Demand", "spot": "Spot", "training_plan": "training plan"}
_LOOK_AGAIN_SECONDS: Final = 0.1
_ROW: Final = "  {:>5}  {:>8}  {:<44}  {}"


def say(text: str) -> None:
    """Write to the terminal at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def create(api: str, request: Json) -> Json:
    """Ask for a cluster and tell each stage as it ends; give the operation as it ended."""
    return run(api, "/api/clusters", request)


def previewed(api: str, method: str, path: str, request: Json | None = None) -> Json:
    """Ask what a request would change, and tell it; give the preview."""
    say(f"{method} {path}?dry_run=true\n")
    preview: Json = send(f"{api}{path}?dry_run=true", request, method=method)["preview"]
    tell_changes(preview)
    return preview


def tell_changes(preview: Json) -> None:
    """Write the changes of a preview, a line each, and what they cost."""
    for change in preview["changes"]:
        price = change.get("cost")
        cost = f"  {price['per_hour']:.2f} {price['currency']} an hour" if price else ""
        final = "  for good" if change["irreversible"] else ""
        say(f"  {change['action']:<6}  {change['resource']:<26}  {change['name']}{cost}{final}")
    if total := preview.get("cost"):
        say(f"  {total['per_hour']:.2f} {total['currency']} an hour in all, by the prices of {total['as_of']}")


def read(api: str, path: str) -> Json:
    """Read something that is there."""
    return send(f"{api}{path}")


def run(api: str, path: str, request: Json | None = None, *, method: str = "POST") -> Json:
    """Begin an operation and tell each stage as it ends; give the operation as it ended."""
    body = f" {json.dumps(request)}" if request is not None else ""
    say(f"{method} {path}{body}\n")
    accepted = send(f"{api}{path}", request, method=method)
    say(f"202 Accepted: operation {accepted['operation_id']}")
    for finding in accepted["findings"]:
        say(f"  {finding['level']}: {finding['message']}")
    say("\n" + _ROW.format("start", "duration", "stage", "message"))
    operation, told = accepted, 0
    for operation in _followed(f"{api}/api/operations/{accepted['operation_id']}"):
        ended = [stage for stage in operation["stages"] if stage["status"] in _STAGE_ENDED]
        for stage in ended[told:]:
            say(_line(stage, moment(operation["created_at"])))
        told = len(ended)
    return operation


def refused(api: str, request: Json, path: str = "/api/clusters") -> Json:
    """Ask for what cannot be, and give the problem that says why."""
    say(f"POST {path} {json.dumps(request)}\n")
    try:
        accepted = send(f"{api}{path}", request)
    except HTTPError as answer:
        problem: Json = json.loads(answer.read())
        return problem
    raise AssertionError(f"the request was accepted as {accepted['operation_id']}")


def _followed(url: str) -> Iterator[Json]:
    """Look again and again; a `?wait=20` would halt the jumping clock at each of its own looks and take longer."""
    while True:
        operation = send(url)
        yield operation
        if operation["status"] in ENDED:
            return
        time.sleep(_LOOK_AGAIN_SECONDS)


def send(url: str, body: Json | None = None, *, method: str | None = None) -> Json:
    """Send one request and give the parsed answer; raises HTTPError."""
    content = None if body is None else json.dumps(body).encode()
    request = Request(url, content, {"content-type": "application/json"}, method=method)
    with urlopen(request, timeout=60) as answer:
        parsed: Json = json.load(answer)
        return parsed


def _line(stage: Json, since: datetime) -> str:
    start, end = moment(stage["started_at"]), moment(stage["finished_at"])
    failed = "" if stage["status"] == "SUCCEEDED" else f"{stage['status']} "
    words = failed + (stage["message"] or "")
    return _ROW.format(span(start - since), span(end - start), stage["title"], words).rstrip()


def summary(result: Json) -> str:
    """Write the result of a creation as a table."""
    groups = [
        f"{group['count']}x {group['instance_type']} ({_CAPACITY[group['capacity_type']]})" for group in result["nodes"]
    ]
    storage = result["storage"]
    rows = {
        "EKS cluster": result["eks_cluster"]["name"],
        "HyperPod cluster": result["hyperpod_cluster"]["name"],
        "Node": ", ".join(groups),
        "Node status": result["node_status"],
        "S3 storage": f"{storage['claim']} {'mounted' if storage['probed'] else storage['status']}",
    }
    width = max(len(value) for value in rows.values())
    rule = f"+{'-' * 18}+{'-' * (width + 2)}+"
    return "\n".join(["", rule, *(f"| {name:<16} | {value:<{width}} |" for name, value in rows.items()), rule])


def failure(operation: Json) -> str:
    """Write why an operation failed."""
    error = operation["error"] or {}
    return f"{error.get('code', operation['status'])}: {error.get('detail', '')}\n{error.get('remedy') or ''}"


def simulated(operation: Json) -> str:
    """Write how long an operation took in simulated time."""
    return span(moment(operation["finished_at"]) - moment(operation["created_at"]))


def moment(text: str) -> datetime:
    """Read an instant."""
    return datetime.fromisoformat(text)


def span(elapsed: timedelta) -> str:
    """Write a length of time in minutes and seconds."""
    minutes, seconds = divmod(round(elapsed.total_seconds()), 60)
    return f"{minutes}:{seconds:02}"


def last_words(log: Path) -> str:
    """Give the end of the functions' log, for whoever wonders what went wrong."""
    last = log.read_text(encoding="utf-8").splitlines()[-10:]
    return "\n".join(["The functions' last words:", *last])
