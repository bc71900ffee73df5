"""A Gemini vendor's reply in the neutral form.

Source: Gemini API reference, GenerateContentResponse. There is no closing event: an answer is whole
when a finish reason came and the stream ended. Some models give a finish reason in each chunk, and
usage may follow it, so nothing is told as the end before the stream's own.
"""

from __future__ import annotations

from holdgate.core.dialects import gemini_stream
from holdgate.core.dialects.reading import is_nothing, load, member, texts
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.gemini.call_reader import CallReader
from holdgate.core.dialects.translation.gemini.chunks import (
    Candidate,
    Chunk,
    Chunks,
    Part,
    read_chunk,
)
from holdgate.core.dialects.translation.gemini.finish import FAILURES, WHYS
from holdgate.core.dialects.translation.gemini.slots import OWN_KIND
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import opaque
from holdgate.core.values.neutral import Loss, Seal
from holdgate.core.values.neutral_reply import (
    Began,
    Ended,
    Event,
    Failed,
    Lost,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)


class GeminiReplyReader:
    """See base.ReplyReader."""

    def __init__(self, target: Target) -> None:
        """Take whose reply it is."""
        self._origin = target.origin
        self._chunks = Chunks()
        self._calls = CallReader(target.origin)
        self._halves = Halves()
        self._thoughts = Halves()
        self._began = self._failed = self._thinking = self._spoke = False
        self._reason = self._message = self._blocked = ""
        self._usage = self._told_usage = b""
        self._lost: set[str] = set()
        self._last = b""

    @property
    def is_complete(self) -> bool:
        """Whether a finish reason came: a vendor that now stays quiet has said everything."""
        return bool(self._reason or self._blocked)

    def feed(self, data: bytes) -> list[Event]:
        """See ReplyReader.feed."""
        events: list[Event] = []
        for chunk in self._chunks.feed(data):
            self._take(chunk, events)
        return events

    def close(self) -> list[Event]:
        """See ReplyReader.close."""
        events: list[Event] = []
        for chunk in self._chunks.close():
            self._take(chunk, events)
        if self._failed:
            return events
        if not self.is_complete:
            raise EOFError("the stream ended without a finish reason")
        self._end(events)
        return events

    def whole(self, body: bytes) -> list[Event]:
        """See ReplyReader.whole. A candidate without a finish reason has ended, too."""
        events = self.feed(body)
        for chunk in self._chunks.close():
            self._take(chunk, events)
        if self._failed:
            return events
        if not self._began or not (self.is_complete or self._spoke or self._calls.count):
            raise ValueError("no reply: it has neither candidates nor feedback on the prompt")
        self._reason = self._reason or ("" if self._blocked else "STOP")
        self._end(events)
        return events

    def _take(self, data: bytes, events: list[Event]) -> None:
        if self._failed:
            return
        chunk = read_chunk(data)
        if chunk is None:
            events.append(Lost(Loss("stream", "an event that is no JSON object")))
            return
        if chunk.error and not is_nothing(chunk.error):
            self._failed = True
            events.append(Failed(_words(data), data))
            return
        self._last = data
        if not self._began:
            self._began = True
            self._calls.begin(data)
            events.append(Began(chunk.id or "", chunk.model or ""))
        for at, candidate in enumerate(chunk.candidates or ()):
            if candidate.index or at:
                self._lose(events, f"candidates[{candidate.index or at}]", "another candidate")
            else:
                self._candidate(candidate, data, events)
        self._around(chunk, events)

    def _around(self, chunk: Chunk, events: list[Event]) -> None:
        """Note what a chunk says beside its candidates."""
        usage = bytes(chunk.usage)
        if usage and usage != self._usage:
            self._usage = usage
            if not self._told_usage:
                self._use(events)
        if chunk.feedback:
            reason = texts(member(load(bytes(chunk.feedback)), "blockReason"))
            if reason and not chunk.candidates:
                self._blocked = reason

    def _candidate(self, candidate: Candidate, data: bytes, events: list[Event]) -> None:
        if candidate.content is not None and candidate.content.parts is not None:
            for part in candidate.content.parts:
                self._part(part, data, events)
        if candidate.reason and candidate.reason != "FINISH_REASON_UNSPECIFIED":
            self._reason = candidate.reason
            self._message = candidate.message or self._message
        for name, raw in (
            ("groundingMetadata", candidate.grounding),
            ("citationMetadata", candidate.citations),
            ("urlContextMetadata", candidate.pages),
            ("logprobsResult", candidate.logprobs),
        ):
            if raw and not is_nothing(raw):
                self._lose(events, name, "not known to other dialects")

    def _part(self, part: Part, data: bytes, events: list[Event]) -> None:
        if part.thought and not part.call:
            self._think(part, events)
            return
        signature = opaque(part.signature)
        if self._thinking and (part.text or signature or part.call):
            self._stop_thinking((), events)
        if part.text:
            self._spoke = True
            if text := self._halves.join(part.text):
                events.append(TextDelta(text))
        if part.call:
            self._flush(events)
            self._calls.take(part.call, signature, data, events)
        elif signature:
            self._flush(events)
            events.append(TextSealed(self._seal(signature)))
        if part.inline or part.file:
            self._lose(events, "inlineData", "media in an answer", grave=True)
        if part.code or part.output:
            self._lose(events, "executableCode", "code that the vendor ran")

    def _think(self, part: Part, events: list[Event]) -> None:
        self._flush(events)
        if part.text:
            self._thinking = True
            if text := self._thoughts.join(part.text):
                events.append(ThoughtDelta(text))
        if signature := opaque(part.signature):
            self._stop_thinking((self._seal(signature),), events)

    def _stop_thinking(self, seals: tuple[Seal, ...], events: list[Event]) -> None:
        self._thinking = False
        if text := self._thoughts.close():
            events.append(ThoughtDelta(text))
        events.append(ThoughtEnded(seals))

    def _flush(self, events: list[Event]) -> None:
        if text := self._halves.close():
            events.append(TextDelta(text))

    def _end(self, events: list[Event]) -> None:
        """The stream ended after an answer that is whole."""
        self._flush(events)
        if self._thinking:
            self._stop_thinking((), events)
        self._calls.close(events)
        if self._usage != self._told_usage:
            self._use(events)
        self._failed = True
        if self._blocked and not self._reason:
            events += (
                Lost(Loss("promptFeedback", f"the prompt was blocked: {self._blocked}")),
                Ended("filter"),
            )
            return
        events += self._ending(": ".join(filter(None, (self._reason, self._message))))

    def _ending(self, words: str) -> list[Event]:
        why = WHYS.get(self._reason)
        said = bool(self._calls.count or self._spoke)
        if self._reason in FAILURES or (why is None and not said):
            return [Failed(f"the answer ended without text: {words}", self._last)]
        lost = [] if self._reason in ("STOP", "MAX_TOKENS") else [Lost(Loss("finishReason", words))]
        if why is None or why == "stop":
            why = "tool" if self._calls.count else "stop"
        return [*lost, Ended(why)]

    def _use(self, events: list[Event]) -> None:
        self._told_usage = self._usage
        usage = gemini_stream.usage(load(self._usage))
        if usage is not None:
            events.append(Used(usage))

    def _lose(self, events: list[Event], path: str, why: str, *, grave: bool = False) -> None:
        if path not in self._lost:
            self._lost.add(path)
            events.append(Lost(Loss(path, why, grave)))

    def _seal(self, value: str) -> Seal:
        return Seal(self._origin, OWN_KIND, value)


def _words(data: bytes) -> str:
    """Give the words of an error; some relays tell a mere text."""
    error = member(load(data), "error")
    return texts(error) or texts(member(error, "message"))
