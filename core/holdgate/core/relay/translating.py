"""Translating: a try whose vendor speaks another dialect than the agent.

Theory. A translation is a filter in front of the reply: a vendor's bytes go in, and out come the
bytes that a vendor of the agent's dialect would have sent, opening and closing events with them. So
all that follows - holding, openings, keepalives, how a stream ended - is as in a relay.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from holdgate.core.dialects.base import Ending
from holdgate.core.dialects.translation.base import ReplyReader, ReplyWriter, Telling, Translator
from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.restoring import Restorer
from holdgate.core.relay.keepsakes import Gathering
from holdgate.core.relay.reply import CUT_SHORT, Reply, Shown
from holdgate.core.traffic import verdicts
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Loss
from holdgate.core.values.neutral_reply import Ended, Event, Failed, Lost, Used
from holdgate.core.values.usage import Usage


class Translation:
    """One vendor's reply, told in the agent's dialect. Its calls raise Fault where it is none."""

    __slots__ = (
        "_agent", "_events", "_gathering", "_keep", "_provider", "_reader", "_restorer", "_telling",
        "_writer", "is_over", "losses", "usage",
    )  # fmt: skip

    def __init__(
        self,
        provider: str,
        reader: ReplyReader,
        restorer: Restorer,
        agent: Translator,
        telling: Telling,
        gathering: Gathering | None = None,
        keep: Callable[[bytes], None] | None = None,
    ) -> None:
        """Take who reads, who gives tools their names back, how the agent is told, and who
        remembers what it has no place for; `keep` remembers what it is told.
        """
        self._provider, self._gathering, self._keep = provider, gathering, keep
        self._reader, self._restorer = reader, restorer
        self._agent, self._telling = agent, telling
        whole = telling.framing == "whole"
        self._writer: ReplyWriter | None = None if whole else agent.reply_writer(telling)
        self._events: list[Event] = []  # of a reply that is told whole
        self.losses: list[Loss] = []
        self.usage: Usage | None = None
        # Whether the answer is complete, even if the vendor leaves the connection open.
        self.is_over = False

    @property
    def is_complete(self) -> bool:
        """Whether a quiet vendor may be taken to have ended."""
        return self.is_over or self._reader.is_complete

    def feed(self, data: bytes) -> tuple[bytes, Fault | None]:
        """Take a piece; give what the agent is told, and the fault that the vendor told in it."""
        return self._tell(self._reader.feed(data))

    def close(self) -> tuple[bytes, Fault | None]:
        """The stream ended: give what is left. Raises Fault if it was cut."""
        try:
            events = self._reader.close()
        except EOFError:
            raise Fault(FaultKind.CUT, f"{self._provider}: {CUT_SHORT}") from None
        said, fault = self._tell(events)
        return said + self._answer(fault), fault

    def whole(self, body: bytes) -> tuple[bytes, Fault | None]:
        """Take a reply that came in one piece."""
        try:
            events = self._reader.whole(body)
        except ValueError as error:
            raise Fault(
                FaultKind.UNREADABLE, f"{self._provider}: the reply is no answer: {error}"
            ) from error
        said, fault = self._tell(events)
        return said + self._answer(fault), fault

    def _tell(self, events: list[Event]) -> tuple[bytes, Fault | None]:
        fault = None
        for place, event in enumerate(events):
            kind = type(event)
            if kind is Used:
                self.usage = event.usage  # type: ignore[union-attr]
            elif kind is Lost:
                self.losses.append(event.loss)  # type: ignore[union-attr]
            elif isinstance(event, Failed):
                fault = verdicts.of_event(self._provider, event.data, event.words)
                events = events[:place]
                break
            elif kind is Ended:
                self.is_over = True
        if self._gathering is not None:
            self._gathering.see(events)
        restored = self._restorer.restore(events)
        if self._writer is not None:
            return self._kept(self._writer.tell(restored)), fault
        self._events += restored
        return b"", fault

    def _answer(self, fault: Fault | None) -> bytes:
        """Give the whole reply, once all of it is known."""
        if self._writer is not None or fault is not None:
            return b""
        return self._kept(self._agent.write_answer(collect(self._events), self._telling))

    def _kept(self, said: bytes) -> bytes:
        if self._keep is not None:
            self._keep(said)
        return said


class TranslatedReply:
    """A reply that passes a translation first; `whole`: the vendor sends it in one piece."""

    __slots__ = ("_inner", "_pieces", "_translation", "_whole")

    def __init__(self, inner: Reply, translation: Translation, *, whole: bool) -> None:
        """Take the reply as the agent's dialect has it."""
        self._inner, self._translation, self._whole = inner, translation, whole
        self._pieces: list[bytes] = []

    def feed(self, data: bytes) -> None:
        """Take a piece. What was said before a fault is shown before it is raised."""
        if self._whole:
            self._pieces.append(data)
            return
        self._pass(*self._translation.feed(data))

    @property
    def is_over(self) -> bool:
        """Whether a quiet vendor may be taken to have ended."""
        return self._translation.is_complete

    def shown(self) -> Shown:
        """Say what the agent has seen."""
        return self._inner.shown()

    def close(self) -> Ending:
        """The body ended: say how."""
        if self._whole:
            self._pass(*self._translation.whole(b"".join(self._pieces)))
        else:
            self._pass(*self._translation.close())
        ending = self._inner.close()
        return msgspec.structs.replace(ending, usage=self._translation.usage or ending.usage)

    def _pass(self, said: bytes, fault: Fault | None) -> None:
        if said:
            self._inner.feed(said)
        if fault is not None:
            raise fault
