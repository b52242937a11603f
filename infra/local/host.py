"""The local host: the whole control plane in one process, built from the topology, on one clock."""

from __future__ import annotations

import json
import pickle
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from infra.local import cluster_faults, deployment
from infra.local.authorization.guard import Guard
from infra.local.authorization.known import Simulated
from infra.local.authorization.live import Live
from infra.local.bus import Bus
from infra.local.clients import ClientOf
from infra.local.clock import Clock, Mode
from infra.local.cluster_access import ClusterAccess
from infra.local.endpoint import AwsEndpoint
from infra.local.engine import (
    dynamodb,
    dynamodb_streams,
    ec2_catalog,
    ec2_dependencies,
    ec2_endpoints,
    ec2_limits,
    ec2_network,
    iam_providers,
    logs,
    s3,
    stepfunctions,
)
from infra.local.engine.backend import MotoEngine
from infra.local.engine.state import Snapshot as EngineSnapshot
from infra.local.engine.state import dumped, load, unfinished
from infra.local.entrances import TOKEN_CLAIMS, Entrances, front_of, told_of
from infra.local.faults import HOST_ROLE, Faults
from infra.local.front import Auth
from infra.local.functions import Functions, Outcome
from infra.local.gateway import FunctionError, IntegrationTimeout
from infra.local.identities import Identities
from infra.local.images import HostImage, HostSnapshot
from infra.local.internal_web import InternalWeb
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.pages import Pages
from infra.local.programs import HostProcesses, places_of
from infra.local.sessions import Sessions
from infra.local.simulators.bus_event import BusEvent
from infra.local.simulators.connections import Connections
from infra.local.socket_client import SocketClient
from infra.local.streams import Streams
from infra.local.websocket import WebSocketGateway
from infra.local.world import World
from infra.release import Place, event_rules
from infra.topology import TOPOLOGY, Topology
from infra.triggers import Schedule

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from pydantic import JsonValue
    from types_boto3_stepfunctions.type_defs import ExecutionListItemTypeDef

ACCOUNT_ID = "123456789012"
INTEGRATION_SECONDS = 30
_HOST_ROLE = f"arn:aws:iam::{ACCOUNT_ID}:role/{HOST_ROLE}"


@dataclass(frozen=True)
class Options:
    """How a host is to be: where its files are, its clock and region, and its secrets.

    `person_token` lets the person at the machine into the clusters, `page_token_key` signs the API's page tokens.
    `allowed_origins` are those whose pages may call the API, beside the host's own. `console` is the folder with the
    console's files, without which no pages are served.
    """

    directory: Path
    mode: Mode = Mode.JUMP
    speed: float = 60.0
    region: str = "us-west-2"
    start: datetime | None = None
    kubernetes_port: int = 0
    person_token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    page_token_key: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    auth: Auth = Auth.LOCAL
    allowed_origins: tuple[str, ...] = ()
    console: Path | None = None


class LocalHost:
    """Deploys the topology into a simulated cloud and serves it; moto allows one host a process."""

    def __init__(self, options: Options, topology: Topology = TOPOLOGY) -> None:
        self.options = options
        self.topology = topology
        self.clock = Clock(options.mode, speed=options.speed, start=options.start)
        self.faults = Faults()
        self.identities = Identities(ACCOUNT_ID)
        self._engine = MotoEngine()
        self._clients: dict[tuple[str, str], BaseClient] = {}
        self._clients_lock = threading.Lock()
        self.client = cast("ClientOf", self._client)
        self.world = World(
            self.clock, self.identities, options.region, self.client, options.person_token, self._of_stack
        )
        place = Place(ACCOUNT_ID, options.region)
        guard = Guard(topology, Live(place, Simulated(self.world)))
        self.endpoint = AwsEndpoint(self.clock, self.identities, self.world, self._engine, options.region, guard)
        self.sessions = Sessions(self.endpoint, self.clock, self.faults, options.region, self.endpoint.session_of)
        self.access = ClusterAccess(
            self.world, self.faults, options.directory, options.kubernetes_port, options.person_token
        )
        self.sockets = WebSocketGateway(topology.socket_routes, self._invoke, self.clock, options.region)
        self.world.services["execute-api"] = Connections(
            self.clock.now, ACCOUNT_ID, options.region, lambda: self.sockets
        )
        self._adapt_engine()
        with self.clock.busy():
            self.deployed = deployment.deploy(
                topology,
                self.client,
                place,
                options.page_token_key,
                told_of(place, self.sockets.endpoint, options.allowed_origins),
            )
            self.functions = self._functions()
        rules = event_rules(topology, self.deployed.environment)
        self.bus = Bus(rules, self._invoke, self.clock, ACCOUNT_ID, options.region)
        self.streams = self._streams()
        dynamodb_streams.install(self.streams.note)
        self.world.publish = self._publish
        self.world.functions.invoker = self._invoke_by_name
        self.on_visit: Callable[[], None] = lambda: None
        """Told when somebody else than a function calls AWS, or anybody writes to a cluster."""
        self.access.on_write = self._visited
        front = front_of(options.auth, options.directory, options.region, self.integrate)
        self.entrances = Entrances(
            topology, self.integrate, self.clock.now, self.identities, place, front, guard, options.allowed_origins
        )
        self.entrances.pages = Pages(options.console)
        self.found_at(front.origin)
        self._held = False
        for schedule in topology.schedules:
            self._arm(schedule)
        self.access.start()

    def _adapt_engine(self) -> None:
        """Give moto what it lacks; each adaptation says why."""
        cluster_faults.install(self.clock)
        dynamodb.install()
        ec2_catalog.install()
        ec2_limits.install(self.world.quotas.value_of)
        ec2_network.install()
        ec2_endpoints.install()
        ec2_dependencies.install()
        iam_providers.install()
        logs.install(self.clock.now)
        s3.install()
        stepfunctions.install(self.clock, self.client_of_role, self._publish)

    def _functions(self) -> Functions:
        return Functions(
            {function.name: function for function in self.topology.functions},
            replace(self.deployed, environment={**self.deployed.environment, **places_of(self.options.directory)}),
            self.clock,
            self.identities,
            self.sessions,
            lambda role: HostProcesses(self.faults, role, self.access, self.clock),
            InternalWeb(self.handle_internal),
        )

    def _streams(self) -> Streams:
        return Streams(
            self.topology.streams,
            {table.name: self.deployed.environment[table.variable] for table in self.topology.tables},
            self._invoke,
            self.clock,
            f"arn:aws:dynamodb:{self.options.region}:{ACCOUNT_ID}:table/",
        )

    def close(self) -> None:
        """Stop serving the clusters."""
        self.access.stop()

    def _visited(self) -> None:
        self.on_visit()

    # -- clients

    def _client(self, service: str) -> BaseClient:
        """Give a client of a simulated service, with the host's own credentials."""
        return self.client_of_role(service, _HOST_ROLE)

    def client_of_role(self, service: str, role_arn: str) -> BaseClient:
        """Give a client of a simulated service, with a role's credentials."""
        return self._made((service, role_arn), role_arn)

    def _made(self, key: tuple[str, str], role_arn: str, told_as: str = "") -> BaseClient:
        with self._clients_lock:
            if key not in self._clients:
                session = self.sessions.of(self.identities.of_role(role_arn), told_as)
                self._clients[key] = session.create_client(key[0], region_name=self.options.region)
            return self._clients[key]

    def _of_stack(self, service: str, role_arn: str) -> BaseClient:
        """Give a client with which CloudFormation acts under a stack's role; its calls stay the host's own."""
        return self._made((service, f"{role_arn} of stacks"), role_arn, _HOST_ROLE)

    # -- doors

    def request(
        self,
        method: str,
        path: str,
        body: JsonValue = None,
        headers: Mapping[str, str] | None = None,
    ) -> HttpResponse:
        """Send one HTTP request to the public API, as a client on the network would."""
        resource, _, query = path.partition("?")
        sent = {"content-type": "application/json", **(headers or {})}
        content = b"" if body is None else json.dumps(body).encode()
        return self.handle(HttpRequest(method, resource, query, sent, content))

    def found_at(self, origin: str) -> None:
        """Say where people find the host, which is known once its ports are open."""
        self.entrances.front.origin = origin
        if TOKEN_CLAIMS in self.functions.names():
            self.functions.tell(TOKEN_CLAIMS, "CONSOLE_URL", origin)

    def handle(self, request: HttpRequest, source_ip: str = "127.0.0.1") -> HttpResponse:
        """Answer one HTTP request; time stands meanwhile."""
        with self.clock.busy():
            return self.entrances.public(request, source_ip)

    def handle_internal(self, request: HttpRequest, source_ip: str = "127.0.0.1") -> HttpResponse:
        """Answer one HTTP request at the door of the gateway's role; time stands meanwhile."""
        with self.clock.busy():
            return self.entrances.internal(request, source_ip)

    def websocket(self, ticket: str | None = None) -> SocketClient:
        """Open a WebSocket in this process; raise ConnectionRefused."""
        query = "" if ticket is None else urlencode({"ticket": ticket})
        return SocketClient(self.sockets, query, {})

    def _publish(self, event: BusEvent) -> None:
        self.bus.publish(event)

    def _invoke(self, function: str, event: object) -> Outcome:
        return self.functions.invoke(function, event)

    def integrate(self, function: str, event: Mapping[str, JsonValue]) -> JsonValue:
        """Run a function for whoever waits for its answer; raises FunctionError, IntegrationTimeout."""
        started = self.clock.time()
        outcome = self.functions.invoke(function, event)
        if self.clock.time() - started >= INTEGRATION_SECONDS:
            raise IntegrationTimeout(function)
        if outcome.error:
            raise FunctionError(outcome.payload)
        answer: JsonValue = json.loads(outcome.payload)
        return answer

    def _invoke_by_name(self, name: str, payload: object) -> Outcome:
        return self.functions.invoke(name.removeprefix(deployment.FUNCTION_PREFIX), payload)

    # -- snapshots

    def snapshot(self) -> HostSnapshot:
        """Keep everything the host remembers; raises ExecutionsRunning while executions run."""
        with self.clock.busy():
            engine = EngineSnapshot(ACCOUNT_ID, self.options.region)
            return HostSnapshot(self.world.snapshot(), engine, self.undelivered())

    def restore(self, kept: HostSnapshot) -> None:
        """Go back to a snapshot of this host; time does not go back, and connections are not kept."""
        with self.clock.busy():
            self.sockets.drop_all()
            kept.engine.restore()
            self.world.restore(kept.world)
            self.redeliver(kept.undelivered)

    def undelivered(self) -> bytes:
        """Give what the streams and the bus have not delivered yet."""
        return pickle.dumps((self.streams.snapshot(), self.bus.snapshot()))

    def redeliver(self, undelivered: bytes) -> None:
        """Go on with what was not delivered at an earlier moment, and forget what has come since."""
        changes, events = pickle.loads(undelivered)
        self.streams.restore(changes)
        self.bus.restore(events)

    def image(self) -> HostImage:
        """Keep what another process needs to be this host, at any moment; calls wait meanwhile."""
        with self.clock.busy(), self.world.standing(), self._engine.standing():
            return HostImage(
                region=self.options.region,
                time=self.clock.time(),
                person_token=self.options.person_token,
                page_token_key=self.options.page_token_key,
                # First the world: a stack that moves on as it settles changes the engine.
                world=self.world.snapshot(),
                unfinished=unfinished(ACCOUNT_ID, self.options.region),
                engine=dumped(ACCOUNT_ID, self.options.region),
                identities=self.identities.snapshot(),
                undelivered=self.undelivered(),
            )

    def resume(self, image: HostImage) -> None:
        """Be the host of an image: its state, and its unfinished executions anew, each under its name."""
        with self.clock.busy():
            load(image.engine, ACCOUNT_ID, self.options.region)
            self.identities.restore(image.identities)
            self.world.restore(image.world)
            self.redeliver(image.undelivered)
            for each in image.unfinished:
                self.client("stepfunctions").start_execution(
                    stateMachineArn=each.machine_arn, name=each.name, input=each.text
                )

    # -- schedules

    @contextmanager
    def schedules_held(self) -> Iterator[None]:
        """Run no schedule while a block runs: a test that lets hours pass need not look around every minute."""
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _arm(self, schedule: Schedule) -> None:
        def fire() -> None:
            # The next one first: a failing run must not be the last.
            self._arm(schedule)
            if not self._held:
                self.functions.invoke(schedule.function, {"source": "schedule", "action": schedule.payload})

        self.clock.call_at(self.clock.time() + schedule.every_seconds, fire)

    def executions(self, machine: str) -> Sequence[ExecutionListItemTypeDef]:
        """List the executions of a state machine."""
        arn = f"{self.deployed.state_machine_prefix}{machine}"
        return self.client("stepfunctions").list_executions(stateMachineArn=arn)["executions"]
