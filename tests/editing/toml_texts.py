"""Random TOML texts: comments, dotted and quoted keys, inline values, tables and arrays of them."""

from __future__ import annotations

import tomllib
from random import Random

KEYS = ("a", "b", "env", "model", '"x y"', "'q'", '"/a b"', "a.b", 'a . "c"', "id")
HEADERS = ("a", "b", "p.a", 'p . "x y"', "p.q.r", 'projects."/a b"', "models.new", " env ")
SCALARS = (
    "1", "-0.5", "true", '"text"', "'#'", "1979-05-27T07:32:00Z", '"""a\n#b"""', "'''\n[a]\n'''",
    "inf", '"\\u00e4\\n"', "0x1F",
)  # fmt: skip


def toml_text(random: Random) -> str:
    """Give a text that tomllib takes."""
    while True:
        text = _any_text(random)
        try:
            tomllib.loads(text)
        except ValueError:
            continue
        newline = random.choice(("\n", "\n", "\r\n"))
        bom = "\ufeff" if random.random() < 0.1 else ""
        return bom + text.replace("\n", newline)


def _any_text(random: Random) -> str:
    lines = [_idle(random) for _ in range(random.choice((0, 0, 1, 3)))]
    lines += _pairs(random, random.choice((0, 0, 1, 3)))
    for _ in range(random.randrange(4)):
        lines += [_idle(random) for _ in range(random.choice((0, 1, 2)))]
        if random.random() < 0.3:
            for at in range(random.choice((1, 2))):
                lines += ["[[models]]" + _note(random), f'id = "{random.choice("xyz")}{at}"']
                lines += _pairs(random, random.randrange(3))
        else:
            lines += [f"[{random.choice(HEADERS)}]" + _note(random)]
            lines += _pairs(random, random.randrange(4))
    lines += [_idle(random) for _ in range(random.choice((0, 0, 1, 2)))]
    return "\n".join(lines) + random.choice(("\n", "\n", ""))


def _idle(random: Random) -> str:
    return random.choice(("", "", "  ", "# about it", "# [no] = 1", "  # indented"))


def _note(random: Random) -> str:
    return random.choice(("", "", "", " # here", "  "))


def _pairs(random: Random, count: int) -> list[str]:
    lines: list[str] = []
    indent = random.choice(("", "", "  "))
    for key in random.sample(KEYS, count):
        sign = random.choice((" = ", "=", "   =  "))
        lines.append(indent + key + sign + _value(random) + _note(random))
        if random.random() < 0.2:
            lines.append(_idle(random))
    return lines


def _value(random: Random, depth: int = 0, *, line: bool = False) -> str:
    scalars = [each for each in SCALARS if not (line and "\n" in each)]
    kind = random.randrange(8) if depth < 3 else 0
    if kind < 5:
        return random.choice(scalars)
    if kind < 7:
        items = [_value(random, depth + 1, line=line) for _ in range(random.randrange(4))]
        if line or random.random() < 0.5:
            return f"[{', '.join(items)}]" if random.random() < 0.8 else f"[ {','.join(items)} ]"
        note = random.choice(("", " # first"))
        comma = random.choice((",", "")) if items else ""
        return "[" + note + "\n  " + f",{note}\n  ".join(items) + comma + "\n]"
    keys = random.sample(KEYS, random.randrange(3))
    blank = random.choice((" ", ""))
    pairs = [f"{key} = {_value(random, depth + 1, line=True)}" for key in keys]
    return "{" + blank + ", ".join(pairs) + blank + "}"
