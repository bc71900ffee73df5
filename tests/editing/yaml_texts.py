"""Random YAML texts: blocks and brackets, quotes, comments, document markers, block scalars."""

from __future__ import annotations

from random import Random

KEYS = ("a", "b", "env", "model", '"x y"', "'q'", "d.e", "7", "id", "ä")
SCALARS = (
    "1", "-0.5", "true", "text", '"#"', "'it''s'", "2024-01-01", "null", "~", "http://h:1/v1",
    '"\\u00e4\\n"', "a b # c", "off", "1e3", "x#y",
)  # fmt: skip


def yaml_text(random: Random) -> str:
    """Give a text of one document with a mapping, or with nothing."""
    lines = [_idle(random) for _ in range(random.choice((0, 0, 1, 2)))]
    if random.random() < 0.2:
        lines.append(random.choice(("---", "--- # first")))
    body = _mapping(random, 0) if random.random() < 0.93 else []
    lines += body
    lines += [_idle(random) for _ in range(random.choice((0, 0, 1, 2)))]
    if body and random.random() < 0.05:
        lines.append("...")
    text = "\n".join(lines) + random.choice(("\n", "\n", ""))
    bom = "\ufeff" if random.random() < 0.1 else ""
    return bom + text.replace("\n", random.choice(("\n", "\n", "\r\n")))


def _mapping(random: Random, depth: int) -> list[str]:
    lines: list[str] = []
    unit = random.choice(("  ", "    "))
    for key in random.sample(KEYS, random.choice((1, 2, 2, 4))):
        lines += _entry(random, key + ":", unit, depth)
        if random.random() < 0.2:
            lines.append(_idle(random))
    return lines


def _sequence(random: Random, depth: int) -> list[str]:
    lines: list[str] = []
    for at in range(random.choice((1, 2, 3))):
        if random.random() < 0.4:
            lines += [f"- id: {random.choice('xyz')}{at}", "  n: 1"][: random.choice((1, 2))]
        elif random.random() < 0.2 and depth < 3:
            inner = _indented(_mapping(random, depth + 1), "  ")
            while not inner[0].strip() or inner[0].lstrip().startswith("#"):
                inner.pop(0)
            lines += ["- " + inner[0][2:], *inner[1:]]
        else:
            lines += _entry(random, "-", "  ", depth)
        if random.random() < 0.1:
            lines.append(_idle(random))
    return lines


def _entry(random: Random, head: str, unit: str, depth: int) -> list[str]:
    note = random.choice(("", "", "", " # here", "  "))
    kind = random.randrange(10) if depth < 3 else random.randrange(6)
    if kind < 4:
        return [f"{head} {random.choice(SCALARS)}{note}"]
    if kind == 4:
        return [head + note] if random.random() < 0.3 else [f"{head} {_flow(random)}{note}"]
    if kind == 5:
        mark = random.choice(("|", ">", "|-", "|+"))
        return [f"{head} {mark}", f"{unit}text # no", f"{unit}more", *([""] * random.randrange(2))]
    if kind < 8:
        return [head + note, *_indented(_mapping(random, depth + 1), unit)]
    flat = head != "-" and random.random() < 0.3
    return [head + note, *_indented(_sequence(random, depth + 1), "" if flat else unit)]


def _indented(lines: list[str], unit: str) -> list[str]:
    return [unit + line if line.strip() else line for line in lines]


def _flow(random: Random, depth: int = 0) -> str:
    if depth > 1 or (depth and random.random() < 0.5):
        return random.choice(("1", "text", '"a, b"', "null"))
    blank = random.choice(("", " "))
    if random.random() < 0.5:
        items = [_flow(random, depth + 1) for _ in range(random.randrange(3))]
        return "[" + blank + ", ".join(items) + blank + "]"
    keys = random.sample(KEYS, random.randrange(3))
    pairs = [f"{key}: {_flow(random, depth + 1)}" for key in keys]
    return "{" + blank + ", ".join(pairs) + blank + "}"


def _idle(random: Random) -> str:
    return random.choice(("", "", "  ", "# about it", "# no: 1", "    # - deep"))
