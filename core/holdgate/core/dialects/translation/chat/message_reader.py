"""Messages of chat requests, as agents write them, in the neutral form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, cast

from msgspec.structs import replace

from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.chat.content_reader import content_parts, refuse
from holdgate.core.dialects.translation.chat.slots import (
    SIGNATURE,
    seal_in,
    signature_of,
    thoughts,
)
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral import (
    Audio,
    Call,
    Document,
    Image,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)

_FUNCTION_CALL = "function_call"


class MessageReader:
    """Understands one request's messages; what cannot be kept is in `losses`."""

    __slots__ = ("_legacy", "losses")

    def __init__(self) -> None:
        """Start before the first message."""
        self.losses: list[Loss] = []
        self._legacy = 0

    def read(self, value: Any) -> tuple[Message, ...]:
        """Give the messages. Raises Fault(REQUEST) for what is none."""
        if not isinstance(value, list) or not value:
            raise refuse("messages", "a list of at least one message")
        return tuple(self._message(item, f"messages[{n}]") for n, item in enumerate(value))

    def _message(self, item: Any, path: str) -> Message:
        if not isinstance(item, dict):
            raise refuse(path, "an object")
        name = texts(item.get("name"))
        match item.get("role"):
            case "system" | "developer" | "user" as role:
                spoken = cast(Literal["system", "developer", "user"], role)
                return Message(spoken, tuple(self._content(item, path)), name)
            case "assistant":
                return Message("assistant", tuple(self._answer(item, path)), name)
            case "tool":
                call_id = item.get("tool_call_id")
                if not isinstance(call_id, str):
                    raise refuse(f"{path}.tool_call_id", "a text")
                return Message("user", (self._result(item, path, call_id, name),))
            case "function":
                id = f"{_FUNCTION_CALL}_{max(0, self._legacy - 1)}"
                return Message("user", (self._result(item, path, id, name),))
        raise refuse(f"{path}.role", "system, developer, user, assistant or tool")

    def _content(self, item: dict[str, Any], path: str) -> Iterator[Part]:
        return content_parts(item.get("content"), f"{path}.content", self.losses.append)

    def _result(self, item: dict[str, Any], path: str, call_id: str, name: str) -> Result:
        parts: list[Text | Image | Document] = []
        for part in self._content(item, path):
            match part:
                case Text() | Image() | Document():
                    parts.append(part)
                case Refusal(text=text):
                    parts.append(Text(text))
                case _:
                    self.losses.append(Loss(f"{path}.content", "sound in a result", grave=True))
        return Result(call_id, tuple(parts), name=name)

    def _answer(self, item: dict[str, Any], path: str) -> Iterator[Part]:
        shown = item.get("reasoning_content") or item.get("reasoning")
        yield from thoughts(texts(shown), item.get("reasoning_details"))
        yield from self._said(item, path)
        if isinstance(refusal := item.get("refusal"), str) and refusal:
            yield Refusal(refusal)
        if item.get("audio") is not None:
            self.losses.append(Loss(f"{path}.audio", "an earlier spoken answer"))
        calls = item.get("tool_calls")
        if calls is not None and not isinstance(calls, list):
            raise refuse(f"{path}.tool_calls", "a list")
        for number, call in enumerate(calls or ()):
            yield self._call(call, f"{path}.tool_calls[{number}]")
        if isinstance(call := item.get(_FUNCTION_CALL), dict):
            id = f"{_FUNCTION_CALL}_{self._legacy}"
            self._legacy += 1
            yield Call(id, texts(call.get("name")), arguments(call.get("arguments")))

    def _said(self, item: dict[str, Any], path: str) -> Iterator[Part]:
        """Give the content; a signature of the message belongs to its last text."""
        parts = [
            part
            for part in self._content(item, path)
            if not isinstance(part, Image | Document | Audio) or self._unsayable(path)
        ]
        if signature := signature_of(item):
            seal = seal_in(signature, SIGNATURE)
            if parts and isinstance(last := parts[-1], Text):
                parts[-1] = replace(last, seals=(seal,))
            else:
                parts.append(Reasoning(seals=(seal,)))
        yield from parts

    def _unsayable(self, path: str) -> bool:
        self.losses.append(Loss(f"{path}.content", "an assistant's image, file or sound"))
        return False

    def _call(self, item: Any, path: str) -> Call:
        if not isinstance(item, dict):
            raise refuse(path, "an object")
        id = texts(item.get("id"))
        signature = signature_of(item)
        seals = (seal_in(signature, SIGNATURE),) if signature else ()
        if item.get("type") == "custom" or isinstance(item.get("custom"), dict):
            name, text = member(item, "custom", "name"), member(item, "custom", "input")
            if not isinstance(name, str):
                raise refuse(f"{path}.custom.name", "a text")
            return Call(id, name, texts(text), custom=True, seals=seals)
        name = member(item, "function", "name")
        if not isinstance(name, str):
            raise refuse(f"{path}.function.name", "a text")
        return Call(id, name, arguments(member(item, "function", "arguments")), seals=seals)


def arguments(value: Any) -> str:
    """Give a call's arguments as JSON text; nothing is an object without members."""
    if isinstance(value, str):
        return value if value.strip() else "{}"
    return dumps(value).decode() if value is not None else "{}"
