"""What the two OpenAI dialects share: errors, keys, and how a request names its conversation."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from holdgate.core.dialects.reading import Json, dump, load, member, texts
from holdgate.core.dialects.wording import type_of
from holdgate.core.values.errors import Fault

# Where they stand; MiniMax's is the last.
_WORDS: Final = (
    ("error", "message"), ("error",), ("message",), ("detail",), ("base_resp", "status_msg"),
)  # fmt: skip


class Speaker(msgspec.Struct):
    """A message of a request, as far as it is looked at."""

    role: str = ""
    content: msgspec.Raw = msgspec.Raw(b"")


def first_user(messages: msgspec.Raw, role: str = "user") -> bytes:
    """Give the content of the first message of `role`, as its JSON text; b"" if there is none."""
    try:
        speakers = msgspec.json.decode(messages, type=list[Speaker])
    except (msgspec.DecodeError, RecursionError):
        return bytes(messages)
    return next((bytes(speaker.content) for speaker in speakers if speaker.role == role), b"")


def session(prompt_cache_key: msgspec.Raw) -> str | None:
    """Give the conversation that a request's `prompt_cache_key` names, if it is a text."""
    try:
        return msgspec.json.decode(prompt_cache_key, type=str) or None
    except msgspec.DecodeError:
        return None


def error_object(fault: Fault) -> Json:
    """Give the `error` member of the OpenAI dialects, without `param`."""
    return {"message": fault.message, "type": type_of(fault), "code": fault.code}


def error_body(fault: Fault) -> bytes:
    """Render a fault as the OpenAI dialects' JSON body."""
    return dump({"error": error_object(fault) | {"param": None}})


def error_words(body: bytes) -> str:
    """Give the message of an OpenAI-like error body; relays write it in several places."""
    found: Any = load(body)
    for path in _WORDS:
        words = member(found, *path)
        if isinstance(words, str) and words:
            return words
    return texts(member(found, "response", "error", "message"))
