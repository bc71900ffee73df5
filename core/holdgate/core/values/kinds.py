"""Kinds of setting: what a value in config.toml may be, and what it means inside."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit


class WrongValue(ValueError):
    """A value that its kind does not allow; `str()` says what is allowed."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a setting may hold.

    `allowed` is for people; `parse` takes the TOML value and gives the inner one, or raises
    WrongValue.
    """

    name: str
    allowed: str
    _parse: Callable[[object], Any]

    def parse(self, value: object) -> Any:
        """Give the inner value of a TOML value.

        Raises WrongValue with the allowed form.
        """
        try:
            return self._parse(value)
        except WrongValue:
            raise
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise WrongValue(self.allowed) from error


_DURATION = re.compile(r"(?:(\d+(?:\.\d+)?)(ms|s|m|h|d))")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|KB|KiB|MB|MiB|GB|GiB)?")
_BYTES = {
    None: 1, "B": 1, "kB": 1000, "KB": 1000, "KiB": 1 << 10,
    "MB": 10**6, "MiB": 1 << 20, "GB": 10**9, "GiB": 1 << 30,
}  # fmt: skip

# How a proxy may be spoken to; with socks4a and socks5h it looks up names itself.
PROXY_SCHEMES = ("http", "https", "socks5", "socks5h", "socks4", "socks4a")


def parse_duration(value: object) -> float:
    """Give seconds of `"500ms"`, `"15s"`, `"4m45s"`, `"1h"` or a number of seconds.

    Raises ValueError for anything else, negative numbers too.
    """
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, int | float):
        if not 0 <= value < float("inf"):
            raise ValueError
        return float(value)
    if not isinstance(value, str):
        raise ValueError
    text = value.strip()
    parts = _DURATION.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return parse_duration(float(text))
    return parse_duration(sum(float(number) * _SECONDS[unit] for number, unit in parts))


def format_duration(seconds: float) -> str:
    """Give seconds as people write them: `2m`, `4m45s`, `1.5s`, `500ms`."""
    if 0 < seconds < 1:
        return f"{seconds * 1000:.0f}ms"
    if seconds < 60:
        return f"{seconds:g}s" if seconds == round(seconds, 3) else f"{seconds:.1f}s"
    whole = round(seconds)
    parts = []
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts)


def parse_size(value: object) -> int:
    """Give bytes of `"128MiB"`, `"2MB"` or a number of bytes. Raises ValueError."""
    if isinstance(value, bool):
        raise ValueError
    if isinstance(value, int):
        if value < 0:
            raise ValueError
        return value
    if not isinstance(value, str) or not (match := _SIZE.fullmatch(value.strip())):
        raise ValueError
    return int(float(match[1]) * _BYTES[match[2]])


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _file(value: object) -> str:
    text = _text(value).strip()
    # The gateway may be started anywhere.
    if not text.startswith(("~/", "~\\")) and not PurePath(text).is_absolute():
        raise ValueError
    return text


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError
    return value


def _port(value: object) -> int:
    port = _count(value)
    if port > 65535:
        raise ValueError
    return port


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(_text(item) for item in value)


def _url(value: object) -> str:
    text = _text(value).strip().rstrip("/")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError
    # A login would not be sent, and a sign that is no part of an address break the request's line.
    if "@" in parts.netloc or re.search(r"[\x00-\x20\x7f]", text):
        raise ValueError
    if parts.port == 0:  # also raises ValueError for a port that is none
        raise ValueError
    return text


def _proxy(value: object) -> str:
    text = _text(value).strip().rstrip("/")
    if text == "direct":
        return text
    parts = urlsplit(text)
    if parts.scheme not in PROXY_SCHEMES or not parts.hostname:
        raise ValueError
    if parts.path or parts.query or parts.fragment:
        raise ValueError
    _ = parts.port  # raises ValueError for a port that is none
    return text


def _headers(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise ValueError
    pairs = tuple((str(name), _text(text)) for name, text in value.items())
    if any(
        not name or re.search(r"[^!-~]|:", name) or re.search(r"[\r\n\0]", text)
        for name, text in pairs
    ):
        raise ValueError
    return pairs


def choice(*words: str) -> Kind:
    """Give the kind of a setting that is one of `words`."""

    def parse(value: object) -> str:
        if value not in words:
            raise ValueError
        return str(value)

    return Kind("word", "one of " + ", ".join(f'"{word}"' for word in words), parse)


DURATION = Kind("duration", 'a duration such as "500ms", "15s", "2m" or "1h"', parse_duration)
SIZE = Kind("size", 'a size such as "128MiB" or a number of bytes', parse_size)
TEXT = Kind("text", "a text that is not empty", _text)
FILE = Kind("file", 'the whole path of a file, which may begin with "~/"', _file)
FLAG = Kind("flag", "true or false", _flag)
COUNT = Kind("count", "a whole number from 0 up", _count)
PORT = Kind("port", "a port number from 0 to 65535", _port)
TEXTS = Kind("list", 'a list of texts such as ["a", "b"]', _texts)
URL = Kind("URL", "an http:// or https:// address without login and query", _url)
PROXY = Kind("proxy", 'an http://, https://, socks5:// or socks5h:// address, or "direct"', _proxy)
HEADERS = Kind("headers", 'a table of header names and texts such as { "X-Team" = "a" }', _headers)
