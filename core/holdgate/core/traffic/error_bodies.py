"""What a vendor's error body says: its codes, its message, the quotas it names.

Theory. An error body may quote anything that the agent wrote, so it is never searched as a whole.
It is decoded, and only the members that vendors write are read: the error object wherever relays
put it, also as text within text, and of each object its codes and its message.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

# Of a body that is no JSON, and of each message, this much is looked at.
_SEARCHED = 64 * 1024
_OBJECTS = 64
_LONGEST_CODE = 120

_CODES = ("code", "type", "status", "reason", "error_code", "errcode", "error_type", "__type")
_MESSAGES = ("message", "msg", "error_msg", "error_message", "errmsg", "status_msg", "raw")
# `error` and `detail` are objects at some vendors and text at others.
_EITHER = ("error", "detail")
_INNER = ("base_resp", "response", "details", "errors", "innererror", "violations", "raw")
# The codes of these mean something else than the same numbers elsewhere.
_NUMBERED_APART = frozenset({"base_resp", "error_code"})

# What relays and SDKs put before the words of the vendor that they asked.
_WRAPPER = re.compile(
    r"\s*(?:(?:litellm\.)?(\w{1,40}(?:Error|Exception))(?:\s?\(\w{1,40}\))?\s*(?::|-)\s*"
    r"|<\d{3}>\s*|/[\w/]{1,60}: |[\w.]{1,60}InvalidParameter:\s*|Error code: \d{3}\s*-?\s*"
    r"|(?:openrouter|upstream|api|provider)\s(?:api )?error:?\s*"
    r"|Error from provider(?:\s?\([^)]{1,40}\))?:\s*|Invalid request:\s*|permission-denied:\s*"
    r"|The model returned the following errors:\s*"
    r"|bad response status code \d{3},?\s*(?:message:|body:)?\s*|(?:\[\d{3}\]|\d{3})[:,]?\s+)",
    re.ASCII | re.I,
)
_WRAPPERS = 8
# Zhipu writes its code before the words, MiniMax behind them.
_CODE_BEFORE = re.compile(r"\[(1\d{3})\]\s*\[?", re.ASCII)
_CODE_BEHIND = re.compile(r"\(([12]\d{3})\)\Z", re.ASCII)
_DATA_LINE = re.compile(r"^data:[ ]?(.*)", re.M)
_STATUS = re.compile(r"[45]\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """What was said: `codes` in lower case, the most telling first; `messages` unwrapped.

    `quotas`: Gemini's ids of what is used up. `status`: an HTTP status told as the code. `page`:
    it is a web page, so it was not the vendor's API that answered.
    """

    codes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    quotas: tuple[str, ...] = ()
    status: int | None = None
    page: bool = False


Found = tuple[str, dict[str, object]]


def read(body: bytes, words: str = "") -> ErrorBody:
    """Read an error body; `words` is the message where the body itself shows none.

    Never raises: what is not understood is not said.
    """
    text = body.decode("utf-8-sig", "replace").strip()
    if text.startswith("<"):
        return ErrorBody(page=True)
    found = list(_objects(text))
    said = [message for _, one in found for message in _messages(one)]
    if not said:
        plain = "" if text.startswith(("{", "[")) else text.strip('"')
        said = [message for message in (words, plain) if message]
    unwrapped = [_unwrap(message) for message in dict.fromkeys(said)]
    codes = [code for wrapped in unwrapped for code in wrapped[0]]
    codes += [code for name, one in found for code in _codes(name, one)]
    statuses = (int(code) for code in codes if _STATUS.fullmatch(code))
    return ErrorBody(
        tuple(dict.fromkeys(code for code in codes if not _STATUS.fullmatch(code))),
        tuple(message for _, message in unwrapped if message),
        tuple(value for _, one in found if isinstance(value := one.get("quotaId"), str)),
        next(statuses, None),
    )


def header_code(value: str) -> str:
    """Give the code in Amazon's header, such as `ThrottlingException:http://...`."""
    return value.partition(":")[0].strip().lower()


def _objects(text: str) -> Iterator[Found]:
    """Give the objects of an error, outer ones first, each with the name it was found under."""
    waiting: deque[Found] = deque(_below("", _decode(_first_event(text))))
    for _ in range(_OBJECTS):
        if not waiting:
            return
        name, one = waiting.popleft()
        yield name, one
        waiting.extend(_inside(name, one))


def _inside(name: str, one: dict[str, object]) -> Iterator[Found]:
    for key in (*_EITHER, *_INNER):
        yield from _below(key, one.get(key))
    # Elsewhere the metadata are the agent's own.
    if name == "error":
        yield from _below("metadata", one.get("metadata"))
    message = one.get("message")
    if isinstance(message, str):
        yield from _below("message", _unwrap(message)[1])


def _below(name: str, value: object) -> Iterator[Found]:
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        value = _decode(value)
    for one in value[:_OBJECTS] if isinstance(value, list) else (value,):
        if isinstance(one, dict):
            yield name, one


def _decode(text: str) -> object:
    try:
        decoded: object = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        return None
    return decoded


def _first_event(text: str) -> str:
    """Give the data of the first event: some vendors answer a refused stream with SSE."""
    if not text.startswith(("event:", "data:", "id:", ":")):
        return text
    line = _DATA_LINE.search(text)
    return line[1] if line else text


def _messages(one: dict[str, object]) -> Iterator[str]:
    for key in (*_MESSAGES, *_EITHER):
        value = one.get(key)
        if isinstance(value, str) and not value.lstrip().startswith(("{", "[{")):
            yield value


def _codes(name: str, one: dict[str, object]) -> Iterator[str]:
    if name == "base_resp":
        yield from _code(name, one.get("status_code"))
        return
    for key in _CODES:
        yield from _code(key, one.get(key))
    # OpenRouter's moderation has no other code.
    if name == "metadata" and isinstance(one.get("reasons"), list):
        yield "moderation"


def _code(key: str, value: object) -> Iterator[str]:
    if isinstance(value, bool) or not isinstance(value, int | str):
        return
    # Python refuses to write out integers of thousands of digits.
    if isinstance(value, int) and abs(value) > 10**9:
        return
    code = str(value)[: _LONGEST_CODE + 1].strip().rpartition("#")[2].lower()
    if not 0 < len(code) <= _LONGEST_CODE:
        return
    yield f"{key}.{code}" if key in _NUMBERED_APART and code.isdecimal() else code


def _unwrap(message: str) -> tuple[list[str], str]:
    """Take the wrappers off a message; give the codes in them, and the vendor's own words."""
    text = message[:_SEARCHED].strip()
    codes = []
    start = 0
    for _ in range(_WRAPPERS):
        wrapper = _WRAPPER.match(text, start)
        if not wrapper:
            break
        start = wrapper.end()
        codes += [wrapper[1].lower()] if wrapper[1] else []
    if before := _CODE_BEFORE.match(text, start):
        start = before.end()
        codes.insert(0, before[1])
    if behind := _CODE_BEHIND.search(text, max(start, len(text) - 6)):
        codes.insert(0, f"base_resp.{behind[1]}")
    return codes, text[start:]
