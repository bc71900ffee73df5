"""A YAML text read with the place of each entry: lines of block style, brackets of flow style."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, cast

from holdgate.core.editing.base import BrokenText, CannotChange
from holdgate.core.editing.flow import Child, Node, line_start

if TYPE_CHECKING:
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

    Block = MappingNode | SequenceNode
    Composed = MappingNode | ScalarNode | SequenceNode

# leaf: a scalar or an alias, which has no inside; flow: in brackets.
Kind = Literal["leaf", "flow", "map", "list"]

# An edit and its proofs read the same few texts again and again; ruamel takes 5 ms for a small one.
_TEXTS = 8

_MOST_VALUES = 100_000

_COLON = re.compile(r"[ \t]*(:)")
_ALIAS = re.compile(r"[ \t]*(\*[^\s,\[\]{}]+)")
_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")


class _TooMuch(Exception):
    """Aliases that stand for more than anybody means."""


@dataclass(frozen=True, slots=True)
class YamlNode:
    """A value at text[start:end], without the comments and blanks that follow it."""

    kind: Kind
    start: int
    end: int
    entries: tuple[Entry, ...] = ()
    flow: Node | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A member, or with `key` None an item of a block.

    `start` is where its name or its dash is, `sign` the place behind its colon or dash.
    """

    key: str | None
    start: int
    sign: int
    node: YamlNode


@lru_cache(maxsize=_TEXTS)
def read_data(text: str) -> object:
    """Give the plain data of the one document of a text. Raises BrokenText."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of anchors that are used twice
            data: object = _yaml().load(text)
            _weight(data, {})
            return data
    except RecursionError as error:
        raise BrokenText("line 1: values are nested too deeply") from error
    except _TooMuch as error:
        raise BrokenText("line 1: its aliases stand for too much") from error
    except Exception as error:  # of broken texts it raises nearly everything
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or getattr(error, "reason", None)
        line = mark.line if mark else text.count("\n", 0, getattr(error, "position", 0) or 0)
        raise BrokenText(f"line {line + 1}: {reason or 'this is no YAML'}") from error


@lru_cache(maxsize=_TEXTS)
def read_entries(text: str) -> YamlNode | None:
    """Give the root of a text that `read_data` has taken, None for blanks and comments.

    Raises CannotChange for forms that nobody writes by hand, such as `? key`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = _yaml().compose(text)
    return None if root is None else _Builder(text).node(root, 0)


def _weight(data: object, known: dict[int, int]) -> int:
    """Count the values in plain data, those behind aliases each time. Raises _TooMuch.

    A few lines of aliases of aliases stand for billions, and one within itself for no end.
    """
    if not isinstance(data, dict | list):
        return 1
    if id(data) not in known:
        known[id(data)] = _MOST_VALUES  # for whoever meets it within itself
        inside = data.values() if isinstance(data, dict) else data
        known[id(data)] = 1 + sum(_weight(each, known) for each in inside)
    if known[id(data)] >= _MOST_VALUES:
        raise _TooMuch
    return known[id(data)]


def _yaml() -> YAML:
    from ruamel.yaml import YAML

    return YAML(typ="safe", pure=True)


class _Builder:
    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def node(self, node: Composed, after: int) -> YamlNode:
        """Give a value that begins at a place or behind it; an alias is composed elsewhere."""
        start, end = node.start_mark.index, node.end_mark.index
        if start < after:
            alias = self._match(_ALIAS, after)
            return YamlNode("leaf", alias.start(1), alias.end(1))
        if node.id == "scalar":
            if start == end:
                return YamlNode("leaf", after, after)
            return YamlNode("leaf", start, len(self._text[:end].rstrip()))
        block = cast("Block", node)
        if block.flow_style:
            flow = self._flow(block, start, end)
            return YamlNode("flow", flow.start, flow.end, (), flow)
        is_map = node.id == "mapping"
        entries = self._members(block) if is_map else self._items(block)
        return YamlNode(
            "map" if is_map else "list", entries[0].start, entries[-1].node.end, entries
        )

    def _members(self, node: Block) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        for key, value in node.value:
            if entries and key.start_mark.index < entries[-1].node.end:
                raise CannotChange("the file has an alias for a name")
            sign = self._match(_COLON, key.end_mark.index).end()
            entries.append(Entry(_name(key), key.start_mark.index, sign, self.node(value, sign)))
        return tuple(entries)

    def _items(self, node: Block) -> tuple[Entry, ...]:
        start = node.start_mark.index
        column = start - line_start(self._text, start)
        dash = re.compile(rf"\n[^\n]{{{column}}}(-)(?=\s|\Z)")
        entries: list[Entry] = []
        for value in node.value:
            if entries:
                match = dash.search(self._text, entries[-1].node.end)
                start = match.start(1) if match else -1
            if self._text[start : start + 1] != "-":
                raise CannotChange("a list of the file is written in an unusual way")
            entries.append(Entry(None, start, start + 1, self.node(value, start + 1)))
        return tuple(entries)

    def _flow(self, node: Block, start: int, end: int) -> Node:
        while self._text[start] not in "[{":  # an anchor or tag
            start += 1
        children: list[Child] = []
        after = start + 1
        for each in node.value:
            key, value = each if isinstance(each, tuple) else (None, each)
            colon = _COLON.match(self._text, key.end_mark.index) if key else None
            at = colon.end() if colon else key.end_mark.index if key else after
            inner = self.node(value, at)
            begin = key.start_mark.index if key else inner.start
            after = self._skip(inner.end)
            comma = after if self._text[after] == "," else -1
            after += comma >= 0
            found = inner.flow or Node(inner.start, inner.end, None)
            keys = (_name(key) or "",) if key else ()
            children.append(Child(keys, begin, self._text[at : inner.start], found, comma))
        return Node(start, end, None, tuple(children))

    def _skip(self, at: int) -> int:
        match = _GAP.match(self._text, at)
        return match.end() if match else at

    def _match(self, pattern: re.Pattern[str], at: int) -> re.Match[str]:
        match = pattern.match(self._text, at)
        if not match:
            raise CannotChange("the file is written in an unusual way")
        return match


def _name(key: Composed) -> str | None:
    """Give a name that is a text; others have none that a path could say."""
    is_text = isinstance(key.value, str) and str(key.tag) == "tag:yaml.org,2002:str"
    return key.value if is_text else None
