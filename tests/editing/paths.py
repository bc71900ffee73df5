"""Random places in data: such as are there, such as are not, and nonsense."""

from __future__ import annotations

from random import Random

from holdgate.core.editing.base import Item, Path

_STEPS: tuple[str | int | Item, ...] = ("a", "env", "new", "x y", 0, 1, Item("id", "x"))


def random_path(random: Random, data: object) -> Path:
    """Give a path that goes down into data, and at times beyond it."""
    path: Path = ()
    while random.random() < 0.85 or not path:
        if isinstance(data, dict) and data and random.random() < 0.7:
            step: str | int | Item = random.choice(list(data))
            data = data[step]
        elif isinstance(data, dict):
            step, data = random.choice(("new", "b", "d.e")), None
        elif isinstance(data, list):
            step, data = _into(random, data)
        elif random.random() < 0.5:
            break
        else:
            step = random.choice(_STEPS)
        path = (*path, step)
    return path


def _into(random: Random, items: list[object]) -> tuple[str | int | Item, object]:
    if random.random() < 0.5:
        step = Item("id", random.choice("xyzn"))
        hits = (e for e in items if isinstance(e, dict) and e.get("id") == step.value)
        return step, next(hits, None)
    at = random.randrange(len(items) + 1)
    return at, items[at] if at < len(items) else None


def fitting(path: Path, value: object) -> object:
    """Give a value that can be set at a path: an item that is found by a member is a mapping."""
    return {"n": value} if isinstance(path[-1], Item) else value
