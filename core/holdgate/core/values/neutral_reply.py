"""The neutral form of a reply: its events as they come, and the whole answer.

A reader gives events in this order: Began first; then deltas, a call's deltas only between its
CallBegan and CallEnded; then Used (at any time, each with all that is known so far); Ended, once,
last of all. Failed may come at any time and ends it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from holdgate.core.values.neutral import Call, Loss, Reasoning, Refusal, Seal, Text
from holdgate.core.values.usage import Usage

# `pause`: the vendor wants the turn sent again as it is (Anthropic's pause_turn). `malformed`: the
# model called a tool in a way that the vendor could not read.
Why = Literal["stop", "length", "tool", "filter", "refusal", "pause", "malformed"]


class Began(msgspec.Struct, frozen=True, gc=False):
    """The reply has begun; `id` and `model` as the vendor tells them, "" where it does not."""

    id: str = ""
    model: str = ""


class TextDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of the answer's text, never empty, never half a character."""

    text: str


class ThoughtDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of the thinking that is shown."""

    text: str


class ThoughtEnded(msgspec.Struct, frozen=True, gc=False):
    """One piece of thinking is complete; the vendor's opaque forms of it."""

    seals: tuple[Seal, ...] = ()


class TextSealed(msgspec.Struct, frozen=True, gc=False):
    """An opaque value that belongs to the text just told."""

    seal: Seal


class RefusalDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of a refusal's words."""

    text: str


class CallBegan(msgspec.Struct, frozen=True, gc=False):
    """A call of a tool begins; `call` numbers the calls of this reply from 0.

    `name` is as the vendor was told it; `custom`: its deltas are free text and no JSON.
    """

    call: int
    id: str
    name: str
    custom: bool = False
    namespace: str = ""


class CallDelta(msgspec.Struct, frozen=True, gc=False):
    """A piece of a call's arguments: of their JSON text, or of a custom tool's free text."""

    call: int
    text: str


class CallEnded(msgspec.Struct, frozen=True, gc=False):
    """A call's arguments are complete."""

    call: int
    seals: tuple[Seal, ...] = ()


class Used(msgspec.Struct, frozen=True, gc=False):
    """The usage, all in all so far."""

    usage: Usage


class Lost(msgspec.Struct, frozen=True, gc=False):
    """Something of the reply that no agent can be told in its dialect, or that was unreadable."""

    loss: Loss


class Ended(msgspec.Struct, frozen=True, gc=False):
    """The answer is complete; `stop`: the stop sequence that ended it, where one did."""

    why: Why
    stop: str = ""


class Failed(msgspec.Struct, frozen=True, gc=False):
    """The vendor told an error inside its reply: its words, and its JSON as it came."""

    words: str
    data: bytes


Event = (
    Began
    | TextDelta
    | ThoughtDelta
    | ThoughtEnded
    | TextSealed
    | RefusalDelta
    | CallBegan
    | CallDelta
    | CallEnded
    | Used
    | Lost
    | Ended
    | Failed
)


class Answer(msgspec.Struct, frozen=True, gc=False):
    """A whole reply, its parts in their order."""

    parts: tuple[Text | Reasoning | Refusal | Call, ...]
    why: Why
    stop: str = ""
    usage: Usage | None = None
    id: str = ""
    model: str = ""
