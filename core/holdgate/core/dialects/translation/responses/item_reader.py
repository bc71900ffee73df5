"""Items of an agent's `input`, understood. Source: OpenAI API reference, Responses, input items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import cast

from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.responses.content_reader import (
    fault,
    read_content,
    read_output,
)
from holdgate.core.dialects.translation.responses.conversation import Conversation
from holdgate.core.dialects.translation.responses.hosted_items import told_as_text
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Document,
    Image,
    Loss,
    Message,
    Refusal,
    Result,
    Role,
    Text,
)

_ROLES = frozenset({"user", "assistant", "system", "developer"})
# What is lost with an item that cannot be told: why, and whether that changes what is meant.
_LOST: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        "item_reference": ("an item that only its vendor has stored", True),
        "compaction": ("a summary that only its vendor can read", True),
        "compaction_summary": ("a summary that only its vendor can read", True),
        "context_compaction": ("a summary that only its vendor can read", True),
        "computer_call": ("an action on a computer", True),
        "computer_call_output": ("a computer's screen", True),
        "image_generation_call": ("an image that the model made", True),
        "program": ("a program that called tools", True),
        "program_output": ("what a program gave", True),
        "web_search_call": ("a search that the vendor ran", False),
        "mcp_list_tools": ("the tools of a server that the vendor asked", False),
        "mcp_approval_request": ("a request for approval", False),
        "mcp_approval_response": ("an approval", False),
    }
)
# Marks of the agent's own or of its vendor; they say nothing to a model.
_NOISE = frozenset({"ghost_snapshot", "compaction_trigger", "configuration_update"})


def read_items(value: object, losses: list[Loss]) -> tuple[tuple[Message, ...], list[object]]:
    """Give the messages in `input`, and the tools that its items bring along.

    Raises Fault if it is none.
    """
    if isinstance(value, str):
        return (Message("user", (Text(value),)),), []
    if value is None:
        return (), []
    if not isinstance(value, list):
        raise fault("input", "must be a text or a list of items")
    reader = _Items(losses)
    for number, item in enumerate(value):
        path = f"input[{number}]"
        if isinstance(item, str):
            reader.conversation.say("user", (Text(item),))
        elif isinstance(item, dict):
            reader.take(item, path)
        else:
            raise fault(path, "must be an object")
    return reader.conversation.messages, reader.tools


class _Items:
    """Takes the items one by one."""

    def __init__(self, losses: list[Loss]) -> None:
        self.conversation = Conversation()
        self.tools: list[object] = []
        self._losses = losses
        self._read: Mapping[str, Callable[[Json, str], object]] = {
            "message": self._message,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
            "local_shell_call": self._own_call,
            "shell_call": self._own_call,
            "apply_patch_call": self._own_call,
            "tool_search_call": self._own_call,
            "local_shell_call_output": self._output,
            "shell_call_output": self._output,
            "apply_patch_call_output": self._output,
            "tool_search_output": self._found_tools,
            "additional_tools": self._more_tools,
        }

    def take(self, item: Json, path: str) -> None:
        kind = texts(item.get("type")) or ("message" if "role" in item else "item_reference")
        read = self._read.get(kind)
        if read is not None:
            read(item, path)
        elif (words := told_as_text(item)) is not None:
            self.conversation.say("assistant", (Text(words),))
            self._losses.append(Loss(path, f"{kind}, told as text"))
        elif kind not in _NOISE:
            why, grave = _LOST.get(kind, (f"an item of type {kind}", False))
            if kind == "item_reference" and texts(item.get("id")).startswith("rs_"):
                why, grave = "thinking that only its vendor has stored", False
            self._losses.append(Loss(path, why, grave))

    def _message(self, item: Json, path: str) -> None:
        role = texts(item.get("role")) or "user"
        if role not in _ROLES:
            raise fault(f"{path}.role", "must be user, assistant, system or developer")
        parts = read_content(item.get("content"), f"{path}.content", self._losses)
        if role == "assistant":
            parts = tuple(part for part in parts if self._is_sayable(part, path))
        self.conversation.say(cast(Role, role), parts)

    def _is_sayable(self, part: Text | Image | Document | Audio | Refusal, path: str) -> bool:
        if isinstance(part, Text | Refusal):
            return True
        self._losses.append(Loss(path, "media in an assistant's message", grave=True))
        return False

    def _reasoning(self, item: Json, path: str) -> None:
        shown = _joined(item.get("summary")) or _joined(item.get("content"))
        encrypted, id = texts(item.get("encrypted_content")), texts(item.get("id"))
        self.conversation.reason(shown, encrypted, id)

    def _call(self, item: Json, path: str) -> None:
        custom = item["type"] == "custom_tool_call"
        given = item.get("input" if custom else "arguments")
        if not isinstance(given, str):
            given = "" if given is None else dumps(given).decode()
        name = texts(item.get("name"))
        if not name:
            raise fault(f"{path}.name", "must be the name of a tool")
        id, namespace = _call_id(item), texts(item.get("namespace"))
        given = given if custom or given.strip() else "{}"
        self.conversation.call(Call(id, name, given, custom, namespace))

    def _own_call(self, item: Json, path: str) -> None:
        """Take a call of a tool that the dialect itself defines, as one of a function."""
        name = texts(item.get("type")).removesuffix("_call")
        given = item.get("action") or item.get("operation") or item.get("arguments") or {}
        arguments = given if isinstance(given, str) else dumps(given).decode()
        self.conversation.call(Call(_call_id(item), name, arguments))

    def _output(self, item: Json, path: str) -> None:
        parts, failed = read_output(item.get("output"), f"{path}.output", self._losses)
        result = Result(
            _call_id(item),
            parts,
            name=texts(item.get("name")),
            is_error=failed or item.get("status") == "failed",
            custom=item["type"] == "custom_tool_call_output",
        )
        self.conversation.result(result)

    def _found_tools(self, item: Json, path: str) -> None:
        found = [texts(member(tool, "name")) for tool in self._more_tools(item, path)]
        text = "found: " + (", ".join(filter(None, found)) or "nothing")
        self.conversation.result(Result(_call_id(item), (Text(text),), name="tool_search"))

    def _more_tools(self, item: Json, path: str) -> list[object]:
        tools = item.get("tools") or []
        if not isinstance(tools, list):
            raise fault(f"{path}.tools", "must be a list")
        self.tools.extend(tools)
        return tools


def _call_id(item: Json) -> str:
    return texts(item.get("call_id")) or texts(item.get("id"))


def _joined(parts: object) -> str:
    if not isinstance(parts, list):
        return texts(parts)
    return "\n\n".join(filter(None, (texts(member(part, "text")) for part in parts)))
