"""Anthropic Messages: requests, errors and whole replies."""

from __future__ import annotations

from typing import Any

import msgspec

from holdgate.core.dialects import messages_stream, openai
from holdgate.core.dialects.base import Closing, Ending, Opened, Opening, Peek, Said, Whole
from holdgate.core.dialects.messages_opened import MessagesOpened
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
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

_PATHS: dict[Task, str] = {
    "generate": "/v1/messages",
    "count_tokens": "/v1/messages/count_tokens",
}


class _Metadata(msgspec.Struct):
    user_id: msgspec.Raw = msgspec.Raw(b"")


class _Request(msgspec.Struct):
    model: str
    stream: bool | None = None
    metadata: _Metadata | None = None
    messages: msgspec.Raw = msgspec.Raw(b"")


_decoder = msgspec.json.Decoder(_Request)


class _Whole(msgspec.Struct):
    usage: Any = msgspec.field(name="usage", default=None)
    error: Any = None
    answer: msgspec.Raw = msgspec.field(name="content", default=msgspec.Raw(b""))
    type: Any = None


_whole = msgspec.json.Decoder(_Whole)


class Messages:
    """The dialect `messages`. Source: Anthropic API reference, Messages, streaming, errors."""

    name: DialectName = "messages"
    key_place = "x-api-key"
    required_headers = (("anthropic-version", "2023-06-01"),)

    def peek(self, body: bytes) -> Peek:
        """See Dialect.peek."""
        request = decode_request(_decoder, body)
        return Peek(
            request.model,
            bool(request.stream),
            _session(bytes(request.metadata.user_id)) if request.metadata else None,
            openai.first_user(request.messages) if request.messages else b"",
        )

    def url(self, base: str, task: Task, model: str, framing: Framing) -> str:
        """See Dialect.url."""
        return base + _PATHS[task]

    def models_url(self, base: str) -> str:
        """See Dialect.models_url."""
        return f"{base}/v1/models"

    def token_count(self, tokens: int) -> bytes:
        """See Dialect.token_count."""
        return dump({"input_tokens": tokens})

    def tiny_request(self, model: str, limit_name: str = "") -> bytes:
        """See Dialect.tiny_request."""
        ping = [{"role": "user", "content": "ping"}]
        return dump({"model": model, "max_tokens": 16, "messages": ping})

    def said(self, event: Event) -> Said:
        """See Dialect.said."""
        return messages_stream.said(event)

    def lead_usage(self, event: Event) -> Usage | None:
        """Input and cache tokens come with `message_start`."""
        return messages_stream.lead_usage(event)

    def stream_id(self, event: Event) -> str:
        """An error event bears no id here."""
        return ""

    def next_sequence(self, tail: Tail) -> int:
        """Events bear no numbers here."""
        return 0

    def ending(self, tail: Tail, lead: Usage | None) -> Ending:
        """See Dialect.ending."""
        return messages_stream.ending(tail, lead)

    def is_closed(self, tail: Tail) -> bool:
        """With `message_stop`."""
        return messages_stream.is_closed(tail)

    def whole(self, body: bytes) -> Whole:
        """See Dialect.whole."""
        seen = look(_whole, body)
        return Whole(
            messages_stream.usage(seen.usage, None),
            seen.type == "error" or bool(seen.error and is_nothing(seen.answer)),
        )

    def error_words(self, body: bytes) -> str:
        """See Dialect.error_words."""
        return openai.error_words(body)

    def error_body(self, fault: Fault, request_id: str) -> bytes:
        """See Dialect.error_body."""
        return dump(messages_stream.error_object(fault) | {"request_id": request_id})

    def stream_error(self, fault: Fault, opening: Opening) -> Closing:
        """See Dialect.stream_error."""
        return Closing(messages_stream.error(fault, opening))

    def opened(self, opening: Opening) -> Opened:
        """See Dialect.opened."""
        return MessagesOpened(opening)

    def keepalive(self, words: str, framing: Framing) -> bytes:
        """A comment: it keeps a socket alive, though not an agent that counts events."""
        return comment(f"keepalive {words}")


def _session(user_id: bytes) -> str | None:
    """Give the session that Claude Code writes into `metadata.user_id`.

    It is a JSON text with a `session_id`, formerly `user_..._session_UUID`.
    """
    try:
        text = msgspec.json.decode(user_id)
    except msgspec.DecodeError:
        return None
    if not isinstance(text, str):
        return None
    if session := texts(member(load(text.encode()), "session_id")):
        return session
    _, found, session = text.rpartition("_session_")
    return session if found else None
