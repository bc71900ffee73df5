"""An agent's tools and its choice among them, understood."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects.raw_events import Members, is_empty, members, text
from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.responses.content_reader import fault
from holdgate.core.dialects.translation.responses.own_tools import as_function
from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Function,
    Hosted,
    Loss,
    Namespace,
    Tool,
)

# The neutral names of tools that vendors run, where they differ from their type.
_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "web_search_preview": "web_search",
        "code_interpreter": "code",
        "computer_use_preview": "computer",
    }
)
_list = msgspec.json.Decoder(list[msgspec.Raw])
_bool = msgspec.json.Decoder(bool)


def read_tools(tools: bytes, path: str, losses: list[Loss]) -> tuple[Tool, ...]:
    """Give the tools in a JSON list. Raises Fault if it is none."""
    if is_empty(msgspec.Raw(tools)):
        return ()
    try:
        found = _list.decode(tools)
    except msgspec.DecodeError as error:
        raise fault(path, "must be a list") from error
    return tuple(_tools(found, path, losses))


def _tools(found: list[msgspec.Raw], path: str, losses: list[Loss]) -> Iterator[Tool]:
    seen: set[tuple[str, str]] = set()  # an item may bring a tool along that was there before
    for number, raw in enumerate(found):
        here = f"{path}[{number}]"
        tool = members(raw)
        if tool is None:
            raise fault(here, "must be an object")
        read = _tool(tool, raw, here, losses)
        if isinstance(read, Namespace):
            inner = tuple(_unseen(read.tools, read.name, seen))
            if inner or not read.tools:
                yield replace(read, tools=inner)
        elif isinstance(read, Hosted):
            yield read
        else:
            yield from _unseen((read,), "", seen)


def _unseen(
    tools: tuple[Function | Custom, ...], namespace: str, seen: set[tuple[str, str]]
) -> Iterator[Function | Custom]:
    for tool in tools:
        if (namespace, tool.name) not in seen:
            seen.add((namespace, tool.name))
            yield tool


def _tool(tool: Members, raw: msgspec.Raw, path: str, losses: list[Loss]) -> Tool:
    kind = text(tool.get("type")) or "function"
    if kind in ("function", "custom"):
        # Some agents write the tool as chat has it, one level deeper.
        return _own(kind, members(tool.get(kind)) or tool, path)
    if kind == "namespace":
        inner = read_tools(bytes(tool.get("tools", b"")), f"{path}.tools", losses)
        own = tuple(each for each in inner if isinstance(each, Function | Custom))
        if len(own) < len(inner):
            losses.append(Loss(path, "tools in it that are neither function nor custom", True))
        return Namespace(_name(tool, path), own, text(tool.get("description")) or "")
    if (function := as_function(kind, tool)) is not None:
        return function
    return Hosted(_KINDS.get(_undated(kind), _undated(kind)), bytes(raw))


def _undated(kind: str) -> str:
    """Give a type without the date of its version: `web_search_preview_2025_03_11`."""
    return kind.rsplit("_20", 1)[0]


def _own(kind: str, tool: Members, path: str) -> Function | Custom:
    name, description = _name(tool, path), text(tool.get("description")) or ""
    if kind == "custom":
        return Custom(name, description, _object(tool.get("format")))
    parameters = _object(tool.get("parameters"))
    return Function(name, description, parameters, _flag(tool.get("strict")))


def _name(tool: Members, path: str) -> str:
    name = text(tool.get("name"))
    if not name:
        raise fault(f"{path}.name", "must be a text")
    return name


def _object(raw: msgspec.Raw | None) -> bytes:
    return b"" if raw is None or members(raw) is None else bytes(raw)


def _flag(raw: msgspec.Raw | None) -> bool | None:
    try:
        return _bool.decode(raw or b"")
    except msgspec.DecodeError:
        return None


def read_choice(choice: object, losses: list[Loss]) -> Choice | None:
    """Give which tools may or must be called; None if nothing is said."""
    match choice:
        case "auto" | "none" | "required":
            return Choice(_mode(choice))
        case {"type": "function" | "custom", "name": str(name)} if name:
            return Choice("one", (name,))
        case {"type": "function" | "custom", "function": {"name": str(name)}} if name:
            return Choice("one", (name,))
        case {"type": "allowed_tools", "tools": list(tools)}:
            names = tuple(filter(None, (texts(member(tool, "name")) for tool in tools)))
            return Choice(_mode(member(choice, "mode")), names)
        case {"type": "auto" | "none" | "required" as mode}:
            return Choice(_mode(mode))
        case None:
            return None
    losses.append(Loss("tool_choice", "a choice that only its vendor knows"))
    return None


def _mode(mode: object) -> Literal["auto", "none", "required"]:
    return "required" if mode == "required" else "none" if mode == "none" else "auto"
