"""Entries of YAML blocks put in, replaced and taken out: whole lines, or what is behind a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdgate.core.editing.base import CannotChange
from holdgate.core.editing.flow import Splice, begins_line, line_start, spliced
from holdgate.core.editing.yaml_style import YamlStyle, in_line
from holdgate.core.editing.yaml_tree import Entry, YamlNode

_LINE_REST = re.compile(r"[^\r\n]*")


def with_entry(text: str, node: YamlNode, key: str | None, value: object, style: YamlStyle) -> str:
    """Put a member or item below the last one of a block. Raises CannotChange."""
    if node.kind != ("list" if key is None else "map"):
        raise CannotChange("the file's layout does not allow it")
    lines = style.entry(key, value, _indent(text, node.entries[0]))
    return with_lines(text, _line_end(text, node.end), lines, style.newline)


def with_lines(text: str, at: int, lines: str, newline: str) -> str:
    """Put lines where one begins, or at the end of a text, which gets no last line end."""
    if at == len(text) and text and not text.endswith("\n"):
        return text + newline + lines.removesuffix(newline)
    return text[:at] + lines + text[at:]


def with_new_value(text: str, entry: Entry, value: object, style: YamlStyle) -> str:
    """Give a member or item another value; comments behind its name stay. Raises CannotChange."""
    old, sign = entry.node, entry.sign
    note = _after_note(text, sign)
    is_below = "\n" in text[sign : old.start]
    if not isinstance(value, dict | list) or not value:
        if old.start > sign and not is_below:
            return text[: old.start] + in_line(value) + text[old.end :]
        return spliced(text, [(sign, sign, " " + in_line(value)), (note, max(note, old.end), "")])
    tail = style.tail(value, _indent(text, entry), is_item=entry.key is None)
    if entry.key is None:
        if note > sign:
            raise CannotChange("a comment stands behind the item's dash")
        return text[:sign] + tail + text[old.end :]
    start = note if is_below else sign
    end = _rest_of_line(text, max(old.end, start))
    return spliced(text, [(start, max(old.end, start), ""), (end, end, tail)])


def without_entry(text: str, node: YamlNode, at: int, above: Entry | None) -> Iterator[str]:
    """Give the ways to take an entry out of a block, which stays as {} or [] if it was the last.

    `above` is the entry that holds the block, None at the top.
    """
    entry = node.entries[at]
    lines = (line_start(text, entry.start), _line_end(text, entry.node.end), "")
    empty = "{}" if node.kind == "map" else "[]"
    own_line = begins_line(text, entry.start)
    if len(node.entries) == 1:
        if above and own_line:
            yield _cut(text, [lines, (above.sign, above.sign, " " + empty)])
        elif own_line:
            yield _cut(text, [lines])
        yield spliced(text, [(entry.start, entry.node.end, empty)])
    elif own_line:
        yield _cut(text, [lines])
    elif at + 1 < len(node.entries):
        yield spliced(text, [(entry.start, node.entries[at + 1].start, "")])


def _cut(text: str, splices: list[Splice]) -> str:
    """Make splices of which the first takes lines out; a text without a last line end stays one."""
    new = spliced(text, splices)
    if splices[0][1] == len(text) and not text.endswith("\n"):
        return new.removesuffix("\n").removesuffix("\r")
    return new


def _indent(text: str, entry: Entry) -> str:
    return " " * (entry.start - line_start(text, entry.start))


def _line_end(text: str, at: int) -> int:
    """Give where the next line begins, or the end of the text."""
    return text.find("\n", at) + 1 or len(text)


def _rest_of_line(text: str, at: int) -> int:
    match = _LINE_REST.match(text, at)
    return match.end() if match else at


def _after_note(text: str, sign: int) -> int:
    """Give where a comment ends that stands right behind a colon or dash."""
    rest = _rest_of_line(text, sign)
    return rest if text[sign:rest].lstrip().startswith("#") else sign
