"""Writes a settled conversation as `system` and `messages`.

System prompts at the beginning become `system`. A later one stays in its place, as a reminder in
the user's turn: most models refuse the role `system` there, and those that take it only between a
user's and an assistant's turn, which another turn may change.
"""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.messages.block_writer import BlockWriter
from holdgate.core.values.neutral import Call, Loss, Message, Result, Text

_REMINDER = "<system-reminder>\n{}\n</system-reminder>"
_GO_ON = "Continue."
_NO_RESULT = (Text("no result"),)


class Conversation(msgspec.Struct):
    """What a conversation is told as: blocks of `system`, and turns with the first one a user's."""

    system: list[Json]
    turns: list[Json]

    def add(self, role: str, blocks: list[Json]) -> None:
        """Add blocks to the last turn if it is this role's, else a turn."""
        if not blocks:
            return
        if self.turns and self.turns[-1]["role"] == role:
            self.turns[-1]["content"] += blocks
        else:
            self.turns.append({"role": role, "content": blocks})

    @property
    def loops(self) -> bool:
        """Whether the model is in the middle of its calls."""
        return bool(self.turns) and self.turns[-1]["content"][0]["type"] == "tool_result"

    @property
    def thinks(self) -> bool:
        """Whether the turn whose calls were just answered begins with a signed thought."""
        assistants = [turn for turn in self.turns if turn["role"] == "assistant"]
        return bool(assistants) and assistants[-1]["content"][0]["type"].endswith("thinking")


def write_conversation(
    messages: tuple[Message, ...], writer: BlockWriter, losses: list[Loss], *, prefill: bool
) -> Conversation:
    """Give the conversation; `prefill`: the model goes on in the assistant's last message."""
    told = Conversation([], [])
    beginning = True
    for index, message in enumerate(messages):
        path = f"messages[{index}]"
        is_system = message.role in ("system", "developer")
        beginning = beginning and is_system
        blocks = [
            block
            for at, part in enumerate(message.parts)
            for block in writer.blocks(part, f"{path}.content[{at}]")
        ]
        if beginning:
            told.system += blocks
        elif is_system:
            told.add("user", [_reminder(block) for block in blocks])
        else:
            told.add("user" if message.role == "user" else "assistant", blocks)
    _begin_with_user(told)
    _end(told, messages, writer, losses, prefill=prefill)
    return told


def _reminder(block: Json) -> Json:
    return block | {"text": _REMINDER.format(block["text"])} if "text" in block else block


def _begin_with_user(told: Conversation) -> None:
    if not told.turns or told.turns[0]["role"] != "user":
        told.turns.insert(0, {"role": "user", "content": [{"type": "text", "text": _GO_ON}]})


def _end(
    told: Conversation,
    messages: tuple[Message, ...],
    writer: BlockWriter,
    losses: list[Loss],
    *,
    prefill: bool,
) -> None:
    """End with what the model can answer."""
    if told.turns[-1]["role"] == "user":
        return
    path = f"messages[{len(messages) - 1}]"
    calls = [part for part in messages[-1].parts if isinstance(part, Call)]
    for call in calls:
        losses.append(Loss(path, "a call without a result, answered as an error"))
        result = Result(call.id, _NO_RESULT, is_error=True)
        told.add("user", list(writer.blocks(result, path)))
    if calls:
        return
    last = told.turns[-1]["content"][-1]
    if prefill and last["type"] == "text":
        # White space at its end is refused.
        last["text"] = last["text"].rstrip()
        return
    losses.append(Loss(path, "the assistant's last message is not gone on with, but answered"))
    told.add("user", [{"type": "text", "text": _GO_ON}])
