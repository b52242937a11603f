"""What the conformance suite wants a server to ask its client: in an answer, as 2026-07-28 has it, or on a stream.

A gateway without streams can do the first, and the second fails: `expected_failures.yaml` says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    CallToolResult,
    ClientCapabilities,
    CreateMessageRequest,
    CreateMessageRequestParams,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    ListRootsRequest,
    MissingRequiredClientCapabilityErrorData,
    SamplingCapability,
    SamplingMessage,
    TextContent,
)

from tests.conformance.mcp.contents import said

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from mcp.server.context import ServerRequestContext
    from mcp_types import InputRequest, InputResponseRequestParams

    Context = ServerRequestContext[dict[str, object]]
    Asked = InputRequiredResult | None


def _form(message: str, **properties: Mapping[str, Any]) -> ElicitRequest:
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sample(text: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=100))


_TEXT: Final = {"type": "string"}
_NAME: Final = _form("What is your name?", name=_TEXT)
_GREETING: Final = _sample("Generate a greeting")
_CONFIRM: Final = {"confirm": _form("Please confirm", ok={"type": "boolean"})}
# By tool: what is missing for its answer, asked for together.
_NEEDS: Final[Mapping[str, Mapping[str, InputRequest]]] = {
    "test_streaming_elicitation": {"user_name": _NAME},
    "test_input_required_result_elicitation": {"user_name": _NAME},
    "test_input_required_result_sampling": {"capital_question": _sample("What is the capital of France?")},
    "test_input_required_result_list_roots": {"client_roots": ListRootsRequest()},
    "test_input_required_result_request_state": _CONFIRM,
    "test_input_required_result_tampered_state": _CONFIRM,
    "test_input_required_result_multiple_inputs": {
        "user_name": _NAME,
        "greeting": _GREETING,
        "client_roots": ListRootsRequest(),
    },
}
_STEPS: Final = (
    ("step1", _form("Step 1: What is your name?", name=_TEXT)),
    ("step2", _form("Step 2: What is your favorite color?", color=_TEXT)),
)
PROMPT: Final = "test_input_required_result_prompt"
_CONTEXT: Final = {"user_context": _form("What context should the prompt use?", context=_TEXT)}


# -- in an answer


def missing(params: InputResponseRequestParams, needs: Mapping[str, InputRequest], state: str = "round-1") -> Asked:
    """Ask for all of this while one of it has no fitting answer; the state comes back with the answers."""
    given = params.input_responses or {}
    if all(_fits(given.get(name)) for name in needs):
        return None
    return InputRequiredResult(input_requests=dict(needs), request_state=state)


def _fits(response: object) -> bool:
    return response is not None and not (isinstance(response, ElicitResult) and response.action != "accept")


def prompt_context(params: InputResponseRequestParams) -> Asked:
    """Ask what the prompt that asks is about."""
    return missing(params, _CONTEXT)


async def _answer(_: Context, name: str, params: InputResponseRequestParams) -> CallToolResult | InputRequiredResult:
    if asked := missing(params, _NEEDS[name]):
        return asked
    given = params.input_responses or {}
    told = ["state-ok"] if params.request_state == "round-1" else []
    return said(*told, *(str(given[each].model_dump(mode="json", by_alias=True)) for each in _NEEDS[name]))


async def _step(_: Context, __: str, params: InputResponseRequestParams) -> CallToolResult | InputRequiredResult:
    """Ask one thing after the other; the state says how far this has come."""
    done = int(params.request_state or 0)
    if done < len(_STEPS) and _STEPS[done][0] in (params.input_responses or {}):
        done += 1
    if done == len(_STEPS):
        return said("All steps are done.")
    name, request = _STEPS[done]
    return InputRequiredResult(input_requests={name: request}, request_state=str(done))


async def _within_capabilities(
    context: Context, _: str, params: InputResponseRequestParams
) -> CallToolResult | InputRequiredResult:
    """Ask only for what the client has said that it can give."""
    can = context.session.client_capabilities or ClientCapabilities()
    wanted: dict[str, InputRequest] = {}
    if can.elicitation:
        wanted["user_name"] = _NAME
    if can.sampling:
        wanted["greeting"] = _GREETING
    return missing(params, wanted) or said("Nothing is left to ask.")


# -- on a stream


async def _need_sampling(context: Context, _: str, __: InputResponseRequestParams) -> CallToolResult:
    can = context.session.client_capabilities
    if can is None or can.sampling is None:
        _refuse(ClientCapabilities(sampling=SamplingCapability()))
    return said("The client can sample.")


def _refuse(required: ClientCapabilities) -> NoReturn:
    data = MissingRequiredClientCapabilityErrorData(required_capabilities=required)
    told = data.model_dump(by_alias=True, mode="json", exclude_none=True)
    raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "The client has to declare sampling.", told)


async def _log(context: Context, _: str, __: InputResponseRequestParams) -> CallToolResult:
    for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", text)
    return said("Three messages were sent.")


async def _progress(context: Context, _: str, __: InputResponseRequestParams) -> CallToolResult:
    for progress in (0, 50, 100):
        await context.session.report_progress(progress, 100)
    return said("Three reports were sent.")


async def _sample_now(context: Context, _: str, params: InputResponseRequestParams) -> CallToolResult:
    request = _sample("What is the capital of France?").params
    answer = await context.session.create_message(request.messages, max_tokens=request.max_tokens)
    return said(f"LLM response: {answer.content}")


async def _elicit_now(context: Context, name: str, _: InputResponseRequestParams) -> CallToolResult:
    answer = await context.session.elicit_form("Please answer.", _SCHEMAS[name])
    return said(f"Elicitation completed: action={answer.action}, content={answer.content}")


def _object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": []}


_ONE: Final = ["option1", "option2", "option3"]
_TITLED: Final = [{"const": "value1", "title": "First Option"}, {"const": "value2", "title": "Second Option"}]
_SCHEMAS: Final = {
    "test_elicitation": _object(username=_TEXT, email=_TEXT),
    "test_elicitation_sep1034_defaults": _object(
        name={**_TEXT, "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={**_TEXT, "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    ),
    "test_elicitation_sep1330_enums": _object(
        untitledSingle={**_TEXT, "enum": _ONE},
        titledSingle={**_TEXT, "oneOf": _TITLED},
        legacyEnum={**_TEXT, "enum": _ONE, "enumNames": ["Option One", "Option Two", "Option Three"]},
        untitledMulti={"type": "array", "items": {**_TEXT, "enum": _ONE}},
        titledMulti={"type": "array", "items": {"anyOf": _TITLED}},
    ),
}
if TYPE_CHECKING:
    Asking = Callable[[Context, str, InputResponseRequestParams], Awaitable[CallToolResult | InputRequiredResult]]
TOOLS: Final[Mapping[str, Asking]] = {
    **dict.fromkeys(_NEEDS, _answer),
    "test_input_required_result_multi_round": _step,
    "test_input_required_result_capabilities": _within_capabilities,
    "test_missing_capability": _need_sampling,
    "test_tool_with_logging": _log,
    "test_logging_tool": _log,
    "test_tool_with_progress": _progress,
    "test_sampling": _sample_now,
    **dict.fromkeys(_SCHEMAS, _elicit_now),
}
