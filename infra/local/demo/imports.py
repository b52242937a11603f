"""A cluster that others made: refused as it is, taken in with consent, tried, and forgotten; AWS keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.demo.foreign import Maker
from infra.local.demo.telling import Json, failure, refused, run, say, send

if TYPE_CHECKING:
    from infra.local.doors import Doors
    from infra.local.host import LocalHost

NAME: Final = "legacy-1"
_BLOCK: Final = 60
_PATH: Final = "/api/clusters/import"
_CONSENTS: Final = {"move_authentication_mode": True, "create_access_entry": True}


def play(host: LocalHost, opened: Doors) -> Json:
    """Import the cluster and forget it again; give the import as it ended."""
    say(f"\n\nSomebody makes the EKS cluster {NAME} with the AWS CLI, and nobody tells the control plane.\n")
    Maker(host).cluster(NAME, _BLOCK, mode="CONFIG_MAP")
    problem = refused(opened.api, {"eks_cluster_name": NAME}, _PATH)
    say(f"{problem['status']} {problem['title']} ({problem['cause']['code']}): {problem['detail']}")
    say(f"  {problem['remedy']}\n\nWith its owner's consent:\n")
    operation = run(opened.api, _PATH, {"eks_cluster_name": NAME, "consents": _CONSENTS})
    if operation["status"] != "SUCCEEDED":
        say(f"\n{failure(operation)}")
        return operation
    _tell(operation["result"])
    report = send(f"{opened.api}/api/clusters/{NAME}/connection")
    steps = [f"{check['name']} {check['outcome']}" for check in report["checks"]]
    say(f"\nGET /api/clusters/{NAME}/connection: {', '.join(steps)}\n")
    forgotten = run(opened.api, f"/api/clusters/{NAME}/forget", {"remove_access_entries": True})
    say(f"\n{NAME} is forgotten; EKS lists {', '.join(host.client('eks').list_clusters()['clusters'])}")
    return operation if forgotten["status"] == "SUCCEEDED" else forgotten


def _tell(result: Json) -> None:
    say("")
    for kind, status in sorted(result["conditions"].items()):
        say(f"  {kind:<20} {status}")
    for finding in result["findings"]:
        say(f"  {finding['level']}: {finding['message']}")
