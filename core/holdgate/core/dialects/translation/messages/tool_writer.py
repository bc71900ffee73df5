"""Writes tools, and which of them may be called, for a Messages vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.custom_tools import as_function
from holdgate.core.dialects.translation.hosted_tools import Search, chosen, search_of
from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.dialects.translation.messages.block_writer import cache_control
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Call,
    Choice,
    Custom,
    Function,
    Hosted,
    Loss,
    Message,
    Namespace,
    Request,
    Tool,
)

_NOT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
# The reference allows 128, older and imitated ones 64.
_LONGEST_NAME = 64
_NO_ARGUMENTS = b'{"type":"object","properties":{}}'
_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_HOSTED: dict[str, Json] = {
    "web_search": {"type": "web_search_20250305", "name": "web_search"},
    "web_fetch": {"type": "web_fetch_20250910", "name": "web_fetch"},
    "code": {"type": "code_execution_20250825", "name": "code_execution"},
}
# The reference refuses these at the top of a schema.
_ALTERNATIVES = ("anyOf", "oneOf", "allOf")


def names_of(request: Request) -> ToolNames:
    """Give the names by which the tools are told."""
    return ToolNames(
        request.tools, forbidden=_NOT_IN_NAME, longest=_LONGEST_NAME, custom=False, namespaces=False
    )


def write_tools(
    request: Request, target: Target, names: ToolNames, losses: list[Loss]
) -> list[Json]:
    """Give the tools. Where a choice allows only some, only those: there is no other way here."""
    allowed = _allowed(request.choice)
    return [
        told
        for index, tool in enumerate(request.tools)
        for told in _tool(tool, f"tools[{index}]", target, names, losses, allowed)
    ]


def write_choice(
    request: Request, names: ToolNames, tools: list[Json], losses: list[Loss]
) -> Json | None:
    """Give `tool_choice`, None where nothing is to be said."""
    if not tools:
        return None
    choice = request.choice
    mode = choice.mode if choice is not None else ""
    if mode == "none":
        return {"type": "none"}
    told: Json = {"type": {"required": "any", "one": "tool"}.get(mode, "auto")}
    if choice is not None and mode == "one" and choice.allowed:
        hosted = chosen(choice, request.tools)
        name = str(_HOSTED[hosted.kind]["name"]) if hosted and hosted.kind in _HOSTED else ""
        name = name or _told(choice.allowed[0], request.tools, names)
        if hosted and not any(tool["name"] == name for tool in tools):
            losses.append(Loss("tool_choice", f"a tool that a vendor runs itself: {hosted.kind}"))
            return None
        told["name"] = name
    if request.parallel is False:
        told["disable_parallel_tool_use"] = True
    return told if mode or request.parallel is False else None


def stand_ins(messages: tuple[Message, ...], names: ToolNames) -> list[Json]:
    """Give tools for the calls of a history that is sent without any: some vendors demand them."""
    called = dict.fromkeys(
        names.told(part.name, part.namespace)
        for message in messages
        for part in message.parts
        if isinstance(part, Call)
    )
    return [{"name": name, "input_schema": msgspec.Raw(_NO_ARGUMENTS)} for name in called]


def _allowed(choice: Choice | None) -> frozenset[str] | None:
    if choice is None or not choice.allowed or choice.mode in ("one", "none"):
        return None
    return frozenset(choice.allowed)


def _told(name: str, tools: tuple[Tool, ...], names: ToolNames) -> str:
    """Give the name of a chosen tool, which may be one within a namespace."""
    spaces = [
        tool.name
        for tool in tools
        if isinstance(tool, Namespace) and any(inner.name == name for inner in tool.tools)
    ]
    plain = any(not isinstance(t, Namespace | Hosted) and t.name == name for t in tools)
    return names.told(name, spaces[0] if spaces and not plain else "")


def _tool(
    tool: Tool,
    path: str,
    target: Target,
    names: ToolNames,
    losses: list[Loss],
    allowed: frozenset[str] | None,
) -> Iterator[Json]:
    match tool:
        case Hosted():
            yield from _hosted(tool, path, target, losses)
        case Namespace():
            for inner in tool.tools:
                if allowed is None or inner.name in allowed or tool.name in allowed:
                    yield _function(inner, tool.name, path, names, losses)
        case _:
            if allowed is None or tool.name in allowed:
                yield _function(tool, "", path, names, losses)


def _function(
    tool: Function | Custom, namespace: str, path: str, names: ToolNames, losses: list[Loss]
) -> Json:
    function = as_function(tool) if isinstance(tool, Custom) else tool
    told: Json = {"name": names.told(tool.name, namespace)}
    if function.description:
        told["description"] = function.description
    told["input_schema"] = msgspec.Raw(input_schema(function.parameters, path, losses))
    if function.cache is not None:
        told["cache_control"] = cache_control(function.cache)
    if function.strict:
        losses.append(Loss(path, "strict arguments: the limits on schemas differ"))
    return told


def input_schema(parameters: bytes, path: str, losses: list[Loss]) -> bytes:
    """Give a schema that is an object's at its top; one that is fine stays as it is written."""
    try:
        schema = _members.decode(parameters or _NO_ARGUMENTS)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        schema = _loosely(parameters)
        if not schema:
            losses.append(Loss(path, "a schema that is no JSON object"))
            return _NO_ARGUMENTS
    if bytes(schema.get("type", b"")) == b'"object"' and not any(
        a in schema for a in _ALTERNATIVES
    ):
        return parameters or _NO_ARGUMENTS
    return _as_object(schema, path, losses)


def _loosely(parameters: bytes) -> dict[str, msgspec.Raw]:
    try:
        value = loads(parameters)
        return _members.decode(dumps(value)) if isinstance(value, dict) else {}
    except (ValueError, RecursionError, OverflowError):
        return {}


def _as_object(schema: dict[str, msgspec.Raw], path: str, losses: list[Loss]) -> bytes:
    """Make a schema one of an object: the properties of alternatives are put together."""
    told = {"type": msgspec.Raw(b'"object"')} | schema | {"type": msgspec.Raw(b'"object"')}
    properties = _object(schema.get("properties"))
    for keyword in _ALTERNATIVES:
        if keyword in told:
            losses.append(Loss(path, f"{keyword} at the top of a schema: its properties are kept"))
            for branch in _branches(told.pop(keyword)):
                properties = _object(branch.get("properties")) | properties
    if properties or "properties" not in told:
        told["properties"] = msgspec.Raw(dumps(properties))
    return dumps(told)


def _object(raw: msgspec.Raw | None) -> dict[str, msgspec.Raw]:
    try:
        return _members.decode(raw or b"{}")
    except (msgspec.DecodeError, RecursionError):
        return {}


def _branches(raw: msgspec.Raw) -> list[dict[str, msgspec.Raw]]:
    try:
        return msgspec.json.decode(raw, type=list[dict[str, msgspec.Raw]])
    except (msgspec.DecodeError, RecursionError):
        return []


def _hosted(tool: Hosted, path: str, target: Target, losses: list[Loss]) -> Iterator[Json]:
    told = _HOSTED.get(tool.kind)
    if told is None or tool.kind not in target.hosted:
        why = f"a tool that a vendor runs itself: {tool.kind}"
        losses.append(Loss(path, why, grave=tool.kind == "computer"))
        return
    yield told | _search_options(search_of(tool)) if tool.kind == "web_search" else dict(told)


def _search_options(search: Search) -> Json:
    """Give where a search may look; the vendor takes one of the two lists."""
    found: Json = {}
    if search.allowed:
        found["allowed_domains"] = list(search.allowed)
    elif search.blocked:
        found["blocked_domains"] = list(search.blocked)
    if search.most:
        found["max_uses"] = search.most
    return found | search.location
