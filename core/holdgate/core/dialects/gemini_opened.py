"""Gemini generateContent: a stream that the gateway opened itself, as events or as an array."""

from __future__ import annotations

from collections.abc import Callable

from holdgate.core.dialects.base import Closing, Opening
from holdgate.core.dialects.raw_events import Members, is_empty, items, members, one_line, raw, text
from holdgate.core.dialects.reading import dump
from holdgate.core.values.errors import Fault
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Splitter, parse_event


class GeminiOpened:
    """See base.Opened. Source: Gemini API reference, streamGenerateContent."""

    __slots__ = ("_array", "_begun", "_ended", "_error", "_opening", "_ours", "_split", "vendor_id")

    def __init__(self, opening: Opening, error: Callable[[Fault, Opening], Closing]) -> None:
        """Take the id, model and framing that the agent is told, and the dialect's stream error."""
        self._opening, self._error = opening, error
        self._ours: Members = {
            "modelVersion": raw(opening.model),
            "responseId": raw(opening.id),
        }
        self._array = opening.framing == "array"
        self._split: Splitter | ArraySplitter = ArraySplitter() if self._array else Splitter()
        self._begun = self._ended = False
        self.vendor_id = ""

    def open(self) -> bytes:
        """See Opened.open: a chunk with an empty text part; in an array, its bracket too."""
        return self.nothing()

    def nothing(self) -> bytes:
        """See Opened.nothing: a chunk with an empty text part."""
        candidate = {"content": {"parts": [{"text": ""}], "role": "model"}, "index": 0}
        return self._chunk({"candidates": raw([candidate])} | self._ours)

    def feed(self, data: bytes) -> bytes:
        """See Opened.feed. A comment is told as an empty line: comments break these clients."""
        tell = self._element if self._array else self._event
        return b"".join(map(tell, self._split.each(data)))

    def close(self) -> bytes:
        """See Opened.close: in an array, its closing bracket."""
        rest = self._split.close().strip()
        if not self._array:
            return self._event(rest) if rest else b""
        if self._ended:
            return b""
        self._ended = True
        return b"]" if self._begun else b"[]"

    def fail(self, fault: Fault) -> Closing:
        """See Opened.fail: bare JSON and the cut, in either framing."""
        return self._error(fault, self._opening)

    def whole(self, body: bytes) -> bytes:
        """See Opened.whole: one chunk; in an array, its closing bracket too."""
        found = members(body) or {}
        candidates = items(found.get("candidates"))
        if candidates is None and is_empty(found.get("promptFeedback")):
            raise ValueError("no reply: it has neither candidates nor feedback on the prompt")
        if candidates:
            found["candidates"] = raw([_finished(candidate) for candidate in candidates])
        return self._rewritten(found) + self.close()

    def _event(self, event: bytes) -> bytes:
        """Tell an event of the vendor's with nothing but its data (clients, 1.2).

        Google tells an error as bare JSON, which is no event at all: it passes.
        """
        said = parse_event(event)
        if said.data is not None:
            return self._element(said.data)
        return event.strip() + b"\n" if event.lstrip().startswith(b"{") else b"\n"

    def _element(self, data: bytes) -> bytes:
        found = members(data)
        return b"" if found is None else self._rewritten(found)

    def _rewritten(self, found: Members) -> bytes:
        self.vendor_id = self.vendor_id or text(found.get("responseId")) or ""
        ours = {} if "error" in found else self._ours
        return self._chunk(found | ours)

    def _chunk(self, found: Members) -> bytes:
        data = one_line(dump(found))
        if not self._array:
            return b"data: " + data + b"\n\n"
        before = b",\n" if self._begun else b"["
        self._begun = True
        return before + data


def _finished(candidate: Members) -> Members:
    """Give a candidate with a reason to end: a stream without one counts as cut."""
    if is_empty(candidate.get("finishReason")):
        return candidate | {"finishReason": raw("STOP")}
    return candidate
