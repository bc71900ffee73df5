"""Custom tools, which take free text, on vendors that know functions only.

Such a tool is told as a function with one required text, `input`; its grammar goes into the
description. Its calls are told back as free text.
"""

from __future__ import annotations

import re

from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.halves import Halves
from holdgate.core.dialects.translation.json_texts import dumps, escaped, loads, mended
from holdgate.core.values.neutral import Custom, Function

_OPENING = re.compile(r'\s*+\{\s*+"input"\s*+:\s*+"')
_LONGEST_OPENING = 256
_WHOLE = re.compile(r'(?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
_CUT = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?")


def as_function(tool: Custom) -> Function:
    """Give the function that stands for a custom tool."""
    schema = {
        "type": "object",
        "properties": {
            "input": {
                "type": "string",
                "description": f"The whole input of {tool.name}, as plain text.",
            }
        },
        "required": ["input"],
        "additionalProperties": False,
    }
    words = [tool.description, _grammar(tool.format)]
    description = "\n\n".join(word for word in words if word)
    return Function(tool.name, description=description, parameters=dumps(schema))


def as_arguments(text: str) -> str:
    """Give the JSON arguments of the function that stand for a custom tool's input."""
    return '{"input":' + escaped(text).decode() + "}"


def as_text(arguments: str) -> str:
    """Give the custom tool's input that is in the function's arguments."""
    reader = FreeText()
    return reader.feed(arguments) + reader.close()


class FreeText:
    """A feed object: pieces of the function's JSON arguments in, pieces of the free text out.

    Any chunking gives the same text. The text is told as it comes once the arguments begin as they
    should; else they are kept to the end, and told as they are if there is no text in them.
    """

    __slots__ = ("_ended", "_halves", "_pieces", "_rest")

    def __init__(self) -> None:
        """Start before the arguments."""
        self._pieces: list[str] | None = []
        self._rest = ""
        self._halves = Halves()
        self._ended = False

    def feed(self, piece: str) -> str:
        """Give what `piece` completes of the text."""
        if self._pieces is None:
            return self._halves.join(self._read(piece))
        self._pieces.append(piece)
        if len(self._rest) >= _LONGEST_OPENING:
            return ""
        self._rest += piece
        opening = _OPENING.match(self._rest, 0, _LONGEST_OPENING)
        if opening is None:
            return ""
        piece = self._rest[opening.end() :]
        self._pieces, self._rest = None, ""
        return self._halves.join(self._read(piece))

    def close(self) -> str:
        """The arguments are complete (or cut): give what is left of the text."""
        if self._pieces is None:
            # An escape that was cut is no text.
            return self._halves.close()
        arguments = "".join(self._pieces)
        self._pieces = []
        return mended(_found(arguments))

    def _read(self, piece: str) -> str:
        """Read on inside of the JSON string; what follows its closing quote says nothing."""
        if self._ended:
            return ""
        text, at, found = self._rest + piece, 0, []
        while True:
            match = _WHOLE.match(text, at)
            assert match is not None  # it matches nothing, too
            found.append(_unescaped(match[0]))
            at = match.end()
            self._ended = text[at : at + 1] == '"'
            if self._ended or at == len(text) or _CUT.fullmatch(text, at):
                break
            # An escape that JSON does not know is told as it is.
            found.append(text[at : at + 2])
            at += 2
        self._rest = "" if self._ended else text[at:]
        return "".join(found)


def _unescaped(text: str) -> str:
    return texts(loads(f'"{text}"')) if "\\" in text else text


def _found(arguments: str) -> str:
    """Give the text in arguments that do not begin with it."""
    try:
        value = loads(arguments)
    except ValueError:
        return arguments
    if not isinstance(value, dict):
        return value if isinstance(value, str) else arguments
    if isinstance(text := value.get("input"), str):
        return text
    inner = list(value.values())
    if not inner:
        return ""
    return inner[0] if len(inner) == 1 and isinstance(inner[0], str) else arguments


def _grammar(format: bytes) -> str:
    """Give the words that tell a tool's grammar."""
    if not format:
        return ""
    try:
        value = loads(format)
    except ValueError:
        return ""
    # The responses dialect has the grammar's members beside `type`, chat has them one deeper.
    grammar = member(value, "grammar") or value
    definition = texts(member(grammar, "definition"))
    if not definition:
        return ""
    syntax = texts(member(grammar, "syntax"))
    return f"The input must follow this {syntax} grammar:\n{definition}".replace("  ", " ")
