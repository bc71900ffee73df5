"""OpenAI Chat Completions: requests, errors and whole replies."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from holdgate.core.dialects import chat_stream, openai
from holdgate.core.dialects.base import Closing, Ending, Opened, Opening, Peek, Said, Whole
from holdgate.core.dialects.chat_opened import ChatOpened
from holdgate.core.dialects.raw_events import comment
from holdgate.core.dialects.reading import decode_request, dump, is_nothing, look, number
from holdgate.core.values.errors import Fault
from holdgate.core.values.inbound import Framing, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.usage import Usage
from holdgate.core.wire.sse import Event
from holdgate.core.wire.tail import Tail

# Tokens for an answer to next to nothing, by the limit's name. Models that want the new one think
# before they write, and OpenAI refuses a request whose limit ends them while they still think.
_TINY: Final[Mapping[str, int]] = MappingProxyType(
    {"max_tokens": 16, "max_completion_tokens": 1024}
)
_PATHS: dict[Task, str] = {"generate": "/chat/completions", "embeddings": "/embeddings"}


class _Request(msgspec.Struct):
    model: str
    stream: bool | None = None
    prompt_cache_key: msgspec.Raw = msgspec.Raw(b"")
    messages: msgspec.Raw = msgspec.Raw(b"")


_decoder = msgspec.json.Decoder(_Request)


class _Whole(msgspec.Struct):
    usage: Any = msgspec.field(name="usage", default=None)
    error: Any = None
    base_resp: Any = None
    answer: msgspec.Raw = msgspec.field(name="choices", default=msgspec.Raw(b""))


_whole = msgspec.json.Decoder(_Whole)


class Chat:
    """The dialect `chat`. Source: OpenAI API reference, Chat Completions and Embeddings."""

    name: DialectName = "chat"
    key_place = "bearer"
    required_headers: tuple[tuple[str, str], ...] = ()

    def peek(self, body: bytes) -> Peek:
        """See Dialect.peek."""
        request = decode_request(_decoder, body)
        return Peek(
            request.model,
            bool(request.stream),
            openai.session(request.prompt_cache_key),
            openai.first_user(request.messages) if request.messages else b"",
        )

    def url(self, base: str, task: Task, model: str, framing: Framing) -> str:
        """See Dialect.url."""
        return base + _PATHS[task]

    def models_url(self, base: str) -> str:
        """See Dialect.models_url."""
        return f"{base}/models"

    def token_count(self, tokens: int) -> bytes:
        """See Dialect.token_count."""
        return dump({"input_tokens": tokens})

    def tiny_request(self, model: str, limit_name: str = "max_tokens") -> bytes:
        """See Dialect.tiny_request."""
        ping = [{"role": "user", "content": "ping"}]
        return dump({"model": model, "messages": ping, limit_name: _TINY[limit_name]})

    def said(self, event: Event) -> Said:
        """See Dialect.said."""
        return chat_stream.said(event)

    def lead_usage(self, event: Event) -> Usage | None:
        """Chat tells no usage early."""
        return None

    def stream_id(self, event: Event) -> str:
        """An error event bears no id here."""
        return ""

    def next_sequence(self, tail: Tail) -> int:
        """Events bear no numbers here."""
        return 0

    def ending(self, tail: Tail, lead: Usage | None) -> Ending:
        """See Dialect.ending."""
        return chat_stream.ending(tail)

    def is_closed(self, tail: Tail) -> bool:
        """With `[DONE]`."""
        return chat_stream.is_closed(tail)

    def whole(self, body: bytes) -> Whole:
        """See Dialect.whole."""
        seen = look(_whole, body)
        # MiniMax tells errors so; a `status_code` of 0 is none.
        failed = seen.error or number(seen.base_resp, "status_code")
        return Whole(chat_stream.usage(seen.usage), bool(failed and is_nothing(seen.answer)))

    def error_words(self, body: bytes) -> str:
        """See Dialect.error_words."""
        return openai.error_words(body)

    def error_body(self, fault: Fault, request_id: str) -> bytes:
        """See Dialect.error_body."""
        return openai.error_body(fault)

    def stream_error(self, fault: Fault, opening: Opening) -> Closing:
        """See Dialect.stream_error."""
        return Closing(chat_stream.error(fault, opening))

    def opened(self, opening: Opening) -> Opened:
        """See Dialect.opened."""
        return ChatOpened(opening)

    def keepalive(self, words: str, framing: Framing) -> bytes:
        """A comment: it keeps a socket alive, though not an agent that counts events."""
        return comment(f"keepalive {words}")
