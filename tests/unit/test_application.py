"""The HTTP application: routing, authorisation, validation and one way out for every error."""

import base64
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier
from typing import TYPE_CHECKING, Any, cast

import botocore.session
import pytest
from aws_lambda_powertools.event_handler import Response
from botocore.exceptions import ClientError, ConnectTimeoutError, ParamValidationError
from pydantic import BaseModel, ConfigDict

from functions.core import application, errors, runtime
from functions.core.declaration import Declaration, Route, Scope
from functions.core.groups import ADMINISTRATORS

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

ORIGIN = "https://ui.example"
ROUTES = (
    Route("create_thing", "POST", "/api/things", Scope.OPERATE, "Create a thing", 201),
    Route("get_thing", "GET", "/api/things/{name}", Scope.READ, "Read a thing"),
    Route("put_thing", "PUT", "/api/things/{name}", Scope.ADMIN, "Replace a thing"),
)


class NewThing(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    size: int = 1
    secret: str = ""


class Thing(BaseModel):
    name: str
    size: int
    owner: str


@dataclass
class Context:
    def get_remaining_time_in_millis(self) -> int:
        return 29_000


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: dict[str, Any]


Behaviour = Callable[[], Any]


class Api:
    """An application of three routes whose reading does what the test says."""

    def __init__(self) -> None:
        self.behaviour: Behaviour = lambda: Thing(name="a", size=1, owner=application.caller().id)
        handlers: dict[str, Callable[..., object]] = {
            "create_thing": self.create,
            "get_thing": self.get,
            "put_thing": self.put,
        }
        self.application = application.build([Declaration("things", ROUTES)], handlers)

    @staticmethod
    def create(request: NewThing) -> Thing:
        return Thing(name=request.name, size=request.size, owner=application.caller().id)

    def get(self, name: str) -> Thing:
        thing: Thing = self.behaviour()
        return thing

    @staticmethod
    def put(name: str) -> Response[Thing]:
        return Response(200, "application/json", Thing(name=name, size=9, owner="x"))

    def send(self, event: dict[str, Any]) -> Answer:
        answer: dict[str, Any] = self.application.handle(event, cast("LambdaContext", Context()))
        headers = {name.lower(): value for name, value in answer["headers"].items()}
        return Answer(answer["statusCode"], headers, json.loads(answer["body"] or "{}"))


def event_of(
    method: str,
    path: str,
    body: str | None = None,
    *,
    scopes: str = "instantstart/read instantstart/operate",
    caller: str = "ann",
    stage: str = "$default",
    headers: dict[str, str] | None = None,
    **more: object,
) -> dict[str, Any]:
    claims = {"sub": caller, "client_id": "cli", "scope": scopes, "cognito:groups": f"[{ADMINISTRATORS}]"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json"} | (headers or {}),
        "requestContext": {
            "requestId": "request-1",
            "stage": stage,
            "http": {"method": method, "path": path},
            "authorizer": {"jwt": {"claims": claims, "scopes": None}},
        },
        "isBase64Encoded": False,
        **({} if body is None else {"body": body}),
        **more,
    }


class NoClock(runtime.SystemClock):
    """Time is not asked for here."""


@pytest.fixture(scope="module", autouse=True)
def bound() -> Iterator[None]:
    environment = {"AWS_REGION": "us-west-2", "ALLOWED_ORIGINS": f"https://other.example {ORIGIN}"}
    with runtime.bound(runtime.Runtime(environment, botocore.session.Session(), NoClock())):
        yield


@pytest.fixture
def api() -> Api:
    return Api()


def test_a_request_reaches_the_handler_of_its_route(api: Api) -> None:
    answer = api.send(event_of("POST", "/api/things", '{"name": "a", "size": 2}'))
    assert (answer.status, answer.body) == (201, {"name": "a", "size": 2, "owner": "ann"})


def test_every_answer_carries_its_request_id_and_is_not_stored(api: Api) -> None:
    for event in (event_of("GET", "/api/things/a"), event_of("GET", "/api/nothing")):
        headers = api.send(event).headers
        assert (headers["x-request-id"], headers["cache-control"]) == ("request-1", "no-store")


def test_an_error_is_a_problem_with_the_request_id(api: Api) -> None:
    answer = api.send(event_of("POST", "/api/things", "{}"))
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.body == {
        "type": "about:blank",
        "title": "Invalid request",
        "status": 400,
        "code": "invalid_request",
        "detail": "name: is required",
        "errors": [{"field": "name", "message": "is required"}],
        "retryable": False,
        "request_id": "request-1",
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (None, "body"),
        ("", "body"),
        ("{", "body"),
        ("null", "body"),
        ('[{"name": "a"}]', "body"),
        ('"a"', "body"),
        ("[" * 100_000, "body"),
        ('{"name": 1}', "name"),
        ('{"name": "a", "size": "4"}', "size"),
        ('{"name": "a", "size": NaN}', "size"),
        ('{"name": "a", "colour": "red"}', "colour"),
    ],
)
def test_a_body_that_is_not_what_the_route_takes_is_refused_by_field(api: Api, body: str | None, field: str) -> None:
    answer = api.send(event_of("POST", "/api/things", body))
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")
    assert [error["field"] for error in answer.body["errors"]] == [field]


def test_a_body_of_another_media_type_is_refused(api: Api) -> None:
    event = event_of("POST", "/api/things", "name=a", headers={"content-type": "application/x-www-form-urlencoded"})
    (error,) = api.send(event).body["errors"]
    assert (error["field"], error["allowed"]) == ("content-type", ["application/json"])


def test_a_body_in_base64_is_read_and_one_that_is_no_text_refused(api: Api) -> None:
    encoded = base64.b64encode(b'{"name": "a"}').decode()
    assert api.send(event_of("POST", "/api/things", encoded, isBase64Encoded=True)).status == 201
    binary = base64.b64encode(b"\xff\xfe").decode()
    assert api.send(event_of("POST", "/api/things", binary, isBase64Encoded=True)).body["code"] == "invalid_request"


def test_an_unknown_query_parameter_is_refused(api: Api) -> None:
    event = event_of("GET", "/api/things/a", queryStringParameters={"nmae": "b"})
    assert [error["field"] for error in api.send(event).body["errors"]] == ["nmae"]


def test_no_token_is_401_and_a_missing_scope_403(api: Api) -> None:
    anonymous = event_of("GET", "/api/things/a")
    del anonymous["requestContext"]["authorizer"]
    assert (api.send(anonymous).status, api.send(anonymous).body["code"]) == (401, "unauthenticated")
    answer = api.send(event_of("PUT", "/api/things/a"))
    assert (answer.status, answer.body["code"]) == (403, "forbidden")
    assert "instantstart/admin" in answer.body["detail"]


def test_authorisation_comes_before_validation(api: Api) -> None:
    answer = api.send(event_of("POST", "/api/things", '{"nmae": "a"}', scopes="instantstart/read"))
    assert answer.status == 403


def test_a_handlers_own_response_is_sent_as_it_is(api: Api) -> None:
    answer = api.send(event_of("PUT", "/api/things/a", scopes="instantstart/admin"))
    assert (answer.status, answer.body["size"]) == (200, 9)


def test_an_unknown_path_is_404_and_an_unknown_method_405_with_those_allowed(api: Api) -> None:
    missing = api.send(event_of("GET", "/api/nothing"))
    assert (missing.status, missing.body["code"]) == (404, "not_found")
    refused = api.send(event_of("DELETE", "/api/things/a"))
    assert (refused.status, refused.body["code"], refused.headers["allow"]) == (405, "method_not_allowed", "GET, PUT")


@pytest.mark.case(69)
@pytest.mark.parametrize(
    ("stage", "path"),
    [
        ("$default", "/api/things/a"),
        ("prod", "/prod/api/things/a"),
        ("prod", "/api/things/a"),
        ("$default", "/v1/base/api/things/a"),
    ],
)
def test_a_stage_or_base_path_in_front_changes_nothing(api: Api, stage: str, path: str) -> None:
    assert api.send(event_of("GET", path, stage=stage)).status == 200
    assert api.send(event_of("GET", path.replace("things", "nothing"), stage=stage)).status == 404


@pytest.mark.case(70)
def test_a_preflight_of_a_known_path_is_answered(api: Api) -> None:
    answer = api.send(event_of("OPTIONS", "/api/things", headers={"origin": ORIGIN}))
    assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, ORIGIN)
    assert "idempotency-key" in answer.headers["access-control-allow-headers"]


@pytest.mark.case(70)
def test_an_error_may_be_read_by_an_allowed_origin_and_by_no_other(api: Api) -> None:
    api.behaviour = failing(RuntimeError("broken"))
    allowed = api.send(event_of("GET", "/api/things/a", headers={"origin": ORIGIN}))
    assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (500, ORIGIN)
    foreign = api.send(event_of("GET", "/api/things/a", headers={"origin": "https://evil.example"}))
    assert "access-control-allow-origin" not in foreign.headers


def failing(error: Exception) -> Behaviour:
    def fail() -> None:
        raise error

    return fail


def refused_by_aws(code: str, status: int) -> ClientError:
    metadata = {"HTTPStatusCode": status, "RequestId": "aws-1", "HostId": "", "HTTPHeaders": {}, "RetryAttempts": 0}
    return ClientError({"Error": {"Code": code, "Message": "arn:secret"}, "ResponseMetadata": metadata}, "Query")  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.NotFound("no"), 404, "not_found"),
        (errors.OperationInProgress("busy"), 409, "operation_in_progress"),
        (errors.IdempotencyKeyReused("again"), 422, "idempotency_key_reused"),
        (errors.Throttled("slow"), 429, "throttled"),
        (errors.ArtifactMissing("gone"), 500, "template_artifact_missing"),
        (refused_by_aws("ThrottlingException", 400), 429, "throttled"),
        (refused_by_aws("InternalServerError", 500), 503, "unavailable"),
        (refused_by_aws("AccessDeniedException", 400), 500, "deployment_fault"),
        (ConnectTimeoutError(endpoint_url="https://x"), 503, "unavailable"),
        (ParamValidationError(report="bad"), 500, "deployment_fault"),
        (ZeroDivisionError("secret detail"), 500, "internal"),
        (RecursionError("secret detail"), 500, "internal"),
    ],
)
def test_every_exception_has_its_problem(api: Api, error: Exception, status: int, code: str) -> None:
    api.behaviour = failing(error)
    answer = api.send(event_of("GET", "/api/things/a"))
    assert (answer.status, answer.body["status"], answer.body["code"]) == (status, status, code)
    assert "secret" not in json.dumps(answer.body)
    assert ("retry-after" in answer.headers) == (status in (429, 503))


def test_a_refusal_by_aws_names_the_call_and_the_code(api: Api) -> None:
    api.behaviour = failing(refused_by_aws("AccessDeniedException", 400))
    assert api.send(event_of("GET", "/api/things/a")).body["cause"] == {
        "layer": "aws",
        "api_call": "Query",
        "code": "AccessDeniedException",
        "request_id": "aws-1",
    }


def test_a_problem_names_its_operation(api: Api) -> None:
    api.behaviour = failing(errors.Conflict("no", operation_id="operation-1"))
    assert api.send(event_of("GET", "/api/things/a")).body["operation_id"] == "operation-1"


def test_an_answer_that_is_not_what_the_route_promises_is_our_fault(api: Api) -> None:
    api.behaviour = lambda: {"name": "a"}
    answer = api.send(event_of("GET", "/api/things/a"))
    assert (answer.status, answer.body["code"]) == (500, "internal")


def test_an_unexpected_exception_is_logged_once_with_the_request_id(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    api.behaviour = failing(ZeroDivisionError("broken"))
    api.send(event_of("GET", "/api/things/a"))
    failures = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert [(record.request_id, record.exc_info and record.exc_info[0]) for record in failures] == [  # type: ignore[attr-defined]
        ("request-1", ZeroDivisionError)
    ]


def test_the_log_names_caller_route_and_status_and_no_value_of_the_request(
    api: Api, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    api.send(event_of("POST", "/api/things", '{"name": "a", "secret": "hf_token"}'))
    api.send(event_of("POST", "/api/things", '{"name": 1, "secret": "hf_token"}'))
    (accepted, refused) = [record.__dict__ for record in caplog.records]
    facts = ("request_id", "method", "route", "status", "caller")
    assert [accepted[name] for name in facts] == ["request-1", "POST", "/api/things", 201, "ann"]
    assert refused["status"] == 400
    assert "hf_token" not in repr((accepted, refused)) + capsys.readouterr().out


def test_two_requests_at_once_keep_to_themselves(api: Api) -> None:
    meeting = Barrier(8)

    def meet() -> Thing:
        meeting.wait(timeout=5)
        return Thing(name="a", size=1, owner=application.caller().id)

    api.behaviour = meet
    callers = [f"caller-{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda caller: api.send(event_of("GET", "/api/things/a", caller=caller)), callers)
        assert [answer.body["owner"] for answer in answers] == callers


@pytest.mark.parametrize("module", ["boto3", "kubernetes", "moto", "infra"])
def test_the_api_function_loads_little(module: str) -> None:
    program = (
        "import sys, functions.entry.api; own = sum(each.startswith('functions') for each in sys.modules); "
        f"print(own, len(sys.modules) - own, {module!r} in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    own, foreign, loaded = done.stdout.split()
    # The cold start is mostly imports, and those mostly of what others wrote; our own modules are a page each.
    assert int(foreign) <= 545
    assert int(own) <= 264
    assert loaded == "False"
