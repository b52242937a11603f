"""What the conformance suite wants to find on a server that gives and takes nothing but content.

Names, texts and schemas are the suite's own: each of its scenarios describes what it looks for.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    Prompt,
    PromptArgument,
    PromptMessage,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# One red pixel, and a sound that ends at once.
_PNG: Final = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
_WAV: Final = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
_PLAIN: Final = "text/plain"
_JSON: Final = "application/json"
_NOTHING: Final[dict[str, Any]] = {"type": "object", "additionalProperties": False}
_IMAGE: Final = ImageContent(data=_PNG, mime_type="image/png")


def said(*texts: str) -> CallToolResult:
    """Answer a tool call with texts."""
    return CallToolResult(content=[TextContent(text=text) for text in texts])


def described(name: str, schema: Mapping[str, Any] = _NOTHING) -> Tool:
    """Describe a tool by the suite's name for it."""
    return Tool(name=name, description=f"What the suite calls {name}.", input_schema=dict(schema))


# -- tools


def _embedded(uri: str, mime_type: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


_FORMS: Final[dict[str, list[ContentBlock]]] = {
    "test_simple_text": [TextContent(text="This is a simple text response for testing.")],
    "test_image_content": [_IMAGE],
    "test_audio_content": [AudioContent(data=_WAV, mime_type="audio/wav")],
    "test_embedded_resource": [
        _embedded("test://embedded-resource", _PLAIN, "This is an embedded resource content."),
    ],
    "test_multiple_content_types": [
        TextContent(text="Multiple content types test:"),
        _IMAGE,
        _embedded("test://mixed-content-resource", _JSON, '{"test":"data","value":123}'),
    ],
}
ANSWERS: Final = {
    **{name: CallToolResult(content=content) for name, content in _FORMS.items()},
    "test_error_handling": CallToolResult(
        content=[TextContent(text="This tool intentionally returns an error for testing")], is_error=True
    ),
}
# Every keyword has to arrive as it was sent (SEP-1613, SEP-2106).
SCHEMA_TOOL: Final = described(
    "json_schema_2020_12_tool",
    {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
)
# Its argument comes in a header too (SEP-2243).
HEADER_TOOL: Final = described(
    "test_header_argument",
    {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
        "additionalProperties": False,
    },
)


# -- resources

RESOURCES: Final = [
    Resource(uri="test://static-text", name="static-text", description="A text.", mime_type=_PLAIN),
    Resource(uri="test://static-binary", name="static-binary", description="An image.", mime_type="image/png"),
    Resource(uri="test://watched-resource", name="watched-resource", description="A text.", mime_type=_PLAIN),
]
TEMPLATES: Final = [
    ResourceTemplate(
        uri_template="test://template/{id}/data", name="template", description="Data by id.", mime_type=_JSON
    )
]


def resource(uri: str) -> TextResourceContents | BlobResourceContents | None:
    """Give what is at an address; None where nothing is."""
    if uri == "test://static-binary":
        return BlobResourceContents(uri=uri, mime_type="image/png", blob=_PNG)
    if uri.startswith("test://template/") and uri.endswith("/data"):
        key = uri.removeprefix("test://template/").removesuffix("/data")
        text = json.dumps({"id": key, "templateTest": True, "data": f"Data for ID: {key}"})
        return TextResourceContents(uri=uri, mime_type=_JSON, text=text)
    known = [each.uri for each in RESOURCES]
    text = f"This is the content of the {uri.removeprefix('test://').replace('-', ' ')} resource."
    return TextResourceContents(uri=uri, mime_type=_PLAIN, text=text) if uri in known else None


# -- prompts


def _takes(name: str, *arguments: str) -> Prompt:
    taken = [PromptArgument(name=each, required=True) for each in arguments]
    return Prompt(name=name, description=f"What the suite calls {name}.", arguments=taken)


PROMPTS: Final = [
    _takes("test_simple_prompt"),
    _takes("test_prompt_with_arguments", "arg1", "arg2"),
    _takes("test_prompt_with_embedded_resource", "resourceUri"),
    _takes("test_prompt_with_image"),
]


def prompt(name: str, arguments: Mapping[str, str]) -> GetPromptResult | None:
    """Give a prompt's messages; None for one that there is not."""
    match name:
        case "test_simple_prompt":
            return prompted(TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            first, second = arguments["arg1"], arguments["arg2"]
            return prompted(TextContent(text=f"Prompt with arguments: arg1='{first}', arg2='{second}'"))
        case "test_prompt_with_embedded_resource":
            carried = _embedded(arguments["resourceUri"], _PLAIN, "Embedded resource content for testing.")
            return prompted(carried, TextContent(text="Please process the embedded resource above."))
        case "test_prompt_with_image":
            return prompted(_IMAGE, TextContent(text="Please analyze the image above."))
    return None


def prompted(*contents: ContentBlock) -> GetPromptResult:
    """Answer with a message for each content."""
    return GetPromptResult(messages=[PromptMessage(role="user", content=each) for each in contents])
