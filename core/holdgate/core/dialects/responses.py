"""OpenAI Responses: requests, errors and whole replies."""

from __future__ import annotations

from typing import Any

import msgspec

from holdgate.core.dialects import openai, responses_stream
from holdgate.core.dialects.base import Closing, Ending, Opened, Opening, Peek, Said, Whole
from holdgate.core.dialects.raw_events import comment
from holdgate.core.dialects.reading import (
    decode_request,
    dump,
    is_nothing,
    load,
    look,
    member,
    texts,
)
from holdgate.core.dialects.responses_opened import ResponsesOpened
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail


class _Request(msgspec.Struct):
    model: str
    stream: bool | None = None
    prompt_cache_key: msgspec.Raw = msgspec.Raw(b"")
    input: msgspec.Raw = msgspec.Raw(b"")


_decoder = msgspec.json.Decoder(_Request)


class _Whole(msgspec.Struct):
    usage: Any = msgspec.field(name="usage", default=None)
    error: Any = None
    answer: msgspec.Raw = msgspec.field(name="output", default=msgspec.Raw(b""))


_whole = msgspec.json.Decoder(_Whole)


class Responses:
    """The dialect `responses`. Source: OpenAI API reference, Responses."""

    name: DialectName = "responses"
    key_place = "bearer"
    required_headers: tuple[tuple[str, str], ...] = ()

    def peek(self, body: bytes) -> Peek:
        """See Dialect.peek."""
        request = decode_request(_decoder, body)
        return Peek(
            request.model,
            bool(request.stream),
            openai.session(request.prompt_cache_key),
            openai.first_user(request.input) if request.input else b"",
        )

    def url(self, base: str, task: Task, model: str, framing: Framing) -> str:
        """See Dialect.url."""
        return f"{base}/responses"

    def models_url(self, base: str) -> str:
        """See Dialect.models_url."""
        return f"{base}/models"

    def token_count(self, tokens: int) -> bytes:
        """See Dialect.token_count."""
        return dump({"input_tokens": tokens})

    def tiny_request(self, model: str, limit_name: str = "") -> bytes:
        """See Dialect.tiny_request."""
        return dump({"model": model, "input": "ping", "max_output_tokens": 16})

    def said(self, event: Event) -> Said:
        """See Dialect.said."""
        return responses_stream.said(event)

    def lead_usage(self, event: Event) -> Usage | None:
        """Responses tells no usage early."""
        return None

    def stream_id(self, event: Event) -> str:
        """See Dialect.stream_id."""
        return texts(member(load(event.data), "response", "id"))

    def next_sequence(self, tail: Tail) -> int:
        """See Dialect.next_sequence."""
        return responses_stream.next_sequence(tail)

    def ending(self, tail: Tail, lead: Usage | None) -> Ending:
        """See Dialect.ending."""
        return responses_stream.ending(tail)

    def is_closed(self, tail: Tail) -> bool:
        """With the event that bears the whole response."""
        return responses_stream.is_closed(tail)

    def whole(self, body: bytes) -> Whole:
        """See Dialect.whole."""
        seen = look(_whole, body)
        return Whole(
            responses_stream.usage(seen.usage), bool(seen.error and is_nothing(seen.answer))
        )

    def error_words(self, body: bytes) -> str:
        """See Dialect.error_words."""
        return openai.error_words(body)

    def error_body(self, fault: Fault, request_id: str) -> bytes:
        """See Dialect.error_body."""
        return openai.error_body(fault)

    def stream_error(self, fault: Fault, opening: Opening) -> Closing:
        """See Dialect.stream_error."""
        return Closing(responses_stream.error(fault, opening))

    def opened(self, opening: Opening) -> Opened:
        """See Dialect.opened."""
        return ResponsesOpened(opening)

    def keepalive(self, words: str, framing: Framing) -> bytes:
        """A comment: it keeps a socket alive, though not an agent that counts events."""
        return comment(f"keepalive {words}")
