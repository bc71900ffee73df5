"""Tools, tool choice and schemas, as chat vendors take them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, assert_never

import msgspec

from holdgate.core.dialects.reading import Json, member
from holdgate.core.dialects.translation.chat.quirks import Quirks
from holdgate.core.dialects.translation.chat.schemas import acceptable
from holdgate.core.dialects.translation.custom_tools import as_function
from holdgate.core.dialects.translation.hosted_tools import chosen
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Choice,
    Custom,
    Function,
    Hosted,
    Loss,
    Namespace,
    Request,
    Tool,
)

FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
LONGEST = 64


class ToolWriter:
    """Writes one request's tools; what cannot be said is in `losses`."""

    __slots__ = ("_hosted", "_quirks", "_request", "losses", "names")

    def __init__(self, request: Request, quirks: Quirks, hosted: frozenset[str]) -> None:
        """Name the tools as the vendor is told them."""
        self._request, self._quirks, self._hosted = request, quirks, hosted
        self.names = ToolNames(
            request.tools,
            forbidden=FORBIDDEN,
            longest=LONGEST,
            custom=quirks.openai,
            namespaces=False,
        )
        self.losses: list[Loss] = []

    def write(self) -> Json:
        """Give the members that tell tools and which of them may be called."""
        found: dict[str, Any] = {}
        if tools := list(self._tools()):
            found["tools"] = tools
            found |= self._choice(self._request.choice)
            found |= self._parallel()
        if self._searches():
            found["web_search_options"] = {}
        return found

    def _tools(self) -> Iterator[Json]:
        for number, tool in enumerate(self._request.tools):
            yield from self._tool(tool, f"tools[{number}]")

    def _tool(self, tool: Tool, path: str) -> Iterator[Json]:
        match tool:
            case Function() | Custom():
                yield from self._plain(tool, "", path)
            case Namespace(tools=inner):
                for one in inner:
                    yield from self._plain(one, tool.name, path)
            case Hosted(kind=kind):
                if not (kind == "web_search" and self._searches()):
                    why = f"{kind}: a tool that this vendor does not run"
                    self.losses.append(Loss(path, why, kind == "computer"))
            case _:
                assert_never(tool)

    def _plain(self, tool: Function | Custom, namespace: str, path: str) -> Iterator[Json]:
        if not self._is_allowed(tool):
            return
        name = self.names.told(tool.name, namespace)
        if isinstance(tool, Custom):
            if self._quirks.openai:
                yield {"type": "custom", "custom": _custom(tool, name)}
                return
            tool = as_function(tool)
        elif tool.strict and not self._quirks.openai:
            self.losses.append(Loss(path, "strict arguments: not known to this vendor"))
        yield {"type": "function", "function": self._function(tool, name)}

    def _is_allowed(self, tool: Function | Custom) -> bool:
        """Tell whether a tool is told: who knows no `allowed_tools` is not told of the others."""
        choice = self._request.choice
        if choice is None or choice.mode == "one" or not choice.allowed or self._quirks.openai:
            return True
        return tool.name in choice.allowed

    def _function(self, tool: Function, name: str) -> Json:
        found: dict[str, Any] = {"name": name}
        if tool.description:
            found["description"] = tool.description
        found["parameters"] = msgspec.Raw(acceptable(tool.parameters, self._quirks.schema))
        if tool.strict is not None and self._quirks.openai:
            found["strict"] = tool.strict
        return found

    def _choice(self, choice: Choice | None) -> Json:
        if choice is None:
            return {}
        if (hosted := chosen(choice, self._request.tools)) is not None:
            if not self._searches():
                why = f"{hosted.kind}: a tool that this vendor does not run"
                self.losses.append(Loss("tool_choice", why))
            return {}
        can_force = self._quirks.can_force(self._request.effort)
        if choice.mode in ("required", "one") and not can_force:
            self.losses.append(Loss("tool_choice", "this vendor's model cannot be made to call"))
            return {}
        if choice.mode == "one":
            return {"tool_choice": self._named(choice.allowed[0])} if choice.allowed else {}
        if choice.allowed and self._quirks.openai and choice.mode != "none":
            tools = [self._named(name) for name in choice.allowed]
            allowed = {"mode": choice.mode, "tools": tools}
            return {"tool_choice": {"type": "allowed_tools", "allowed_tools": allowed}}
        return {"tool_choice": choice.mode}

    def _named(self, name: str) -> Json:
        kind, told = "function", name
        for tool in self._request.tools:
            if isinstance(tool, Function | Custom) and tool.name == name:
                kind, told = self._kind(tool), self.names.told(name)
            elif isinstance(tool, Namespace):
                for inner in tool.tools:
                    if inner.name == name:
                        kind, told = self._kind(inner), self.names.told(name, tool.name)
        return {"type": kind, kind: {"name": told}}

    def _kind(self, tool: Function | Custom) -> str:
        return "custom" if isinstance(tool, Custom) and self._quirks.openai else "function"

    def _parallel(self) -> Json:
        parallel = self._request.parallel
        if parallel is None or (parallel and not self._quirks.openai):
            return {}  # all vendors allow several calls unless told otherwise
        if self._quirks.no_parallel_tool_calls:
            self.losses.append(Loss("parallel_tool_calls", "this vendor may call several at once"))
            return {}
        return {"parallel_tool_calls": parallel}

    def _searches(self) -> bool:
        asked = any(isinstance(t, Hosted) and t.kind == "web_search" for t in self._request.tools)
        return asked and self._quirks.openai and "web_search" in self._hosted


def _custom(tool: Custom, name: str) -> Json:
    found: dict[str, Any] = {"name": name}
    if tool.description:
        found["description"] = tool.description
    if format := _format(tool.format):
        found["format"] = format
    return found


def _format(format: bytes) -> Json | None:
    """Give a custom tool's format: the Responses API has the grammar's members beside `type`."""
    try:
        value = loads(format) if format else None
    except ValueError:
        return None
    grammar = member(value, "grammar") or value
    definition, syntax = member(grammar, "definition"), member(grammar, "syntax")
    if not isinstance(definition, str) or not isinstance(syntax, str):
        return None
    return {"type": "grammar", "grammar": {"syntax": syntax, "definition": definition}}
