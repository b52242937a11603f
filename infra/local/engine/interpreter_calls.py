"""How moto's Step Functions interpreter calls services: parameter casing, error names, clients and Lambda.

moto ships LocalStack's interpreter with the model-aware parts cut out; they are put back here from the botocore model.
"""

from __future__ import annotations

import datetime as real_datetime
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import botocore.session
from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError

from infra.local.engine.patching import wrap

if TYPE_CHECKING:
    from botocore.client import BaseClient
    from botocore.model import OperationModel, ServiceModel

_TASKS = "moto.stepfunctions.parser.asl.component.state.exec.state_task"
_CLIENT_USERS = (
    f"{_TASKS}.service.state_task_service_aws_sdk",
    f"{_TASKS}.service.state_task_service_sfn",
    f"{_TASKS}.service.state_task_service_dynamodb",
    f"{_TASKS}.lambda_eval_utils",
)
# Names as AWS spells them in aws-sdk integration errors (Step Functions developer guide, "AWS SDK integrations").
_ERROR_NAMES = {
    "cloudformation": "CloudFormation",
    "dynamodb": "DynamoDb",
    "ec2": "Ec2",
    "eks": "Eks",
    "iam": "Iam",
    "s3": "S3",
    "sagemaker": "SageMaker",
    "sfn": "Sfn",
}


class ClientOfRole(Protocol):
    """Makes a client of a service with a role's credentials."""

    def __call__(self, service: str, role_arn: str) -> BaseClient:
        """Give the client."""


def install(client_of_role: ClientOfRole) -> None:
    """Put the interpreter's service calls on our clients and the botocore model."""
    task = import_module(f"{_TASKS}.service.state_task_service").StateTaskService
    task._normalise_parameters = _normalise_parameters
    task._normalise_response = _normalise_response
    original = task._from_boto_response_value
    task._from_boto_response_value = staticmethod(lambda value: _plain(original(value)))
    sdk = import_module(f"{_TASKS}.service.state_task_service_aws_sdk")
    vars(sdk)["_SERVICE_ERROR_NAMES"].update(_ERROR_NAMES)
    sdk.StateTaskServiceAwsSdk._normalise_exception_name = staticmethod(error_name)
    wrap(sdk.StateTaskServiceAwsSdk, "_from_error", _naming_lost_calls)
    wrap(
        import_module(f"{_TASKS}.service.state_task_service_callback").StateTaskServiceCallback,
        "_from_error",
        _naming_heartbeats,
    )

    def client_for(region: str, service: str, state_credentials: _Credentials) -> BaseClient:
        return client_of_role(service, state_credentials.role_arn)

    for name in _CLIENT_USERS:
        vars(import_module(name))["boto_client_for"] = client_for


def _naming_lost_calls(from_error: Callable[..., object]) -> Callable[..., object]:
    """A call without an answer is `<Service>.SdkClientException`; the interpreter would end with States.Runtime."""

    def named(self: _SdkTask, env: object, ex: Exception) -> object:
        if not isinstance(ex, BotoCoreError):
            return from_error(self, env, ex)
        service = self._normalise_service_error_name(self.resource.api_name)
        return self._get_task_failure_event(env, error_name(service, ex), str(ex))

    return named


def _naming_heartbeats(from_error: Callable[..., object]) -> Callable[..., object]:
    """A heartbeat that did not come is States.HeartbeatTimeout, which the interpreter calls States.Timeout."""
    asl = "moto.stepfunctions.parser.asl"
    errors = f"{asl}.component.common.error_name"
    timed_out = import_module(f"{asl}.eval.callback.callback").HeartbeatTimeoutError
    failure = import_module(f"{errors}.failure_event").FailureEvent
    error_name_of = import_module(f"{errors}.states_error_name").StatesErrorName
    heartbeat = import_module(f"{errors}.states_error_name_type").StatesErrorNameType.StatesHeartbeatTimeout
    kind = import_module("moto.stepfunctions.parser.api").HistoryEventType.TaskTimedOut

    def named(self: _CallbackTask, env: object, ex: Exception) -> object:
        if not isinstance(ex, timed_out):
            return from_error(self, env, ex)
        where = {"resourceType": self._get_sfn_resource_type(), "resource": self._get_sfn_resource()}
        details = {"taskTimedOutEventDetails": {**where, "error": heartbeat.to_name()}}
        return failure(env, error_name_of(heartbeat), kind, details)

    return named


class _Resource(Protocol):
    api_name: str


class _SdkTask(Protocol):
    resource: _Resource

    def _normalise_service_error_name(self, service_name: str) -> str: ...
    def _get_task_failure_event(self, env: object, error: str, cause: str) -> object: ...


class _CallbackTask(Protocol):
    def _get_sfn_resource_type(self) -> str: ...
    def _get_sfn_resource(self) -> str: ...


class _Credentials(Protocol):
    role_arn: str


class _Task(Protocol):
    """The parts of the interpreter's task that the casing needs."""

    def _get_boto_service_name(self, boto_service_name: str | None) -> str: ...
    def _get_boto_service_action(self, service_action_name: str | None) -> str: ...
    def _to_boto_request(self, parameters: dict[str, object], structure_shape: object) -> None: ...
    def _from_boto_response(self, response: object, structure_shape: object) -> None: ...


@cache
def _model(service: str) -> ServiceModel:
    return botocore.session.get_session().get_service_model(service)


@cache
def _operation(service: str, action: str) -> OperationModel:
    model = _model(service)
    for name in model.operation_names:
        if xform_name(name) == action:
            return model.operation_model(name)
    raise KeyError(f"{service} has no operation {action}")


def _normalise_parameters(
    self: _Task,
    parameters: dict[str, object],
    boto_service_name: str | None = None,
    service_action_name: str | None = None,
) -> None:
    operation = _of(self, boto_service_name, service_action_name)
    if operation.input_shape is not None:
        self._to_boto_request(parameters, operation.input_shape)


def _normalise_response(
    self: _Task, response: object, boto_service_name: str | None = None, service_action_name: str | None = None
) -> None:
    operation = _of(self, boto_service_name, service_action_name)
    if operation.output_shape is not None:
        self._from_boto_response(response, operation.output_shape)


def _of(task: _Task, service: str | None, action: str | None) -> OperationModel:
    return _operation(task._get_boto_service_name(service), task._get_boto_service_action(action))


def error_name(service: str, error: Exception) -> str:
    """Name an SDK error as Step Functions does: `<Service>.<Code>Exception`."""
    code = "SdkClient"
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code") or service
    name = f"{service}.{code}"
    return name if name.endswith("Exception") else f"{name}Exception"


def _plain(value: object) -> object:
    """Spell timestamps as Step Functions does; the interpreter would choke on datetime objects later."""
    if isinstance(value, real_datetime.datetime):
        utc = value.astimezone(real_datetime.UTC)
        return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, dict):
        return {key: _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value
