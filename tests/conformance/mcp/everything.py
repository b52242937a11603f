"""A server that has all that the conformance suite looks for, behind the gateway's own door.

The product's tools are other ones. This one shows that its door, its loops and the SDK as it is set up there carry what
the protocol has: only the server that is served is another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    InputRequiredResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    Prompt,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)

from mcp_gateway import handler as gateway
from mcp_gateway import serving
from tests.conformance.mcp import contents, questions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams
    from pydantic import JsonValue

    Context = ServerRequestContext[dict[str, object]]

NAME: Final = "everything"
_HINT: Final = CacheHint(ttl_ms=60_000, scope="public")
_TOOLS: Final = [
    *map(contents.described, (*contents.ANSWERS, *questions.TOOLS)),
    contents.SCHEMA_TOOL,
    contents.HEADER_TOOL,
]
_SCHEMAS: Final = {tool.name: tool.input_schema for tool in _TOOLS}


def build() -> Server[dict[str, object]]:
    """Make the server."""
    made: Server[dict[str, object]] = Server(
        NAME,
        version="1",
        cache_hints={
            "server/discover": _HINT,
            "tools/list": _HINT,
            "resources/list": _HINT,
            "resources/templates/list": _HINT,
            "resources/read": _HINT,
            "prompts/list": _HINT,
        },
        get_tool_input_schema=_SCHEMAS.get,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_subscribe,
        on_unsubscribe_resource=_unsubscribe,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
        on_set_logging_level=_set_level,
    )
    made.middleware.append(RequestStateBoundary(_STATES, default_audience=NAME))
    return made


# A question and its answer may come to different loops.
_STATES: Final = RequestStateSecurity.ephemeral()
_LOOPS: Final = serving.Loops(build)


def handler(event: Mapping[str, JsonValue], context: LambdaContext) -> dict[str, JsonValue]:
    """Answer as the gateway does, with another server."""
    return gateway.answered(event, context, _LOOPS)


async def _list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=_TOOLS)


async def _call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
    if params.name in contents.ANSWERS:
        return contents.ANSWERS[params.name]
    if params.name in questions.TOOLS:
        return await questions.TOOLS[params.name](context, params.name, params)
    if params.name in _SCHEMAS:
        return contents.said(str(params.arguments))
    raise MCPError(INVALID_PARAMS, f"Unknown tool: {params.name}")


async def _list_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
    return ListResourcesResult(resources=contents.RESOURCES)


async def _list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=contents.TEMPLATES)


async def _read_resource(_: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    found = contents.resource(params.uri)
    if found is None:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": params.uri})
    return ReadResourceResult(contents=[found])


async def _subscribe(_: Context, __: SubscribeRequestParams) -> EmptyResult:
    return EmptyResult()


async def _unsubscribe(_: Context, __: UnsubscribeRequestParams) -> EmptyResult:
    return EmptyResult()


async def _list_prompts(_: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
    return ListPromptsResult(prompts=[*contents.PROMPTS, Prompt(name=questions.PROMPT, description="Asks first.")])


async def _get_prompt(_: Context, params: GetPromptRequestParams) -> GetPromptResult | InputRequiredResult:
    if params.name == questions.PROMPT:
        return questions.prompt_context(params) or contents.prompted(TextContent(text="The context is known."))
    found = contents.prompt(params.name, params.arguments or {})
    if found is None:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name}")
    return found


async def _complete(_: Context, __: CompleteRequestParams) -> CompleteResult:
    return CompleteResult(completion=Completion(values=[], total=0, has_more=False))


async def _set_level(_: Context, __: SetLevelRequestParams) -> EmptyResult:
    return EmptyResult()
