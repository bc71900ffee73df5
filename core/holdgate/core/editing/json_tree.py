"""JSON with comments and trailing commas, read with the place of each value."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import NoReturn

from holdgate.core.editing.base import BOM, BrokenText
from holdgate.core.editing.flow import Child, Node

DEEPEST = 200
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\r\n]|\\[^\r\n])*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z0-9_.+-]+")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@lru_cache(maxsize=8)  # an edit and its proofs read the same few texts again and again
def read_tree(text: str) -> Node | None:
    """Give the one value of a text, None if there are only blanks and comments.

    Of members with the same name the last counts. Raises BrokenText, also for more than DEEPEST
    levels.
    """
    scan = _Scan(text)
    scan.skip()
    if scan.at == len(text):
        return None
    root = scan.value(0)
    scan.skip()
    if scan.at < len(text):
        scan.fail(f"nothing may follow the end of the value, but {scan.seen()} does")
    return root


def skip_gap(text: str, at: int) -> int:
    """Give where the blanks and comments end that begin at a place of a text."""
    match = _GAP.match(text, at)
    return match.end() if match else at


class _Scan:
    """One pass over a text."""

    __slots__ = ("_text", "at")

    def __init__(self, text: str) -> None:
        self._text = text
        self.at = len(BOM) if text.startswith(BOM) else 0

    def value(self, depth: int) -> Node:
        """Take a value."""
        if depth > DEEPEST:
            self.fail("values are nested too deeply")
        start = self.at
        match self._text[start : start + 1]:
            case "{":
                children = self._children("}", depth)
                plain: object = {child.keys[0]: child.node.plain for child in children}
            case "[":
                children = self._children("]", depth)
                plain = [child.node.plain for child in children]
            case '"':
                text = self._string()
                return Node(start, self.at, text)
            case _:
                return self._word()
        return Node(start, self.at, plain, children)

    def skip(self) -> None:
        """Step over blanks and comments."""
        self.at = skip_gap(self._text, self.at)
        if self._text.startswith("/*", self.at):
            self.fail("a comment is not closed with */")

    def seen(self) -> str:
        """Give what stands here, in a few characters."""
        match = re.compile(r"[A-Za-z0-9_.+-]{1,20}|.", re.DOTALL).match(self._text, self.at)
        return repr(match[0]) if match else "the end of the file"

    def fail(self, reason: str) -> NoReturn:
        """Raise BrokenText with the line where the scan is."""
        end = min(self.at, len(self._text.rstrip()))
        raise BrokenText(f"line {self._text.count(chr(10), 0, end) + 1}: {reason}")

    def _children(self, closing: str, depth: int) -> tuple[Child, ...]:
        children: list[Child] = []
        self.at += 1
        self.skip()
        while self._text[self.at : self.at + 1] != closing:
            child = self._child(closing, depth)
            children.append(child)
            if child.comma < 0:
                break
        if self._text[self.at : self.at + 1] != closing:
            self.fail(f"a comma or {closing} is missing before {self.seen()}")
        self.at += 1
        return tuple(children)

    def _child(self, closing: str, depth: int) -> Child:
        start, gap = self.at, ""
        keys: tuple[str, ...] = ()
        if closing == "}":
            keys, gap = self._key()
        node = self.value(depth + 1)
        self.skip()
        comma = self.at if self._text[self.at : self.at + 1] == "," else -1
        if comma >= 0:
            self.at += 1
            self.skip()
        return Child(keys, start, gap, node, comma)

    def _key(self) -> tuple[tuple[str], str]:
        if self._text[self.at : self.at + 1] != '"':
            self.fail(f'a name in "quotes" or }} is missing before {self.seen()}')
        key = self._string()
        self.skip()
        if self._text[self.at : self.at + 1] != ":":
            self.fail(f"a colon is missing before {self.seen()}")
        self.at += 1
        colon = self.at
        self.skip()
        return (key,), self._text[colon : self.at]

    def _string(self) -> str:
        match = _STRING.match(self._text, self.at)
        if not match:
            self.fail('a text is not closed with " in its line')
        try:
            plain: str = json.loads(match[0])
        except ValueError:
            self.fail("a text has a wrong \\ sequence or a control character in it")
        self.at = match.end()
        return plain

    def _word(self) -> Node:
        start = self.at
        match = _WORD.match(self._text, start)
        if not match:
            self.fail(f"a value is missing before {self.seen()}")
        if match[0] in _WORDS:
            plain: object = _WORDS[match[0]]
        elif _NUMBER.fullmatch(match[0]):
            plain = self._number(match[0])
        else:
            self.fail(f"{self.seen()} is no value")
        self.at = match.end()
        return Node(start, self.at, plain)

    def _number(self, word: str) -> object:
        try:
            return json.loads(word)
        except ValueError:  # Python's limit of digits
            self.fail("a number is too long")
