"""Looks into an agent's JSON one level at a time: what is inside stays JSON text as it was written.

Google's API takes every member in camelCase and in snake_case, and so do these looks. Each raises
Fault(REQUEST) with the path of what is of the wrong type.
"""

from __future__ import annotations

import re

import msgspec

from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.values.errors import Fault, FaultKind

Raw = msgspec.Raw
Members = dict[str, Raw]

_members = msgspec.json.Decoder(Members)
_items = msgspec.json.Decoder(list[Raw])
_text = msgspec.json.Decoder(str)
_SNAKE = re.compile(r"(?<=[a-zA-Z0-9])_([a-z0-9])")


def whole(body: bytes) -> Members:
    """Give the members of a request."""
    try:
        return _spelt(_members.decode(body))
    except RecursionError as error:
        raise Fault(FaultKind.REQUEST, "the body is nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass  # half a character, perhaps: rare, and worth a second reading
    try:
        return _spelt(_members.decode(dumps(loads(body))))
    except (ValueError, RecursionError) as error:
        raise Fault(
            FaultKind.REQUEST, f"the body must be exactly one JSON object: {error}"
        ) from error


def members(raw: Raw | bytes, path: str) -> Members:
    """Give the members of an object, each by its name in camelCase."""
    try:
        return _spelt(_members.decode(raw))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise wrong(path, "an object") from error


def items(raw: Raw | bytes, path: str) -> list[Raw]:
    """Give the items of a list; an object stands for a list of itself, as Google reads it."""
    if bytes(raw).lstrip()[:1] == b"{":
        return [Raw(raw)]
    try:
        return _items.decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        raise wrong(path, "a list") from error


def text(raw: Raw | bytes, path: str) -> str:
    """Give a text."""
    try:
        return _text.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        found = loads(bytes(raw))
    except ValueError:
        found = None
    if not isinstance(found, str):
        raise wrong(path, "a text")
    return found


def text_at(found: Members, name: str, path: str) -> str:
    """Give the text that is the member `name`, "" where there is none."""
    return text(found[name], f"{path}.{name}") if name in found else ""


def number(raw: Raw, path: str) -> float:
    """Give a number; Google reads one in quotes as well."""
    found = value(raw, path)
    if isinstance(found, str):
        try:
            found = float(found)
        except ValueError:
            found = None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise wrong(path, "a number")
    return found


def whole_number(raw: Raw, path: str) -> int:
    """Give a whole number."""
    found = number(raw, path)
    if found != found or found in (float("inf"), float("-inf")) or int(found) != found:
        raise wrong(path, "a whole number")
    return int(found)


def value(raw: Raw | bytes, path: str) -> object:
    """Give any value."""
    try:
        return loads(bytes(raw))
    except ValueError as error:
        raise wrong(path, "JSON") from error


def is_true(found: Members, name: str) -> bool:
    """Tell whether the member `name` is true."""
    return name in found and bytes(found[name]).strip() == b"true"


def as_text(raw: Raw | bytes) -> str:
    """Give JSON text as it was written."""
    return bytes(raw).decode("utf-8", "replace")


def wrong(path: str, kind: str) -> Fault:
    """Give the fault of a member that is not of its kind."""
    return Fault(FaultKind.REQUEST, f"{path}: {kind} was expected")


def camel(name: str) -> str:
    """Give a member's name in camelCase."""
    return _SNAKE.sub(lambda match: match[1].upper(), name) if "_" in name else name


def _spelt(found: Members) -> Members:
    """Leave out what is null; of two spellings the camelCase one counts."""
    spelt: Members = {}
    for name, raw in found.items():
        told = camel(name)
        if bytes(raw) != b"null" and (told == name or told not in found):
            spelt[told] = raw
    return spelt
