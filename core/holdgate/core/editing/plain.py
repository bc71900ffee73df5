"""Plain data: the same changes made to parsed values, to prove what was made of a text."""

from __future__ import annotations

import math
from typing import cast

from holdgate.core.editing.base import MISSING, CannotChange, Item, KeyPath, OtherKind, Path


def found(data: object, path: Path) -> object:
    """Give what stands at `path` in parsed data, or MISSING."""
    for step in path:
        data = _child(data, step)
    return data


def changed(data: object, path: Path, value: object) -> object:
    """Give a copy of parsed data with `path` set; what is missing above it is made.

    Raises CannotChange where a step does not fit what is there.
    """
    if not path:
        return copied(value)
    step, rest = path[0], path[1:]
    old = _child(data, step)
    new = made(path, value)[1] if old is MISSING else changed(old, rest, value)
    if isinstance(step, Item) and not (
        isinstance(new, dict) and new.get(step.member) == step.value
    ):
        new = _with_member(step, new)
    if isinstance(step, str):
        if not isinstance(data, dict):
            raise OtherKind(f"what should hold {step!r} is {_kind(data)}")
        return data | {step: new}
    if not isinstance(data, list):
        raise OtherKind(f"what should be a list is {_kind(data)}")
    at = index_of(data, step)
    if isinstance(step, int) and not 0 <= step <= len(data):
        raise CannotChange(f"there is no item {step}")
    return [*data, new] if at is None else [*data[:at], new, *data[at + 1 :]]


def reduced(data: object, path: Path) -> object:
    """Give a copy of parsed data without what stands at `path`, which must be there."""
    if not path:
        return MISSING
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        mapping = cast("dict[str, object]", data)
        new = reduced(mapping[step], rest)
        others = {key: each for key, each in mapping.items() if key != step}
        return others if new is MISSING else mapping | {step: new}
    items = cast("list[object]", data)
    at = index_of(items, step) or 0
    new = reduced(items[at], rest)
    return [*items[:at], *([] if new is MISSING else [new]), *items[at + 1 :]]


def made(path: Path, value: object) -> tuple[str | int | Item, object]:
    """Give the first step of a path that is not there, and the value that it must get."""
    step, rest = path[0], path[1:]
    new = copied(value)
    for below in reversed(rest):
        if isinstance(below, int) and below != 0:
            raise CannotChange(f"there is no item {below}")
        if isinstance(below, Item):
            new = _with_member(below, new)
        new = {below: new} if isinstance(below, str) else [new]
    return step, _with_member(step, new) if isinstance(step, Item) else new


def numbered(data: object, path: Path) -> KeyPath:
    """Give a path that is there with numbers for its items."""
    steps: list[str | int] = []
    for step in path:
        plain = step
        if isinstance(plain, Item):
            plain = index_of(cast("list[object]", data), plain) or 0
        steps.append(plain)
        data = found(data, (step,))
    return tuple(steps)


def index_of(items: list[object], step: str | int | Item) -> int | None:
    """Give the place of a step's item in a list, or None."""
    for at, each in enumerate(items):
        if at == step:
            return at
        if (
            isinstance(step, Item)
            and isinstance(each, dict)
            and each.get(step.member) == step.value
        ):
            return at
    return None


def copied(value: object) -> object:
    """Give a copy of a value with lists for tuples."""
    if isinstance(value, dict):
        return {key: copied(each) for key, each in value.items()}
    return [copied(each) for each in value] if isinstance(value, list | tuple) else value


def named(value: object) -> object:
    """Give a copy of a value of which all names are texts. Raises CannotChange for another."""
    if isinstance(value, dict):
        return {_text(key): named(each) for key, each in value.items()}
    return [named(each) for each in value] if isinstance(value, list | tuple) else value


def same(one: object, other: object) -> bool:
    """Tell whether two values are the same in value and kind: 1, 1.0 and true are three values."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return one == other


def _child(data: object, step: str | int | Item) -> object:
    if isinstance(step, str):
        return data.get(step, MISSING) if isinstance(data, dict) else MISSING
    at = index_of(data, step) if isinstance(data, list) else None
    return MISSING if at is None else cast("list[object]", data)[at]


def _with_member(step: Item, value: object) -> object:
    """Give a new item with the member by which it is found. Raises CannotChange."""
    if not isinstance(value, dict) or value.get(step.member, step.value) != step.value:
        raise CannotChange(
            f"an item with the {step.member} {step.value!r} is a mapping that has it"
        )
    return {step.member: step.value} | value


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise CannotChange("a mapping has a name that is no text")
    return name


def _kind(value: object) -> str:
    if value is None:
        return "empty (null)"
    kinds = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false"}
    return kinds.get(type(value), "a number")
