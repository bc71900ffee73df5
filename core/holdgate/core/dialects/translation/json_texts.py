"""JSON as agents and vendors really write it: read with tolerance, written so that all can read it.

What is written has no half characters and none of the line separators of Unicode (U+0085, U+2028,
U+2029) as such: some clients split a stream of events at them.
"""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, NoReturn

import msgspec

_HALF = re.compile("[\ud800-\udfff]")
_SEPARATOR = re.compile("[\x85\u2028\u2029]")
_SEPARATORS = (
    (b"\xe2\x80\xa8", b"\\u2028"),
    (b"\xe2\x80\xa9", b"\\u2029"),
    (b"\xc2\x85", b"\\u0085"),
)


def loads(data: bytes | str) -> Any:
    """Give the value of a JSON text; halves of characters stay in its texts as they are.

    Raises ValueError if it is no JSON (NaN and Infinity are none), or nested too deeply.
    """
    try:
        return msgspec.json.decode(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except (msgspec.DecodeError, UnicodeError):
        pass  # half a character, a BOM, bytes that are no UTF-8; or no JSON at all
    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    try:
        return _DECODER.decode(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def dumps(value: object) -> bytes:
    """Give `value` as compact JSON in UTF-8; a half of a character becomes U+FFFD.

    Raises ValueError if it is nested too deeply.
    """
    try:
        try:
            return _without_separators(msgspec.json.encode(value))
        except UnicodeEncodeError:
            return _without_separators(msgspec.json.encode(_mended(value)))
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def escaped(text: str) -> bytes:
    """Give `text` as a JSON string, with its quotes."""
    try:
        found = msgspec.json.encode(text)
    except UnicodeEncodeError:
        found = msgspec.json.encode(mended(text))
    if text.isascii() or _SEPARATOR.search(text) is None:
        return found
    return _without_separators(found)


def mended(text: str) -> str:
    """Join two halves of a character that stand side by side; a lone half becomes U+FFFD."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def opaque(value: object) -> str:
    """Give a vendor's opaque text, "" if it is none.

    With half a character in it it could not go back unchanged: then it is none.
    """
    if not isinstance(value, str):
        return ""
    return value if value.isascii() or _HALF.search(value) is None else ""


def _without_separators(data: bytes) -> bytes:
    """Escape the separators: outside of texts JSON has no such characters."""
    if not data.isascii():
        for separator, escape in _SEPARATORS:
            data = data.replace(separator, escape)
    return data


def _mended(value: object) -> object:
    match value:
        case str():
            return mended(value)
        case dict():
            return {_mended(name): _mended(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_mended(inner) for inner in value]
        case msgspec.Struct():
            fields = msgspec.structs.asdict(value)
            return msgspec.structs.replace(
                value, **{name: _mended(inner) for name, inner in fields.items()}
            )
        case _:
            return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _finite(number: str) -> float:
    value = float(number)
    if isinf(value):
        raise ValueError("a number out of range")
    return value


# Control characters in texts are no JSON, but some vendors write them.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse, parse_float=_finite)
