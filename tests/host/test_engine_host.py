"""The host below HTTP: its AWS endpoint for clients inside and outside, its functions, its snapshots."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, Protocol
from urllib.parse import unquote

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ReadTimeoutError

from functions.core import runtime
from infra.local import doors
from infra.local.cluster_access import _context_of
from infra.local.engine.state import ExecutionsRunning
from infra.local.faults import Fault, Kind
from infra.local.functions import Outcome
from infra.local.host import LocalHost
from infra.local.images import HostSnapshot
from infra.local.messages import HttpRequest
from infra.release import definition
from tests.host.driver import Driver, cluster_request
from tests.host.states import back_to

KEY = "a folder/ü 100%+1 & more.bin"
BYTES = bytes(range(256)) * 5_000


@pytest.fixture
def host(session_host: LocalHost, empty_state: HostSnapshot) -> LocalHost:
    return back_to(session_host, empty_state).host


@pytest.fixture(scope="module")
def aws(session_host: LocalHost) -> Iterator[str]:
    with doors.opened(session_host) as opened:
        yield opened.aws


def outside(service: str, aws: str, region: str = "us-west-2", config: Config | None = None) -> Any:  # noqa: ANN401 - by name
    """A client as a user of the endpoint makes it."""
    session = boto3.Session("local", "local", region_name=region)
    return session.client(service, endpoint_url=aws, config=config)  # type: ignore[call-overload]  # by name


# -- the endpoint


def test_s3_takes_a_bucket_before_the_name_of_the_endpoint(host: LocalHost) -> None:
    bucket = host.deployed.environment["ARTIFACT_BUCKET"]
    host.client("s3").put_object(Bucket=bucket, Key=KEY, Body=b"text")
    signed = "AWS4-HMAC-SHA256 Credential=local/20260101/us-west-2/s3/aws4_request, SignedHeaders=host, Signature=0"
    for name in (f"{bucket}.localhost:3100", f"{bucket}.s3.localhost:3100"):
        answer = host.endpoint.handle(HttpRequest("GET", f"/{KEY}", "", {"host": name, "authorization": signed}))
        assert (answer.status, answer.body) == (200, b"text")


@pytest.mark.parametrize("style", ["path", "auto"])
def test_s3_keeps_keys_and_bytes_of_outside_clients(host: LocalHost, aws: str, style: str) -> None:
    s3 = outside("s3", aws, config=Config(s3={"addressing_style": style}))  # type: ignore[arg-type]
    s3.create_bucket(Bucket="a-bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket="a-bucket", Key=KEY, Body=BYTES)
    assert s3.get_object(Bucket="a-bucket", Key=KEY)["Body"].read() == BYTES
    assert [each["Key"] for each in s3.list_objects_v2(Bucket="a-bucket")["Contents"]] == [KEY]
    assert host.client("s3").get_object(Bucket="a-bucket", Key=KEY)["Body"].read() == BYTES


def test_a_presigned_address_reads_an_object(host: LocalHost, aws: str) -> None:
    host.client("s3").put_object(Bucket=host.deployed.environment["ARTIFACT_BUCKET"], Key=KEY, Body=b"text")
    asked = {"Bucket": host.deployed.environment["ARTIFACT_BUCKET"], "Key": KEY}
    url = outside("s3", aws, config=Config(signature_version="s3v4")).generate_presigned_url("get_object", asked)
    path, _, query = url.removeprefix(aws).partition("?")
    answer = host.endpoint.handle(HttpRequest("GET", unquote(path), query, {"host": aws.removeprefix("http://")}))
    assert (answer.status, answer.body) == (200, b"text")


def test_dynamodb_serves_outside_clients_with_and_without_account_endpoints(host: LocalHost, aws: str) -> None:
    for mode in ("preferred", "disabled"):
        client = outside("dynamodb", aws, config=Config(account_id_endpoint_mode=mode))
        assert "instantstart-operations" in client.list_tables()["TableNames"]


@pytest.mark.parametrize(
    ("service", "call"), [("sqs", "list_queues"), ("ecs", "list_clusters"), ("rds", "describe_db_instances")]
)
def test_an_unknown_service_is_refused_in_its_own_protocol(host: LocalHost, aws: str, service: str, call: str) -> None:
    with pytest.raises(ClientError, match="unverified: service"):
        getattr(outside(service, aws), call)()


def test_another_region_is_refused_but_for_global_services(host: LocalHost, aws: str) -> None:
    with pytest.raises(ClientError, match="unverified: region eu-west-1, this host is us-west-2"):
        outside("eks", aws, region="eu-west-1").list_clusters()
    assert outside("iam", aws, region="us-east-1").list_roles()["Roles"]


def test_an_unsigned_request_is_refused(host: LocalHost) -> None:
    assert host.endpoint.handle(HttpRequest("GET", "/clusters")).status == 403


def test_a_role_is_assumed_by_those_whom_it_trusts_and_one_that_does_not_exist_by_nobody(host: LocalHost) -> None:
    roles, admin = host.deployed.function_roles, host.deployed.environment["KUBERNETES_ADMIN_ROLE_ARN"]
    own = host.client_of_role("sts", roles["helm"])
    for role in (admin, roles["helm"]):
        assert own.assume_role(RoleArn=role, RoleSessionName="me")["AssumedRoleUser"]["Arn"].endswith("/me")  # type: ignore[attr-defined]
    anybody = host.client_of_role("sts", "arn:aws:iam::123456789012:role/of-tests")
    for role in (roles["stages_cluster"], roles["api"], admin + "-no"):
        with pytest.raises(ClientError, match="AccessDenied"):
            anybody.assume_role(RoleArn=role, RoleSessionName="me")  # type: ignore[attr-defined]


def test_a_function_does_what_its_policy_allows_and_is_told_which_action_it_lacks(host: LocalHost) -> None:
    helm = host.deployed.function_roles["helm"]
    operator = host.deployed.environment["KUBERNETES_OPERATOR_ROLE_ARN"]
    session = "arn:aws:sts::123456789012:assumed-role/instantstart-function-helm-us-west-2/local"
    with pytest.raises(ClientError) as denied:
        host.client_of_role("sts", helm).assume_role(RoleArn=operator, RoleSessionName="me")  # type: ignore[attr-defined]
    assert denied.value.response["Error"] == {
        "Type": "Sender",
        "Code": "AccessDenied",
        "Message": f"User: {session} is not authorized to perform: sts:AssumeRole on resource: {operator} "
        "because no identity-based policy allows the sts:AssumeRole action",
    }
    with pytest.raises(ClientError, match=r"UnauthorizedOperation.*You are not authorized to perform this operation"):
        host.client_of_role("ec2", helm).describe_vpcs()  # type: ignore[attr-defined]
    with pytest.raises(ClientError, match=r'AccessDenied.*s3:ListBucket on resource: "arn:aws:s3:::anybodys"'):
        host.client_of_role("s3", helm).list_objects_v2(Bucket="anybodys")  # type: ignore[attr-defined]
    with pytest.raises(ClientError, match=r"UnverifiedOperation.*whether instantstart-function-helm-us-west-2 may"):
        host.client_of_role("iam", helm).list_users()  # type: ignore[attr-defined]


def test_a_session_that_has_ended_signs_nothing_any_more(host: LocalHost) -> None:
    role = "arn:aws:iam::123456789012:role/of-tests"
    session = host.identities.assume(role, "me", host.clock.now() + timedelta(hours=1))
    services: tuple[str, ...] = ("ec2", "eks", "iam")
    clients: list[Any] = [host.sessions.of(session).create_client(name) for name in services]
    calls = [clients[0].describe_vpcs, clients[1].list_clusters, clients[2].list_users]
    with host.clock.busy():
        for call in calls:
            call()
        host.clock.sleep(3600)
        for call in calls:
            with pytest.raises(ClientError, match="Expired"):
                call()


# -- sessions and faults


def test_retries_of_clients_on_the_clock_wait_on_it(host: LocalHost) -> None:
    with (
        host.clock.busy(),
        host.faults.planned(Fault("ec2", "DescribeVpcs", Kind.THROTTLE, times=2, role="local-host")),
    ):
        started = host.clock.time()
        host.client("ec2").describe_vpcs()
        assert host.clock.time() > started


def test_a_call_that_hangs_lasts_its_clients_patience(host: LocalHost) -> None:
    session = host.sessions.of(host.identities.of_role(host.deployed.function_roles["api"]))
    patient = Config(read_timeout=7, retries={"total_max_attempts": 1})
    client: Any = session.create_client("ec2", config=patient)
    with host.clock.busy(), host.faults.planned(Fault("ec2", "DescribeVpcs", Kind.HANG)):
        started = host.clock.time()
        with pytest.raises(ReadTimeoutError):
            client.describe_vpcs()
        assert host.clock.time() - started == pytest.approx(7)


# -- functions


class Run(Protocol):
    def __call__(self, handler: Callable[..., object], name: str = ..., payload: object = ...) -> Outcome: ...


@pytest.fixture
def run(host: LocalHost, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a function's environment with a handler of the test's own."""

    def invoke(handler: Callable[..., object], name: str = "operations", payload: object = None) -> Outcome:
        monkeypatch.setattr(host.functions._environments[name], "handler", handler)
        return host.functions.invoke(name, payload)

    return invoke


def kind(outcome: Outcome) -> str:
    assert outcome.error == "Unhandled"
    return str(json.loads(outcome.payload)["errorType"])


def test_what_a_function_raises_or_cannot_answer_has_its_kind(run: Run) -> None:
    assert json.loads(run(lambda event, _: event, payload={"a": [1]}).payload) == {"a": [1]}
    assert kind(run(lambda *_: 1 / 0)) == "ZeroDivisionError"
    assert kind(run(lambda *_: object())) == "Runtime.MarshalError"
    assert kind(run(lambda *_: exit(3))) == "Runtime.ExitError"


def test_a_function_out_of_time_is_ended_and_can_call_nothing_any_more(host: LocalHost, run: Run) -> None:
    after: list[str] = []

    def dawdle(*_: object) -> None:
        host.clock.sleep(61)
        try:
            runtime.client("ec2").describe_vpcs()
            after.append("called")
        finally:
            after.append("finally")

    with host.clock.busy():
        started = host.clock.time()
        assert kind(run(dawdle)) == "Sandbox.Timedout"
        assert host.clock.time() - started == pytest.approx(60)
        host.clock.sleep(5)
    assert after == ["finally"]


def test_fifty_invocations_run_at_once_each_in_its_functions_environment(host: LocalHost, run: Run) -> None:
    names: list[str] = []

    def note(*_: object) -> None:
        host.clock.sleep(10)
        names.append(runtime.environment()["AWS_LAMBDA_FUNCTION_NAME"])

    run(note, "api")
    run(note, "operations")
    with host.clock.busy():
        started = host.clock.time()
        wanted = ["api", "operations"] * 25
        threads = [host.clock.thread(lambda n=n: host.functions.invoke(n, None)) for n in wanted]  # type: ignore[misc]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert host.clock.time() - started == pytest.approx(10)
    assert sorted(names[2:]) == sorted(wanted)


# -- snapshots and names


def test_a_restored_host_remembers_everything_and_goes_on(driver_of_ready: Driver) -> None:
    host = driver_of_ready.host
    assert [*host.world.kubernetes] == ["eks-cluster-ready"]
    store = host.world.kubernetes["eks-cluster-ready"].store
    node = store.registry.of_kind("v1", "Node")
    assert node is not None
    assert len(store.select(node)) == 1
    assert host.executions("create_cluster")
    assert driver_of_ready.create(cluster_request("another"))["status"] == "SUCCEEDED"


def test_an_emptied_host_forgets_clusters_and_policies_attachments(host: LocalHost) -> None:
    assert host.world.kubernetes == {}
    assert host.executions("create_cluster") == []
    attached = host.client("iam").list_policies(OnlyAttached=True)["Policies"]
    assert attached == []


def test_a_running_execution_refuses_snapshots(driver: Driver) -> None:
    begun = driver.post("/api/clusters", cluster_request())
    with pytest.raises(ExecutionsRunning):
        driver.host.snapshot()
    driver.finish(begun["operation_id"])


def test_a_context_is_named_after_the_tag_unless_another_cluster_has_the_name() -> None:
    assert _context_of("eks-cluster-one", []) == "one"
    assert _context_of("imported", ["one"]) == "imported"
    assert _context_of("eks-cluster-one", ["one"]) == "eks-cluster-one"


def test_placeholders_are_filled_and_jsonata_stays() -> None:
    assert definition("${Name} $name {% $states.input %}", {"Name": "x"}) == "x $name {% $states.input %}"
    with pytest.raises(KeyError):
        definition("${Unknown}", {})


def test_a_token_of_a_cluster_expires_on_the_clock(driver_of_ready: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    host = driver_of_ready.host
    role = host.deployed.environment["KUBERNETES_ADMIN_ROLE_ARN"]
    identity = host.identities.of_role(role)
    monkeypatch.setattr("infra.local.world.read_token", lambda *_: identity.access_key)
    assert host.world._identify("eks-cluster-ready", "a token") is not None
    host.clock.sleep(14 * 60)
    assert host.world._identify("eks-cluster-ready", "a token") is not None
    host.clock.sleep(61)
    assert host.world._identify("eks-cluster-ready", "a token") is None
    assert host.world._identify("eks-cluster-ready", "a newer token") is not None


def test_context_of_an_invocation_tells_the_time_that_is_left(run: Run, host: LocalHost) -> None:
    left: list[float] = []

    def look(_: object, context: SimpleNamespace) -> None:
        host.clock.sleep(20)
        left.append(context.get_remaining_time_in_millis())

    run(look)
    assert left == [pytest.approx(40_000, abs=1)]
