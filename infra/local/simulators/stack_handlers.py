"""What a simulated resource type is: how it is made and removed through its own service, and how that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn
from uuid import uuid4

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from infra.local.simulators.paging import identifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.local.simulators.service import JsonObject
    from infra.local.simulators.stack_host import StackHost
    from infra.local.simulators.stack_records import StackResource

_HANDLER_CODES = (
    ("AlreadyExists", ("AlreadyExists", "AlreadyOwned", "Duplicate", "ResourceInUse")),
    ("AccessDenied", ("AccessDenied", "Unauthorized", "UnrecognizedClient")),
    ("NotFound", ("NotFound", "NoSuch")),
    ("Throttling", ("Throttl", "TooManyRequests", "RequestLimitExceeded")),
    ("InvalidRequest", ("Invalid", "Malformed", "Validation", "UnsupportedAvailabilityZone")),
)


class HandlerFailure(Exception):
    """A resource handler gave up; `code` is one of CloudFormation's handler error codes."""

    def __init__(self, message: str, code: str = "GeneralServiceException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code

    @property
    def reason(self) -> str:
        """The text that an event shows."""
        return (
            f'Resource handler returned message: "{self.message}" '
            f"(RequestToken: {uuid4()}, HandlerErrorCode: {self.code})"
        )


@dataclass(frozen=True)
class Call:
    """One call of a handler; `resource` is the record it fills in, early, so that a half-made thing can be removed."""

    resource: StackResource
    stack_name: str
    stack_tags: dict[str, str]
    host: StackHost

    @property
    def properties(self) -> JsonObject:
        """The resource's properties, resolved."""
        return self.resource.properties

    @property
    def physical_id(self) -> str:
        """The physical id of a resource that was begun."""
        return self.resource.physical_id or ""

    @property
    def tag_map(self) -> dict[str, str]:
        """Tags of the stack and of the resource, whose own win."""
        return self.stack_tags | {tag["Key"]: tag["Value"] for tag in self.properties.get("Tags", [])}

    @property
    def tag_list(self) -> list[dict[str, str]]:
        """The same as most services take them."""
        return [{"Key": key, "Value": value} for key, value in self.tag_map.items()]

    def given(self, *names: str) -> JsonObject:
        """Those of the named properties that the template sets."""
        return {name: self.properties[name] for name in names if name in self.properties}

    def ask(self, service: str, method: str, **arguments: object) -> JsonObject:
        """Call another service."""
        return self.host.ask(service, method, **arguments)

    def created(self, physical_id: str, **attributes: str) -> None:
        """Record what was made."""
        self.resource.physical_id = physical_id
        self.resource.attributes.update(attributes)

    def generated_name(self) -> str:
        """The name CloudFormation makes up for a resource without one."""
        seed = f"{self.host.account_id}:{self.host.region}:{self.stack_name}:{self.resource.logical_id}"
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        return f"{self.stack_name}-{self.resource.logical_id}-{identifier(seed, 12, alphabet)}"


@dataclass(frozen=True)
class ResourceType:
    """One simulated type. `ready` and `gone` read its state from its service instead of letting a time pass."""

    create: Callable[[Call], None]
    delete: Callable[[Call], None]
    properties: frozenset[str]
    required: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    seconds: int = 5
    delete_seconds: int = 5
    ready: Callable[[Call], bool] | None = None
    gone: Callable[[Call], bool] | None = None


def names(text: str) -> frozenset[str]:
    """A set of names, written as words."""
    return frozenset(text.split())


def attempt(action: Callable[[Call], object], call: Call) -> object:
    """Call a handler; what its service refuses becomes a handler failure, worded as CloudFormation words it."""
    try:
        return action(call)
    except ParamValidationError as error:
        raise HandlerFailure(f"Model validation failed ({error.kwargs.get('report')})", "InvalidRequest") from error
    except BotoCoreError as error:
        raise HandlerFailure(str(error), "InternalFailure") from error
    except ClientError as error:
        _refused(error, call)


def is_absent(error: ClientError) -> bool:
    """Whether a service says that a thing does not exist."""
    return _handler_code(str(error.response["Error"]["Code"])) == "NotFound"


def _refused(error: ClientError, call: Call) -> NoReturn:
    service = call.resource.type.split("::")[1].capitalize()
    metadata = error.response["ResponseMetadata"]
    message = (
        f"{error.response['Error'].get('Message', '')} (Service: {service}, "
        f"Status Code: {metadata['HTTPStatusCode']}, Request ID: {metadata.get('RequestId', uuid4())})"
    )
    raise HandlerFailure(message, _handler_code(str(error.response["Error"]["Code"]))) from error


def _handler_code(code: str) -> str:
    matching = (name for name, marks in _HANDLER_CODES if any(mark in code for mark in marks))
    return next(matching, "GeneralServiceException")
