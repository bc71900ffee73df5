"""The scene of a try: what it works with, how patient it is, and what may come of it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from holdgate.core.dialects.base import Dialect, Ending
from holdgate.core.relay.hold import StreamHold
from holdgate.core.relay.ports import Head, Sink
from holdgate.core.relay.translating import Translation
from holdgate.core.relay.wheel import Wheel
from holdgate.core.values.clock import Clock
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Headers
from holdgate.core.values.records import Record


class Patience(msgspec.Struct, frozen=True):
    """How long a try may be silent, in seconds; 0 is without limit.

    `first_token`: how long it may go without content.
    """

    first_byte: float
    idle: float
    first_token: float = 0.0


class Ended(msgspec.Struct, frozen=True):
    """What came of a try: the stream's ending, or a fault (`lost`: before any byte of a reply)."""

    ending: Ending | None = None
    fault: Fault | None = None
    lost: bool = False


class Scene(msgspec.Struct, frozen=True):
    """What a try works with: who asked, where the reply goes, whose clock counts.

    `dialect` is the vendor's, `agent` the agent's; where they differ there is a `translation`.
    `heard` takes the head of a good reply; `began` is called when its answer is shown.
    """

    sink: Sink
    hold: StreamHold
    clock: Clock
    wheel: Wheel
    dialect: Dialect
    agent: Dialect
    framing: Framing
    record: Record
    reply_headers: Callable[[Head], Headers]
    heard: Callable[[Head], None]
    began: Callable[[], None]
    translation: Translation | None = None
