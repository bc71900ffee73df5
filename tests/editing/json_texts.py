"""Random JSON texts: pretty ones as people have them, minified ones, and wild ones."""

from __future__ import annotations

import json
from random import Random

NAMES = ("a", "b", "c", "env", "x y", "ä", 'q"', "")
PAIRS = {"[": "]", "{": "}"}


def random_value(random: Random, depth: int = 0) -> object:
    """Give plain data as JSON has it."""
    scalars = (None, True, False, 0, -1, 2.5, 1e30, "", "text", "// no comment", "ü\n\"'\\", "#")
    kind = random.randrange(8)
    if depth > 2 or kind < 5:
        return random.choice(scalars)
    if kind == 5:
        return [random_value(random, depth + 1) for _ in range(random.randrange(4))]
    if kind == 6:
        return [
            {"id": random.choice("xyz"), "n": random_value(random, depth + 2)}
            for _ in range(random.randrange(4))
        ]
    names = random.sample(NAMES, random.randrange(4))
    return {name: random_value(random, depth + 1) for name in names}


def random_mapping(random: Random) -> dict[str, object]:
    """Give a mapping, often with others in it."""
    names = random.sample(NAMES, random.randrange(5))
    return {name: random_value(random) for name in names}


class JsonWriter:
    """Writes data with comments, odd blanks and trailing commas."""

    def __init__(self, random: Random) -> None:
        """Choose a style."""
        self.random = random
        self.style = random.choice(("pretty", "pretty", "minified", "wild"))
        self.unit = random.choice(("  ", "    ", "\t"))
        self.trailing = random.random() < 0.3
        self.commented = random.random() < 0.5
        self.newline = random.choice(("\n", "\n", "\r\n"))

    def text(self, data: object) -> str:
        """Give a whole text."""
        body = self.gap() + self.value(data, 0) + self.gap()
        if self.random.random() < 0.1:
            body = self.gap()
        elif self.style == "pretty" and self.random.random() < 0.8:
            body += "\n"
        return ("\ufeff" if self.random.random() < 0.1 else "") + body.replace("\n", self.newline)

    def gap(self) -> str:
        """Give what stands between two tokens of a wild text."""
        if self.style != "wild" or self.random.random() < 0.5:
            return ""
        choices = (" ", "\n", "\n  ", "\t", " // c\n", "/* c */", " /* a\n b */ ", "// x\n  // y\n")
        return self.random.choice(choices)

    def value(self, data: object, depth: int) -> str:
        """Give a value; its lines after the first are indented for their depth."""
        if not isinstance(data, dict | list):
            return json.dumps(data, ensure_ascii=self.random.random() < 0.5)
        brackets = "{}" if isinstance(data, dict) else "[]"
        entries = list(data.items()) if isinstance(data, dict) else [(None, each) for each in data]
        parts = [self.name(key) + self.value(each, depth + 1) for key, each in entries]
        if self.style == "pretty" and (parts or self.random.random() < 0.2):
            if parts and self.random.random() < 0.2:
                return brackets[0] + ", ".join(parts) + brackets[1]
            return self.lines(parts, brackets, depth)
        commas = ["," if at + 1 < len(parts) or self.trailing else "" for at in range(len(parts))]
        pairs = zip(parts, commas, strict=True)
        inside = "".join(self.gap() + part + self.gap() + comma for part, comma in pairs)
        return brackets[0] + inside + self.gap() + brackets[1]

    def name(self, key: str | None) -> str:
        """Give a member's name and colon."""
        if key is None:
            return ""
        blank = " " if self.style == "pretty" else self.gap()
        return json.dumps(key) + self.gap() + ":" + blank

    def lines(self, parts: list[str], brackets: str, depth: int) -> str:
        """Give a mapping or list with a line for each entry."""
        indent, lines = self.unit * (depth + 1), [brackets[0]]
        for at, part in enumerate(parts):
            if self.commented and self.random.random() < 0.3:
                lines.append(self.random.choice(("", f"{indent}// about it", f"{indent}/* so */")))
            comma = "," if at + 1 < len(parts) or self.trailing else ""
            note = self.random.choice((" // here", " /* t */", "  ", "")) if self.commented else ""
            lines.append(indent + part + comma + note)
        if self.commented and self.random.random() < 0.4:
            lines.append(f'{indent}// "old": 1')
        return "\n".join([*lines, self.unit * depth + brackets[1]])
