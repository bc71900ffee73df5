"""Messages of a request, as chat vendors take them.

Only the first message may be of the system, since many vendors' templates take no other: what
stands there is joined, later ones are told by the user. Vendors who know better say so by a quirk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.call_ids import fit_id
from holdgate.core.dialects.translation.chat.content_writer import (
    content,
    joined,
    split_result,
    text_part,
    told_parts,
)
from holdgate.core.dialects.translation.chat.quirks import Quirks
from holdgate.core.dialects.translation.chat.slots import DETAILS, SIGNATURE, extra_content
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    CacheMark,
    Call,
    Document,
    Image,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Result,
    Seal,
    Text,
)

_SYSTEM = ("system", "developer")
_NO_ID = re.compile(r"[^\x21-\x7e]")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class MessageWriter:
    """Writes one request's messages; what cannot be said is in `losses`."""

    __slots__ = ("_longest_id", "_names", "_origin", "_quirks", "losses")

    def __init__(self, names: ToolNames, quirks: Quirks, origin: str) -> None:
        """Take how tools are told, the vendor's ways, and whose seals go back."""
        self._names, self._quirks, self._origin = names, quirks, origin
        self._longest_id = 40 if quirks.openai else 64
        self.losses: list[Loss] = []

    def write(self, messages: tuple[Message, ...]) -> list[Json]:
        """Give settled messages as chat has them."""
        if self._quirks.cache_marks and not any(map(_marks, messages)):
            messages = _marked(messages)
        found: list[Json] = []
        for number, message in enumerate(_ordered(messages, self._quirks)):
            path = f"messages[{number}]"
            if message.role == "assistant":
                found.extend(self._answer(message, path))
            elif message.role == "user":
                found.extend(self._turn(message, path))
            else:
                parts = self._parts(message.parts, path)
                texts = [part for part in parts if part["type"] == "text"]
                if len(texts) < len(parts):
                    self.losses.append(Loss(path, "more than text in a system message", grave=True))
                found.append({"role": message.role, "content": self._content(texts)})
        return found

    def _parts(self, parts: Iterable[Part], path: str) -> list[Json]:
        return told_parts(parts, path, self.losses.append, marks=self._quirks.cache_marks)

    def _content(self, parts: list[Json]) -> str | list[Json]:
        return content(parts, listed=self._quirks.cache_marks)

    def _turn(self, message: Message, path: str) -> Iterator[Json]:
        """Give a user's turn: a message for each result, then one for all the rest."""
        rest: list[Json] = []
        results: list[Json] = []
        for part in message.parts:
            if isinstance(part, Result):
                said, apart = split_result(part)
                results.append(self._result(part, said))
                if apart:
                    rest.append(text_part(self._attached(part)))
                    rest.extend(self._parts(apart, path))
        rest += self._parts((part for part in message.parts if not isinstance(part, Result)), path)
        told = self._content(rest)
        if results and self._quirks.strict_alternation and isinstance(told, str):
            results[-1]["content"] = joined((results[-1]["content"], told))
            rest = []
        yield from results
        if rest:
            name = message.name if self._quirks.openai and _NAME.fullmatch(message.name) else ""
            named = {"name": name} if name else {}
            yield {"role": "user", **named, "content": told}

    def _result(self, result: Result, said: str) -> Json:
        mark = result.cache or next((part.cache for part in result.parts if part.cache), None)
        told: str | list[Json] = said
        if self._quirks.cache_marks and mark is not None and said:
            told = [text_part(said, mark)]
        return {"role": "tool", "tool_call_id": self._id(result.call_id), "content": told}

    def _attached(self, result: Result) -> str:
        of = f" of {result.name}" if result.name else ""
        return f"Attached to the result{of} ({self._id(result.call_id)}):"

    def _id(self, id: str) -> str:
        return fit_id(id, _NO_ID, self._longest_id)

    def _answer(self, message: Message, path: str) -> Iterator[Json]:
        """Give an assistant's turn, if it says anything that can be told."""
        calls = [self._call(part, path) for part in message.parts if isinstance(part, Call)]
        said = _said(message.parts, refusals=not self._quirks.openai)
        refused = [part.text for part in message.parts if isinstance(part, Refusal)]
        told: dict[str, Any] = {"role": "assistant", "content": said or None}
        if self._quirks.cache_marks and said and (mark := _last_mark(message.parts)):
            told["content"] = [text_part(said, mark)]
        if refused and self._quirks.openai:
            told["refusal"] = joined(refused)
        if not (said or calls or "refusal" in told):
            return
        told |= self._thought(message.parts)
        if calls:
            told["tool_calls"] = calls
        yield told

    def _thought(self, parts: tuple[Part, ...]) -> Json:
        """Give what the vendor wants back of its thoughts."""
        found: dict[str, Any] = {}
        thoughts = [part for part in parts if isinstance(part, Reasoning)]
        if self._quirks.reasoning_back:
            # A vendor that thinks refuses an answer without this member, some an empty one.
            found["reasoning_content"] = joined(part.text for part in thoughts) or " "
        seals = [seal for part in thoughts for seal in self._own(part.seals)]
        if details := [entry for seal in seals if seal.kind == DETAILS for entry in _list(seal)]:
            found["reasoning_details"] = details
        said = [seal for p in parts if isinstance(p, Text) for seal in self._own(p.seals)]
        signatures = [seal.value for seal in (*seals, *said) if seal.kind == SIGNATURE]
        if signatures:
            found["extra_content"] = extra_content(signatures[-1])
        return found

    def _own(self, seals: tuple[Seal, ...]) -> Iterator[Seal]:
        return (seal for seal in seals if seal.origin == self._origin)

    def _call(self, call: Call, path: str) -> Json:
        id, name = self._id(call.id), self._names.told(call.name, call.namespace)
        if call.custom and self._quirks.openai:
            return {"id": id, "type": "custom", "custom": {"name": name, "input": call.arguments}}
        arguments = call.arguments
        if call.custom:
            arguments = as_arguments(arguments)
        elif not is_object(arguments):
            if arguments.strip():
                self.losses.append(Loss(path, f"arguments of {call.name} that are no object"))
            arguments = as_arguments(arguments) if arguments.strip() else "{}"
        function = {"name": name, "arguments": arguments}
        told: dict[str, Any] = {"id": id, "type": "function", "function": function}
        for seal in self._own(call.seals):
            if seal.kind == SIGNATURE:
                told["extra_content"] = extra_content(seal.value)
        return told


def is_object(text: str) -> bool:
    """Tell whether a text is a JSON object."""
    try:
        msgspec.json.decode(text, type=dict[str, msgspec.Raw])
    except (ValueError, RecursionError):
        try:
            return isinstance(loads(text), dict)
        except ValueError:
            return False
    return True


def _list(seal: Seal) -> list[msgspec.Raw]:
    """Give the entries of sealed details, each as it came."""
    try:
        return msgspec.json.decode(seal.value, type=list[msgspec.Raw])
    except ValueError:
        return []


def _said(parts: tuple[Part, ...], *, refusals: bool) -> str:
    return joined(
        part.text
        for part in parts
        if isinstance(part, Text) or (refusals and isinstance(part, Refusal))
    )


def _ordered(messages: tuple[Message, ...], quirks: Quirks) -> list[Message]:
    """Give the messages with the system's where the vendor takes them."""
    found: list[Message] = []
    for message in messages:
        if message.role == "assistant" and all(isinstance(p, Reasoning) for p in message.parts):
            continue  # who only thought said nothing that could be told
        told = message if quirks.openai else replace(message, role=_role(message, found, quirks))
        last = found[-1] if found else None
        joins = last is not None and last.role == told.role and not quirks.openai
        if last is not None and joins:
            found[-1] = replace(last, parts=last.parts + told.parts)
        else:
            found.append(told)
    return found


def _role(message: Message, before: list[Message], quirks: Quirks) -> Any:
    if message.role not in _SYSTEM:
        return message.role
    leads = all(earlier.role == "system" for earlier in before)
    return "system" if leads or quirks.late_system else "user"


def _marks(message: Message) -> bool:
    return _last_mark(message.parts) is not None


def _last_mark(parts: tuple[Part, ...]) -> CacheMark | None:
    marked = Text | Image | Document | Call | Result
    found = [part.cache for part in parts if isinstance(part, marked) and part.cache is not None]
    return found[-1] if found else None


def _marked(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Mark the last message of the system and the last turn, for agents that know no marks."""
    systems = [n for n, message in enumerate(messages) if message.role in _SYSTEM]
    turns = [n for n, message in enumerate(messages) if message.role == "user"]
    chosen = {*systems[-1:], *turns[-1:]}
    return tuple(
        replace(message, parts=_mark_last(message.parts)) if n in chosen else message
        for n, message in enumerate(messages)
    )


def _mark_last(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    if parts and isinstance(last := parts[-1], Text | Result):
        return (*parts[:-1], replace(last, cache=CacheMark()))
    return parts
