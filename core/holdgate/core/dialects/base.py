"""What a dialect is: the one protocol behind which the four APIs stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import msgspec

from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail


class Peek(msgspec.Struct, frozen=True, gc=False):
    """What is read of a request before it is relayed.

    `session` is the conversation's name where the body tells one, `first_user` the text (or JSON)
    of the first user message, which stands for it otherwise.
    """

    model: str
    stream: bool
    session: str | None
    first_user: bytes


class Said(Enum):
    """What an event of a reply's beginning is.

    LEAD promises nothing yet, CONTENT is part of the answer, ERROR is the vendor's fault told as
    an event.
    """

    LEAD = "lead"
    CONTENT = "content"
    ERROR = "error"


class End(Enum):
    """How a stream ended: WHOLE with its closing event, ERROR told as an event, or CUT."""

    WHOLE = "whole"
    ERROR = "error"
    CUT = "cut"


class Ending(msgspec.Struct, frozen=True, gc=False):
    """The end of a stream, and what the answer used (as far as the vendor said)."""

    end: End
    usage: Usage | None
    message: str = ""


class Whole(msgspec.Struct, frozen=True, gc=False):
    """A whole reply: what it used, and whether it is an error in spite of its good status."""

    usage: Usage | None
    failed: bool


class Opening(msgspec.Struct, frozen=True, gc=False):
    """What the agent has seen of a stream: whether the dialect's opening events went out, and the
    id and model that a gateway's own opening bears.
    """

    sent: bool
    id: str
    model: str
    created: int
    framing: Framing = "sse"
    sequence: int = 0


@dataclass(frozen=True, slots=True)
class Closing:
    """The last bytes of a failed stream; `cut`: the body's end is left out, the connection cut."""

    data: bytes
    cut: bool = False


class Opened(Protocol):
    """A stream that the gateway opened itself, told on: a feed object, one for each such stream.

    Only bytes that the agent is to get come out, and only whole events. The agent sees one opening,
    one id, the model that it asked for, rising sequence numbers, and the usage complete at the end.
    """

    @property
    def vendor_id(self) -> str:
        """The vendor's own id of the reply, "" while unknown: `previous_response_id` needs it."""
        ...

    def open(self) -> bytes:
        """Give the dialect's opening. Called once, before anything else."""
        ...

    def nothing(self) -> bytes:
        """Give one event that carries nothing. Only before the vendor's first byte."""
        ...

    def feed(self, data: bytes) -> bytes:
        """Rewrite a piece of the vendor's stream so that it goes on inside the opening.

        The vendor's own opening is dropped, and so is a malformed event; comments and pings pass.
        """
        ...

    def close(self) -> bytes:
        """The vendor's stream ended: give what is left to tell."""
        ...

    def fail(self, fault: Fault) -> Closing:
        """Render a fault as the stream's end; half an event of the vendor's is forgotten."""
        ...

    def whole(self, body: bytes) -> bytes:
        """Tell a reply that was not streamed as the rest of the stream, with its closing events.

        Called instead of `feed` and `close`. Raises ValueError if `body` is no such reply.
        """
        ...


class Dialect(Protocol):
    """One of the four APIs: what it looks like in requests, replies, errors. No I/O."""

    @property
    def name(self) -> DialectName:
        """The dialect's name."""
        ...

    @property
    def key_place(self) -> str:
        """Where the vendor's key goes: `bearer`, `x-api-key` or `x-goog-api-key`."""
        ...

    @property
    def required_headers(self) -> tuple[tuple[str, str], ...]:
        """Headers that a vendor insists on, for agents that left them out."""
        ...

    def peek(self, body: bytes) -> Peek:
        """Read what is needed of a request. Raises Fault(REQUEST) if it is no such request."""
        ...

    def url(self, base: str, task: Task, model: str, framing: Framing) -> str:
        """Give the address at a vendor whose base URL for this dialect is `base`."""
        ...

    def models_url(self, base: str) -> str:
        """Give the address of the vendor's list of models."""
        ...

    def token_count(self, tokens: int) -> bytes:
        """Render a count of tokens as the reply to `count_tokens`."""
        ...

    def tiny_request(self, model: str, limit_name: str = "max_tokens") -> bytes:
        """Give the smallest request that makes the vendor answer something.

        `limit_name`: what Chat's limit is called there, `max_tokens` or `max_completion_tokens`.
        """
        ...

    def said(self, event: Event) -> Said:
        """Tell what an event at the beginning of a reply is. Malformed ones promise nothing."""
        ...

    def lead_usage(self, event: Event) -> Usage | None:
        """Give the usage that an early event tells, where the dialect tells some of it there."""
        ...

    def stream_id(self, event: Event) -> str:
        """Give the id that an opening event bears, where a failed stream must repeat it."""
        ...

    def next_sequence(self, tail: Tail) -> int:
        """Give the number of the next event, where events are numbered."""
        ...

    def ending(self, tail: Tail, lead: Usage | None) -> Ending:
        """Tell how a stream ended, by its last bytes."""
        ...

    def is_closed(self, tail: Tail) -> bool:
        """Tell whether the event has passed after which a stream brings nothing more.

        False where the dialect has none: only the connection's end tells then.
        """
        ...

    def whole(self, body: bytes) -> Whole:
        """Look at a reply that was not streamed. Raises ValueError if it is no JSON."""
        ...

    def error_words(self, body: bytes) -> str:
        """Give the message of a vendor's error body or event, or "" if it has none."""
        ...

    def error_body(self, fault: Fault, request_id: str) -> bytes:
        """Render a fault as the JSON body that goes with its status."""
        ...

    def stream_error(self, fault: Fault, opening: Opening) -> Closing:
        """Render a fault as the end of a stream that has begun."""
        ...

    def opened(self, opening: Opening) -> Opened:
        """Begin a stream that the gateway opens itself, with the id and model of `opening`."""
        ...

    def keepalive(self, words: str, framing: Framing) -> bytes:
        """Give what keeps a connection alive between two events and is none itself."""
        ...
