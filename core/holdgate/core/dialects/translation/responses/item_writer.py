"""A conversation as items of a request for a vendor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.call_ids import fit_id
from holdgate.core.dialects.translation.responses.content_writer import (
    output_of,
    spoken_parts,
    written_parts,
)
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import (
    Call,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Result,
    Seal,
    Text,
)

_LONGEST_ID = 64
_FORBIDDEN_IN_ID = re.compile(r"[^\x21-\x7e]")


class ItemWriter:
    """Writes the turns of one request."""

    def __init__(self, target: Target, names: ToolNames) -> None:
        """Write for `target`, which is told the tools by `names`."""
        self.losses: list[Loss] = []
        self._target = target
        self._names = names

    def items(self, messages: tuple[Message, ...], first: int = 0) -> Iterator[Json]:
        """Give the items; `first` is the index of the first of `messages` in the request."""
        for number, message in enumerate(messages, first):
            path = f"messages[{number}]"
            if message.role == "assistant":
                yield from self._assistant(message.parts, path)
            elif message.role == "user":
                yield from self._user(message.parts, path)
            elif content := list(written_parts(message.parts, path, self.losses)):
                yield {"type": "message", "role": "developer", "content": content}

    def _user(self, parts: tuple[Part, ...], path: str) -> Iterator[Json]:
        for number, part in enumerate(parts):
            if isinstance(part, Result):
                yield self._result(part, f"{path}.parts[{number}]")
        rest = tuple(part for part in parts if not isinstance(part, Result))
        if content := list(written_parts(rest, path, self.losses)):
            yield {"type": "message", "role": "user", "content": content}

    def _assistant(self, parts: tuple[Part, ...], path: str) -> Iterator[Json]:
        said: list[Text | Refusal] = []
        for number, part in enumerate(parts):
            if isinstance(part, Text | Refusal):
                said.append(part)
                continue
            yield from _message(said)
            said = []
            if isinstance(part, Reasoning):
                yield from self._reasoning(part)
            elif isinstance(part, Call):
                yield self._call(part)
            else:
                why = "media in an assistant's message"
                self.losses.append(Loss(f"{path}.parts[{number}]", why, grave=True))
        yield from _message(said)

    def _reasoning(self, part: Reasoning) -> Iterator[Json]:
        """Give the vendor its reasoning back; without its seal it takes none."""
        shown = [{"type": "summary_text", "text": part.text}] if part.text else []
        for seal in part.seals:
            if seal.origin == self._target.origin and seal.kind == "encrypted":
                yield _sealed(seal, shown)
                shown = []

    def _call(self, part: Call) -> Json:
        kind, member = "function_call", "arguments"
        if part.custom:
            kind, member = "custom_tool_call", "input"
        item: Json = {
            "type": kind,
            "call_id": call_id(part.id),
            "name": self._names.told(part.name, part.namespace),
        }
        if part.namespace:
            item["namespace"] = part.namespace
        return item | {member: part.arguments if part.custom else part.arguments or "{}"}

    def _result(self, part: Result, path: str) -> Json:
        return {
            "type": "custom_tool_call_output" if part.custom else "function_call_output",
            "call_id": call_id(part.call_id),
            "output": output_of(part, path, self.losses),
        }


def call_id(id: str) -> str:
    """Give a call's id as the vendor takes it."""
    return fit_id(id, _FORBIDDEN_IN_ID, _LONGEST_ID)


def _message(said: list[Text | Refusal]) -> Iterator[Json]:
    content = list(spoken_parts(said))
    if content:
        yield {"type": "message", "role": "assistant", "content": content}


def _sealed(seal: Seal, summary: list[dict[str, str]]) -> Json:
    item: Json = {"type": "reasoning"}
    if seal.id:
        item["id"] = seal.id
    return item | {"summary": summary, "encrypted_content": seal.value}
