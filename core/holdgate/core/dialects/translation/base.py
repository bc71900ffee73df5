"""What each dialect brings for translation: readers and writers of the neutral form. No I/O.

Tolerant reader, strict writer: what agents and vendors really send is understood; what is written
is valid by the dialect's reference, and the same for the same input, byte for byte: vendors cache
prompts by their prefix.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Loss, Request
from holdgate.core.values.neutral_reply import Answer, Event


class Target(msgspec.Struct, frozen=True):
    """Whom a request is written for.

    `provider` and `model` as the vendor knows it; `quirks`: names of the catalogue; `output`: the
    longest reply of the model in tokens, 0 where unknown; `without`: top-level members that this
    vendor refused before; `hosted`: kinds of vendor-hosted tools that it has; `streamed`: whether
    the reply is asked for as a stream.
    """

    provider: str
    dialect: DialectName
    model: str
    quirks: frozenset[str] = frozenset()
    output: int = 0
    without: frozenset[str] = frozenset()
    hosted: frozenset[str] = frozenset()
    streamed: bool = True

    @property
    def origin(self) -> str:
        """What its seals are known by."""
        return f"{self.provider}/{self.dialect}"


class ToolRef(msgspec.Struct, frozen=True):
    """A tool as the agent knows it."""

    name: str
    namespace: str = ""
    custom: bool = False


class Written(msgspec.Struct, frozen=True):
    """A request for a vendor.

    `names`: the agent's tool by the name that the vendor was told; only those that differ or are
    custom tools told as functions. `optional`: top-level members of the body that the agent did not
    send as such, which the vendor may refuse and then are left out. `headers`: what the vendor
    must be told beside the body.
    """

    body: bytes
    losses: tuple[Loss, ...] = ()
    names: dict[str, ToolRef] = {}
    optional: frozenset[str] = frozenset()
    headers: tuple[tuple[str, str], ...] = ()


class Telling(msgspec.Struct, frozen=True):
    """How a reply is told to the agent: the ids that it bears, and the request that it answers.

    `id` is without the dialect's prefix; `created` in Unix seconds; `model` as it was asked for.
    """

    id: str
    model: str
    created: int
    framing: Framing
    request: Request


class ReplyReader(Protocol):
    """Understands one vendor's reply: a feed object; any chunking gives the same events."""

    @property
    def is_complete(self) -> bool:
        """Whether a quiet vendor may be taken to have ended: all was said that must be said."""
        ...

    def feed(self, data: bytes) -> list[Event]:
        """Take a piece of a streamed reply. Raises nothing: malformed events become Lost."""
        ...

    def close(self) -> list[Event]:
        """The stream ended: give what is left, with Ended. Raises EOFError if it was cut."""
        ...

    def whole(self, body: bytes) -> list[Event]:
        """Take a reply that came in one piece, instead of feed and close.

        Raises ValueError if it is no such reply.
        """
        ...


class ReplyWriter(Protocol):
    """Tells one reply to an agent as a stream: a feed object."""

    def tell(self, events: list[Event]) -> bytes:
        """Render events. The dialect's opening comes with the first of them, and its closing
        events with Ended. Began, Used, Lost and Failed may give nothing.
        """
        ...


class Translator(Protocol):
    """One dialect's readers and writers."""

    def read_request(self, body: bytes, model: str, framing: Framing) -> Request:
        """Understand an agent's request; `model` is what it asked for (Gemini: in its path).

        Raises Fault(REQUEST) that says what is wrong, with its path.
        """
        ...

    def write_request(self, request: Request, target: Target) -> Written:
        """Render a request of another dialect for a vendor. Raises nothing: what cannot be said
        is a loss.
        """
        ...

    def reply_reader(self, target: Target) -> ReplyReader:
        """Begin to understand a reply of `target`."""
        ...

    def reply_writer(self, telling: Telling) -> ReplyWriter:
        """Begin to tell a reply as a stream."""
        ...

    def write_answer(self, answer: Answer, telling: Telling) -> bytes:
        """Render a whole reply as the JSON body for an agent that did not ask for a stream."""
        ...
