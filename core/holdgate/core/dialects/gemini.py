"""Gemini generateContent: requests, errors and whole replies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import msgspec

from holdgate.core.dialects import gemini_stream
from holdgate.core.dialects.base import Closing, Ending, Opened, Opening, Peek, Said, Whole
from holdgate.core.dialects.gemini_opened import GeminiOpened
from holdgate.core.dialects.reading import (
    Json,
    decode_request,
    dump,
    is_nothing,
    load,
    look,
    member,
    texts,
)
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

_STATUSES: Mapping[int, str] = MappingProxyType(
    {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        413: "INVALID_ARGUMENT",
        429: "RESOURCE_EXHAUSTED",
        502: "UNAVAILABLE",
        503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
        529: "UNAVAILABLE",
    }
)
_METHODS: Mapping[tuple[Task, Framing], str] = MappingProxyType(
    {
        ("generate", "whole"): ":generateContent",
        ("generate", "sse"): ":streamGenerateContent?alt=sse",
        ("generate", "array"): ":streamGenerateContent",
        ("count_tokens", "whole"): ":countTokens",
    }
)


class _Content(msgspec.Struct):
    role: str | None = None
    parts: msgspec.Raw = msgspec.Raw(b"")


class _Request(msgspec.Struct):
    """The model and the way of streaming are in Gemini's path, not in its body."""

    contents: msgspec.Raw = msgspec.Raw(b"")


_decoder = msgspec.json.Decoder(_Request)


class _Whole(msgspec.Struct):
    usage: Any = msgspec.field(name="usageMetadata", default=None)
    error: Any = None
    answer: msgspec.Raw = msgspec.field(name="candidates", default=msgspec.Raw(b""))


_whole = msgspec.json.Decoder(_Whole)


class Gemini:
    """The dialect `gemini`. Source: Gemini API reference, generateContent."""

    name: DialectName = "gemini"
    key_place = "x-goog-api-key"
    required_headers: tuple[tuple[str, str], ...] = ()

    def peek(self, body: bytes) -> Peek:
        """See Dialect.peek."""
        request = decode_request(_decoder, body)
        return Peek("", False, None, _first_user(request.contents) if request.contents else b"")

    def url(self, base: str, task: Task, model: str, framing: Framing) -> str:
        """See Dialect.url. The model is one segment: a slash in it is escaped."""
        return f"{base}/v1beta/models/{quote(model, safe='')}{_METHODS[task, framing]}"

    def models_url(self, base: str) -> str:
        """See Dialect.models_url."""
        return f"{base}/v1beta/models"

    def token_count(self, tokens: int) -> bytes:
        """See Dialect.token_count."""
        return dump({"totalTokens": tokens})

    def tiny_request(self, model: str, limit_name: str = "") -> bytes:
        """See Dialect.tiny_request."""
        ping = [{"role": "user", "parts": [{"text": "ping"}]}]
        return dump({"contents": ping, "generationConfig": {"maxOutputTokens": 16}})

    def said(self, event: Event) -> Said:
        """See Dialect.said."""
        return gemini_stream.said(event)

    def lead_usage(self, event: Event) -> Usage | None:
        """Each chunk tells the usage so far; the last one counts."""
        return None

    def stream_id(self, event: Event) -> str:
        """An error event bears no id here."""
        return ""

    def next_sequence(self, tail: Tail) -> int:
        """Events bear no numbers here."""
        return 0

    def ending(self, tail: Tail, lead: Usage | None) -> Ending:
        """See Dialect.ending."""
        return gemini_stream.ending(tail)

    def is_closed(self, tail: Tail) -> bool:
        """There is no last event here."""
        return False

    def whole(self, body: bytes) -> Whole:
        """See Dialect.whole."""
        seen = look(_whole, body)
        return Whole(gemini_stream.usage(seen.usage), bool(seen.error and is_nothing(seen.answer)))

    def error_words(self, body: bytes) -> str:
        """See Dialect.error_words. A failed array stream holds its error in a list."""
        return texts(
            member(load(body.strip().removeprefix(b"[").removesuffix(b"]")), "error", "message")
        )

    def error_body(self, fault: Fault, request_id: str) -> bytes:
        """See Dialect.error_body."""
        return dump(error_object(fault))

    def stream_error(self, fault: Fault, opening: Opening) -> Closing:
        """Bare JSON in a write of its own, then the cut (clients, 1.4)."""
        return Closing(dump(error_object(fault)), cut=True)

    def opened(self, opening: Opening) -> Opened:
        """See Dialect.opened."""
        return GeminiOpened(opening, self.stream_error)

    def keepalive(self, words: str, framing: Framing) -> bytes:
        """An empty line in both framings: comments break Gemini's clients (clients, 1.2)."""
        return b"\n"


def error_object(fault: Fault) -> Json:
    """Give the JSON of an error, which serves before and after the stream began."""
    status = _STATUSES.get(fault.status, "INTERNAL")
    return {"error": {"code": fault.status, "message": fault.message, "status": status}}


def _first_user(contents: msgspec.Raw) -> bytes:
    try:
        spoken = msgspec.json.decode(contents, type=list[_Content])
    except (msgspec.DecodeError, RecursionError):
        return bytes(contents)
    return next((bytes(c.parts) for c in spoken if c.role in (None, "user")), b"")
