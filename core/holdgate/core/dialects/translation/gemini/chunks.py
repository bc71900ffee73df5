"""Chunks of a Gemini vendor's reply: bytes to typed looks at what they say, in either framing.

Google streams events (`alt=sse`) or one JSON array; an error may come as bare JSON in the midst of
events, and some vendors answer a streamed request with one whole JSON. Objects are objects: what
begins with a bracket or a brace is split into them, all else into events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import msgspec

from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.wire.json_array import ArraySplitter
from holdgate.core.wire.sse import Splitter, parse_event

_CRLF = b"\r\n\r\n"
_DONE = b"[DONE]"
_BOM = b"\xef\xbb\xbf"
_NONE = msgspec.Raw(b"")


class Part(msgspec.Struct, gc=False):
    """A part of an answer."""

    text: str | None = None
    thought: bool | None = None
    signature: str | None = msgspec.field(name="thoughtSignature", default=None)
    call: msgspec.Raw = msgspec.field(name="functionCall", default=_NONE)
    inline: msgspec.Raw = msgspec.field(name="inlineData", default=_NONE)
    file: msgspec.Raw = msgspec.field(name="fileData", default=_NONE)
    code: msgspec.Raw = msgspec.field(name="executableCode", default=_NONE)
    output: msgspec.Raw = msgspec.field(name="codeExecutionResult", default=_NONE)


class Content(msgspec.Struct, gc=False):
    """What a candidate says."""

    parts: list[Part] | None = None


class Candidate(msgspec.Struct, gc=False):
    """One of the answers; the first is the one that counts."""

    content: Content | None = None
    reason: str | None = msgspec.field(name="finishReason", default=None)
    message: str | None = msgspec.field(name="finishMessage", default=None)
    index: int | None = None
    grounding: msgspec.Raw = msgspec.field(name="groundingMetadata", default=_NONE)
    citations: msgspec.Raw = msgspec.field(name="citationMetadata", default=_NONE)
    pages: msgspec.Raw = msgspec.field(name="urlContextMetadata", default=_NONE)
    logprobs: msgspec.Raw = msgspec.field(name="logprobsResult", default=_NONE)


class Chunk(msgspec.Struct, gc=False):
    """A GenerateContentResponse, or an error."""

    candidates: list[Candidate] | None = None
    usage: msgspec.Raw = msgspec.field(name="usageMetadata", default=_NONE)
    model: str | None = msgspec.field(name="modelVersion", default=None)
    id: str | None = msgspec.field(name="responseId", default=None)
    feedback: msgspec.Raw = msgspec.field(name="promptFeedback", default=_NONE)
    error: msgspec.Raw = _NONE


_decoder = msgspec.json.Decoder(Chunk)


def read_chunk(data: bytes) -> Chunk | None:
    """Give the chunk in `data`, None if it is none."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # half a character, or a member of another type
    except RecursionError:
        return None
    try:
        found = loads(data)
        return msgspec.convert(_loose(found, Chunk), Chunk) if isinstance(found, dict) else None
    except (ValueError, RecursionError):
        return None


def _loose(found: Any, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Give what fits of an object's members; what is of another type is not there."""
    told: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        value = found.get(field.encode_name) if isinstance(found, dict) else None
        if value is None:
            continue
        if field.type is msgspec.Raw:
            told[field.encode_name] = msgspec.Raw(dumps(value))
        elif field.type == list[Candidate] | None and isinstance(value, list):
            told[field.encode_name] = [_loose(one, Candidate) for one in value]
        elif field.type == list[Part] | None and isinstance(value, list):
            told[field.encode_name] = [_loose(one, Part) for one in value]
        elif field.type == Content | None:
            told[field.encode_name] = _loose(value, Content)
        elif type(value) in get_args(field.type):
            told[field.encode_name] = value
    return told


class Chunks:
    """A feed object: bytes in, the JSON text of each chunk out.

    Theory. The search for any kind of event end is the dearest part of reading, and nearly all
    events are one line of data with the same end. So bytes are cut at that end, and where each
    piece is such a line, that was right; else the splitter does it. It also keeps half events:
    while it holds some bytes, all goes through it up to the next end.
    """

    __slots__ = ("_end", "_head", "_held", "_split")

    def __init__(self) -> None:
        """Start before the first byte."""
        self._head = b""
        self._split: Splitter | ArraySplitter | None = None
        self._end = b"\n\n"
        self._held = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Give the chunks that `data` completes."""
        split = self._split
        if split is None:
            self._head = (self._head + data).lstrip()
            data = self._head.removeprefix(_BOM).lstrip()
            if not data or self._head in (_BOM[:1], _BOM[:2]):
                return
            split = self._split = ArraySplitter() if data[:1] in b"[{" else Splitter()
            self._head = b""
        if isinstance(split, ArraySplitter):
            yield from split.each(data)
            return
        if self._held:
            at = data.find(self._end)
            cut = at + len(self._end) if at >= 0 else len(data)
            yield from self._searched(split, data[:cut])
            data = data[cut:]
        if not data:
            return
        lines = None if self._held else self._lines(data)
        if lines is None:
            yield from self._searched(split, data)
            return
        rest = lines.pop()
        for line in lines:
            if (found := line[5:].strip()) and found != _DONE:
                yield from (ArraySplitter().each(found) if found[:1] == b"[" else (found,))
        if rest:
            yield from self._searched(split, rest)

    def close(self) -> Iterator[bytes]:
        """Give a last event without its blank line."""
        if isinstance(self._split, Splitter):
            yield from _data_of(self._split.close())

    def _lines(self, data: bytes) -> list[bytes] | None:
        """Give the lines of plain events and what is left behind them, None if there are others."""
        if self._end not in data and _CRLF in data:
            self._end = _CRLF
        lines = data.split(self._end)
        for line in lines[:-1]:
            if line[:5] != b"data:" or b"\n" in line or b"\r" in line:
                return None
        return lines

    def _searched(self, split: Splitter, data: bytes) -> Iterator[bytes]:
        """Give the chunks of events with ends of any kind."""
        self._held += len(data)
        for event in split.each(data):
            self._held -= len(event)
            yield from _data_of(event)


def _data_of(event: bytes) -> Iterator[bytes]:
    """Give the chunks in an event; Google tells an error as bare JSON, which is none."""
    line = event.strip()
    if line.startswith(b"data:") and b"\n" not in line and b"\r" not in line:
        data: bytes | None = line[5:].strip()
    else:
        data = parse_event(event).data
        if data is None and line.startswith((b"{", b"[")):
            data = line
    if not data or data == _DONE:
        return
    if data.startswith(b"["):
        yield from ArraySplitter().each(data)
    else:
        yield data
