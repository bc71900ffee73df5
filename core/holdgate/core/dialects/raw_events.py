"""Events that are rewritten: members that nobody touches stay as they came, byte for byte.

A number that was decoded and encoded again may have changed (big integers, `1.5e2`), so objects are
opened one level at a time and everything inside stays raw JSON text.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from holdgate.core.dialects.reading import dump, is_nothing
from holdgate.core.wire.sse import Event, Splitter, parse_event

Members = dict[str, msgspec.Raw]

_members = msgspec.json.Decoder(Members)
_items = msgspec.json.Decoder(list[Members])
_text = msgspec.json.Decoder(str)

_BOM = b"\xef\xbb\xbf"
# Outside of strings a line end is mere space in JSON, inside it is forbidden.
_LINE_ENDS_TO_SPACES = bytes.maketrans(b"\r\n", b"  ")


def members(data: bytes | msgspec.Raw | None) -> Members | None:
    """Give the members of the JSON object in `data`, or None if there is none."""
    try:
        return _members.decode(data or b"")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def items(data: bytes | msgspec.Raw | None) -> list[Members] | None:
    """Give the objects of the JSON list in `data`, or None if it is no list of objects."""
    try:
        return _items.decode(data or b"")
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def text(data: bytes | msgspec.Raw | None) -> str | None:
    """Give the JSON string in `data`, or None if it is none."""
    try:
        return _text.decode(data or b"")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def raw(value: object) -> msgspec.Raw:
    """Give `value` as JSON text that can stand among members."""
    return msgspec.Raw(dump(value))


def is_empty(value: msgspec.Raw | None) -> bool:
    """Tell whether a member is missing, null, or an empty string, list or object."""
    return value is None or is_nothing(value)


def frame(data: object, name: str = "") -> bytes:
    """Give an event with the JSON of `data`, which may hold raw members."""
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + one_line(dump(data)) + b"\n\n"


def one_line(data: bytes) -> bytes:
    """Give JSON text without line ends: several clients read one `data:` line only."""
    return data.translate(_LINE_ENDS_TO_SPACES) if b"\n" in data or b"\r" in data else data


def comment(words: str) -> bytes:
    """Give `words` as a comment of an event stream, on one line whatever is in them."""
    return b": " + " ".join(words.split()).encode("utf-8", "replace") + b"\n\n"


def untouched(event: bytes) -> bytes:
    """Give an event as it came, but for its line ends: one stream has one kind of them."""
    lines = [line for line in event.removeprefix(_BOM).splitlines() if line]
    return b"\n".join(lines) + b"\n\n" if lines else b"\n"


def rewritten(event: bytes, found: Members) -> bytes:
    """Give an event with other data; its name and other fields stay."""
    lines = [line for line in event.removeprefix(_BOM).splitlines() if line and not _is_data(line)]
    return b"".join(line + b"\n" for line in lines) + frame(found)


def _is_data(line: bytes) -> bool:
    return line.partition(b":")[0] == b"data"


class RawEvents:
    """A feed object: a vendor's event stream in, what `tell` makes of each event out.

    `tell` gets an event's bytes and what they say. Comments, empty lines and pings are not asked
    about: they pass.
    """

    __slots__ = ("_split", "_tell")

    def __init__(self, tell: Callable[[bytes, Event], bytes]) -> None:
        """Start before the first byte."""
        self._split, self._tell = Splitter(), tell

    def feed(self, data: bytes) -> bytes:
        """Give what the events that `data` completes are told as."""
        return b"".join(map(self._told, self._split.each(data)))

    def close(self) -> bytes:
        """Give what a last event without its blank line is told as, or b""."""
        rest = self._split.close()
        # A line that was cut may be the half of anything.
        return b"" if parse_event(rest).data is None else self._told(rest)

    def _told(self, raw: bytes) -> bytes:
        event = parse_event(raw)
        if event.data is None or event.name == "ping":
            return untouched(raw)
        return self._tell(raw, event)
