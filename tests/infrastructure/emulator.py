"""An emulated AWS in a process of its own, and what a deployment in it answers."""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import boto3
from websockets.sync.client import ClientConnection, connect

from tests.infrastructure.deployment import PLACE, an_object
from tests.infrastructure.outsiders import ENVIRONMENTS

if TYPE_CHECKING:
    from pydantic import JsonValue
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_stepfunctions import SFNClient

_PROGRAM: Final = ENVIRONMENTS / "ministack" / "bin" / "python"
_SECONDS: Final = 180
# Whoever signs with an account's number for a key is that account.
_CREDENTIALS: Final = {"AWS_ACCESS_KEY_ID": PLACE.account, "AWS_SECRET_ACCESS_KEY": "emulated"}


@dataclass(frozen=True)
class Answer:
    """A status and the body, which is an object."""

    status: int
    body: dict[str, JsonValue]


@dataclass(frozen=True)
class Emulator:
    """An emulator that serves."""

    port: int
    scratch: Path

    @property
    def url(self) -> str:
        """Say where all its services are."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """Give what leads programs here, and past whatever this machine's user has of AWS."""
        nothing = str(self.scratch / "none")
        return {
            **_CREDENTIALS,
            "AWS_REGION": PLACE.region,
            "AWS_DEFAULT_REGION": PLACE.region,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_CONFIG_FILE": nothing,
            "AWS_SHARED_CREDENTIALS_FILE": nothing,
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_HOME": str(self.scratch / "cdk"),
            "CI": "true",
        }

    def cloudformation(self) -> CloudFormationClient:
        """Give a client of CloudFormation."""
        return self._session().client("cloudformation", endpoint_url=self.url)

    def step_functions(self) -> SFNClient:
        """Give a client of Step Functions."""
        return self._session().client("stepfunctions", endpoint_url=self.url)

    def objects(self, bucket: str) -> set[str]:
        """List the keys in a bucket."""
        s3 = self._session().client("s3", endpoint_url=self.url)
        return {each["Key"] for each in s3.list_objects_v2(Bucket=bucket).get("Contents", [])}

    def secret_of(self, pool: str, client: str) -> str:
        """Give the secret of a client of a user pool."""
        cognito = self._session().client("cognito-idp", endpoint_url=self.url)
        return str(
            cognito.describe_user_pool_client(UserPoolId=pool, ClientId=client)["UserPoolClient"]["ClientSecret"]
        )

    def send(self, method: str, host: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        """Send a request to what has a host of its own."""
        request = Request(f"{self.url}{path}", body, {**headers, "Host": host}, method=method)
        try:
            with urlopen(request, timeout=_SECONDS) as answer:
                return Answer(answer.status, an_object(json.load(answer)))
        except HTTPError as refused:
            with refused:
                return Answer(refused.code, an_object(json.load(refused)))

    def connect(self, host: str, path: str) -> ClientConnection:
        """Open a WebSocket to what has a host of its own."""
        opened = socket.create_connection(("127.0.0.1", self.port), timeout=_SECONDS)
        return connect(f"ws://{host}{path}", sock=opened, open_timeout=_SECONDS)

    def _session(self) -> boto3.Session:
        return boto3.Session(PLACE.account, "emulated", region_name=PLACE.region)


@dataclass(frozen=True)
class Deployed:
    """Our stack in an emulator: the ids of its APIs by their names in the template, and its outputs."""

    emulator: Emulator
    apis: Mapping[str, str]
    outputs: Mapping[str, str]

    def host(self, api: str) -> str:
        """Name the host of an API by how its name in the template begins."""
        (found,) = [each for name, each in self.apis.items() if name.startswith(api)]
        return f"{found}.execute-api.localhost:{self.emulator.port}"

    def token(self) -> str:
        """Sign in as a machine, as CI would; the token holds what machines may."""
        client = self.outputs["MachineClientId"]
        secret = self.emulator.secret_of(self.outputs["UserPoolId"], client)
        asked = urlencode({"grant_type": "client_credentials", "scope": "instantstart/read instantstart/operate"})
        basic = base64.b64encode(f"{client}:{secret}".encode()).decode()
        answer = self.emulator.send(
            "POST",
            "cognito",
            "/oauth2/token",
            asked.encode(),
            {"authorization": f"Basic {basic}", "content-type": "application/x-www-form-urlencoded"},
        )
        return str(answer.body["access_token"])

    def call(self, method: str, path: str, token: str | None, body: JsonValue = None, key: str | None = None) -> Answer:
        """Send a request through the public door, with an idempotency key where it has one."""
        sent = {"content-type": "application/json", **({"idempotency-key": key} if key else {})}
        if token:
            sent["authorization"] = f"Bearer {token}"
        content = None if body is None else json.dumps(body).encode()
        return self.emulator.send(method, self.host("EdgePublicApi"), path, content, sent)


@contextmanager
def emulating(scratch: Path) -> Iterator[Emulator]:
    """Start an emulator on a free port and end it with all that it started."""
    assert _PROGRAM.exists(), f"There is no {_PROGRAM}: `make test` makes its environment."
    port = _free_port()
    log = scratch / "emulator.log"
    with (
        log.open("w", encoding="utf-8") as written,
        subprocess.Popen(
            [_PROGRAM, "-m", "ministack"],
            cwd=scratch,
            env=_settings(port, scratch),
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            _await_start(process, port, log)
            yield Emulator(port, scratch)
        finally:
            # Its functions are processes too.
            os.killpg(process.pid, signal.SIGKILL)


def _settings(port: int, scratch: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "GATEWAY_PORT": str(port),
        "MINISTACK_ACCOUNT_ID": PLACE.account,
        "MINISTACK_REGION": PLACE.region,
        "S3_DATA_DIR": str(scratch / "s3"),
        "STATE_DIR": str(scratch / "state"),
        # It would listen on a port that is always the same.
        "IOT_MTLS_ENABLED": "0",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_start(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Wait until the port answers; a refused connection comes back at once, so the process itself is asked between."""
    for _attempt in range(_SECONDS * 5):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                continue
        else:
            return
        break
    raise AssertionError(f"the emulator did not start:\n{log.read_text(encoding='utf-8')}")
