"""Members of JSON objects as JSON text, also where a text holds half a character.

The fast decoder takes no such text, and vendors' tokenizers and agents' cuts do make them.
"""

from __future__ import annotations

import json
import re

import msgspec

from holdgate.core.dialects.raw_events import Members, members
from holdgate.core.dialects.translation.json_texts import loads

# An escape: two halves that belong together, one without the other, or any.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.S,
)


def request_members(body: bytes) -> Members | None:
    """Give the members of a request's object; half a character becomes U+FFFD, all else stays."""
    body = body.removeprefix(b"\xef\xbb\xbf")
    found = members(body)
    if found is None and b"\\u" in body:
        return members(_ESCAPE.sub(lambda it: b"\\ufffd" if it[1] else it[0], body))
    return found


def reply_members(data: bytes | msgspec.Raw | None) -> Members | None:
    """Give the members of an object of a reply; half a character stays one."""
    found = members(data)
    if found is not None or data is None:
        return found
    try:
        value = loads(bytes(data))
        if not isinstance(value, dict):
            return None
        return {name: msgspec.Raw(json.dumps(inner).encode()) for name, inner in value.items()}
    except (ValueError, RecursionError):
        return None


def reply_value(data: bytes | msgspec.Raw | None) -> object:
    """Give a value of a reply; None where it is missing, or no JSON."""
    if data is None:
        return None
    try:
        return loads(bytes(data))
    except ValueError:
        return None


def reply_items(data: bytes | msgspec.Raw | None) -> list[Members]:
    """Give the objects of a list of a reply; what is none is left out."""
    if data is None:
        return []
    try:
        listed = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        value = reply_value(data)
        if not isinstance(value, list):
            return []
        listed = [msgspec.Raw(json.dumps(item).encode()) for item in value]
    return [item for item in map(reply_members, listed) if item is not None]
