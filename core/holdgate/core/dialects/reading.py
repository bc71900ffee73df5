"""Tolerant looks into vendors' JSON: what is missing or of another shape is simply not there."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, TypeVar

import msgspec

from holdgate.core.values.errors import Fault, FaultKind

Json = dict[str, Any]
T = TypeVar("T")
_NOTHING = frozenset({b"", b"null", b"[]", b"{}", b'""'})


class _Part(msgspec.Struct):
    text: str = ""


_content = msgspec.json.Decoder(str | list[_Part])


def load(data: bytes | None) -> Json | None:
    """Give the JSON object in `data`, or None if there is none."""
    try:
        value = msgspec.json.decode(data or b"")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) else None


def is_json(data: bytes) -> bool:
    """Tell whether `data` is JSON; the check skips, it builds nothing."""
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    return True


def look(decoder: msgspec.json.Decoder[T], data: bytes) -> T:
    """Give the typed look at a reply; what is not asked for is skipped, not built.

    Raises ValueError if `data` is no JSON, or no object.
    """
    try:
        return decoder.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error


def member(value: object, *path: str) -> Any:
    """Follow `path` through objects; None where it ends early."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def number(value: object, *path: str) -> int:
    """Give the whole number at `path`, or 0."""
    for name in path:
        if not isinstance(value, dict):
            return 0
        value = value.get(name)
    if type(value) is int:
        return value
    return int(value) if isinstance(value, float) and isfinite(value) else 0


def is_nothing(value: msgspec.Raw) -> bool:
    """Tell whether a member that was not decoded is absent, null or empty."""
    if len(value) >= 16:
        return False
    told = bytes(value).strip(b" \t\r\n")
    # White space within a text is what the text says.
    return (told if told[:1] == b'"' else told.translate(None, b" \t\r\n")) in _NOTHING


def texts(value: object) -> str:
    """Give `value` if it is a text, else ""."""
    return value if isinstance(value, str) else ""


def words_of(content: bytes) -> bytes:
    """Give the texts in the JSON of a message's content, or the JSON where there are none.

    Agents write the same words as a text in one turn and as marked parts in the next.
    """
    try:
        found = _content.decode(content)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return content
    words = found if isinstance(found, str) else "\n".join(each.text for each in found)
    return words.encode() or content


def last_object(data: bytes, name: str) -> Json | None:
    """Give the last object that is a member `name`, out of bytes that may be cut at the front."""
    marker = f'"{name}"'
    text = data.decode("utf-8", "replace")
    at = text.rfind(marker)
    while at >= 0:
        rest = text[at + len(marker) :].lstrip().removeprefix(":").lstrip()
        if rest.startswith("{"):
            try:
                found, _ = json.JSONDecoder().raw_decode(rest)
            except (ValueError, RecursionError):
                found = None
            if isinstance(found, dict):
                return found
        at = text.rfind(marker, 0, at)
    return None


def dump(value: object) -> bytes:
    """Give `value` as JSON text without spaces."""
    return msgspec.json.encode(value)


def decode_request(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """Give the typed peek into a request. Raises Fault(REQUEST) that says what is wrong."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Fault(FaultKind.REQUEST, f"the request is not as expected: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Fault(
            FaultKind.REQUEST, f"the body must be exactly one JSON object: {error}"
        ) from error
    except RecursionError as error:
        raise Fault(FaultKind.REQUEST, "the body is nested too deeply") from error
