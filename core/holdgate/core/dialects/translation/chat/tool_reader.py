"""Tools and tool choice of chat requests, as agents write them, in the neutral form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from holdgate.core.dialects.raw_events import items, members
from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.chat.content_reader import cache_mark, refuse
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.values.neutral import Choice, Custom, Function, Hosted, Tool

Members = dict[str, msgspec.Raw]

# Tools that vendors run themselves, by what they are (OpenAI, OpenRouter, Z.ai, xAI).
_KINDS = {
    "web_search": "web_search",
    "web_search_preview": "web_search",
    "live_search": "web_search",
    "browser_search": "web_search",
    "code_interpreter": "code",
    "computer_use_preview": "computer",
}


def tools_in(found: Members) -> Iterator[Tool]:
    """Give the tools of a request: `tools`, the older `functions`, the search that it may do."""
    yield from map(_tool, *_listed(found, "tools"))
    for item, path in zip(*_listed(found, "functions"), strict=True):
        yield _function(item, path, None)
    if (options := _raw(found, "web_search_options")) is not None:
        yield Hosted("web_search", options)


def _listed(found: Members, name: str) -> tuple[list[Members], list[str]]:
    raw = _raw(found, name)
    if raw is None:
        return [], []
    listed = items(msgspec.Raw(raw))
    if listed is None:
        raise refuse(name, "a list of objects")
    return listed, [f"{name}[{number}]" for number in range(len(listed))]


def _raw(found: Members, name: str) -> bytes | None:
    """Give a member's JSON text; None if it is missing or null."""
    raw = bytes(found.get(name, b"")).strip()
    return None if raw in (b"", b"null") else raw


def _value(found: Members, name: str) -> Any:
    raw = _raw(found, name)
    return None if raw is None else loads(raw)


def _tool(item: Members, path: str) -> Tool:
    kind = texts(_value(item, "type")) or "function"
    if kind == "function":
        # Some agents leave the wrapping out, as the Responses API does.
        inner = members(item.get("function")) if "function" in item else item
        if inner is None:
            raise refuse(f"{path}.function", "an object")
        return _function(inner, f"{path}.function", item)
    if kind == "custom":
        inner = members(item.get("custom")) if "custom" in item else item
        if inner is None or not isinstance(name := _value(inner, "name"), str):
            raise refuse(f"{path}.custom.name", "a text")
        format = _raw(inner, "format") or b""
        return Custom(name, texts(_value(inner, "description")), format)
    return Hosted(_KINDS.get(kind, kind), msgspec.json.encode(item))


def _function(item: Members, path: str, outer: Members | None) -> Function:
    name = _value(item, "name")
    if not isinstance(name, str) or not name:
        raise refuse(f"{path}.name", "a text that is not empty")
    parameters = _raw(item, "parameters") or b""
    if parameters and not parameters.startswith(b"{"):
        raise refuse(f"{path}.parameters", "a JSON Schema object")
    strict = _value(item, "strict")
    mark = {"cache_control": _value(outer, "cache_control")} if outer is not None else {}
    return Function(
        name,
        texts(_value(item, "description")),
        parameters,
        strict if isinstance(strict, bool) else None,
        cache_mark(mark),
    )


def choice_in(value: Any, legacy: Any) -> Choice | None:
    """Give which tools the model may call: of `tool_choice`, or the older `function_call`."""
    if value is None and legacy is not None:
        value = legacy if isinstance(legacy, str) else {"type": "function", "function": legacy}
    match value:
        case None:
            return None
        case "auto" | "none" | "required":
            return Choice(value)
        case "any":  # Mistral's word
            return Choice("required")
        case {"type": "allowed_tools"}:
            inner = member(value, "allowed_tools") or value
            listed = member(inner, "tools")
            names = tuple(filter(None, map(_name, listed if isinstance(listed, list) else ())))
            return Choice("required" if member(inner, "mode") == "required" else "auto", names)
        case dict() if name := _name(value):
            return Choice("one", (name,))
        case {"type": str()}:
            return Choice("required")  # a tool that the vendor runs; it is none of the functions
    raise refuse("tool_choice", "none, auto, required or an object that names a tool")


def _name(value: Any) -> str:
    return (
        texts(member(value, "function", "name"))
        or texts(member(value, "custom", "name"))
        or texts(member(value, "name"))
    )
