"""Reads the tools of an agent's request, and which of them the model may call."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.translation.messages import shapes
from holdgate.core.dialects.translation.messages.client_tools import function_of
from holdgate.core.dialects.translation.messages.shapes import given, mark_of
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Choice, Function, Hosted, Loss, Tool

# By the beginning of the type, which ends in a date.
_HOSTED = (
    ("web_search_", "web_search"),
    ("web_fetch_", "web_fetch"),
    ("code_execution_", "code"),
    ("computer_", "computer"),
)
# The agent runs these itself and relies on calls that no other vendor's model can make.
_RELIED_ON = ("computer_", "browser_")


def read_tools(
    tools: list[shapes.Tool] | None, raws: list[msgspec.Raw], losses: list[Loss]
) -> tuple[Tool, ...]:
    """Give the tools; `raws` are the same as JSON text."""
    return tuple(
        _tool(tool, bytes(raw), f"tools[{index}]", losses)
        for index, (tool, raw) in enumerate(zip(tools or (), raws, strict=False))
    )


def _tool(tool: shapes.Tool, raw: bytes, path: str, losses: list[Loss]) -> Tool:
    cache = mark_of(tool.cache_control)
    if tool.type in (None, "", "custom"):
        if not tool.name:
            raise Fault(FaultKind.REQUEST, f"{path}: a tool needs a name")
        return Function(
            tool.name, tool.description or "", given(tool.input_schema), tool.strict, cache
        )
    type = tool.type or ""
    if function := function_of(type, tool.name, cache):
        return function
    if type.startswith(_RELIED_ON):
        losses.append(Loss(path, f"a tool of type {type}", grave=True))
    kind = next((kind for beginning, kind in _HOSTED if type.startswith(beginning)), type)
    return Hosted(kind, raw)


def read_choice(choice: shapes.ToolChoice | None) -> Choice | None:
    """Give which tools may or must be called."""
    match choice:
        case None:
            return None
        case shapes.ToolChoice(type="any"):
            return Choice("required")
        case shapes.ToolChoice(type="tool", name=name):
            return Choice("one", (name,))
        case shapes.ToolChoice(type="none"):
            return Choice("none")
        case shapes.ToolChoice(type="auto"):
            return Choice("auto")
        case _:
            words = f"tool_choice.type: {choice.type} is none of auto, any, tool, none"
            raise Fault(FaultKind.REQUEST, words)
