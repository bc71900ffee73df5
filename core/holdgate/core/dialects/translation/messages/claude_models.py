"""What the Claude models accept, by name: the one place that knows.

Source: platform.claude.com/docs, models, thinking, effort, migration guides (2026-11). Names are
found anywhere in a model's name, since relays put their own before and behind ("anthropic/…",
"…-v1:0"). Of other models that speak this dialect nothing is known.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

_NAME = re.compile(
    r"claude-(?:(?P<family>[a-z]+)-(?P<new>\d{1,2}(?:[-.]\d{1,2})?|preview)(?!\d)"
    r"|(?P<old>\d{1,2}(?:[-.]\d{1,2})?)(?:-(?P<kind>[a-z]+))?)"
)
_OLD = ("low", "medium", "high", "max")
_ALL = ("low", "medium", "high", "xhigh", "max")

# How thinking is turned off: by leaving it out, by a type of `thinking`, or not at all.
Off = Literal["absent", "disabled", "between_tools", "never"]


class Traits(msgspec.Struct, frozen=True):
    """What a model accepts.

    `efforts`: levels of `output_config.effort`, which go with adaptive thinking; without them
    thinking is told by a budget. `off`: how it is turned off. `thinks`: even if it is not told to.
    `forced`: a tool may be forced. `sampling`: temperature, top_p and top_k; `either`: not
    temperature beside top_p. `prefill`: the last message may be the assistant's. `formats`:
    `output_config.format`. `signed`: with thinking a turn of calls begins with a signed thought.
    `output`: its longest reply, 0 if unknown.
    """

    efforts: tuple[str, ...] = ()
    off: Off = "disabled"
    thinks: bool = False
    forced: bool = True
    sampling: bool = True
    either: bool = False
    prefill: bool = True
    formats: bool = True
    signed: bool = False
    output: int = 0


UNKNOWN = Traits()


def traits_of(model: str) -> Traits:
    """Give what the model of this name accepts."""
    found = _NAME.search(model.lower())
    if found is None:
        return UNKNOWN
    family = found["family"] or found["kind"] or ""
    if found["new"] == "preview":
        return _adaptive(family, (5, 0))
    version = _version(found["new"] or found["old"])
    if version < (4, 6):
        return _budgeted(family, version)
    if version == (4, 6):
        output = 128_000 if family == "opus" else 64_000
        return Traits(_OLD, off="absent", either=True, prefill=False, output=output)
    return _adaptive(family, version)


def _version(text: str) -> tuple[int, int]:
    major, _, minor = text.replace(".", "-").partition("-")
    return int(major), int(minor or 0)


def _budgeted(family: str, version: tuple[int, int]) -> Traits:
    """The models before 4.6: thinking has a budget."""
    return Traits(
        off="absent",
        either=True,
        formats=version >= (4, 5),
        signed=True,
        output=_early_output(family, version),
    )


def _early_output(family: str, version: tuple[int, int]) -> int:
    if version < (3, 5):
        return 4096
    if version < (3, 7):
        return 8192
    return 32_000 if family == "opus" and version < (4, 5) else 64_000


def _adaptive(family: str, version: tuple[int, int]) -> Traits:
    """The models from 4.7 on: they decide themselves how much to think."""
    always = family in ("fable", "mythos")
    late = version > (5, 0)
    off: Off = "disabled"
    if always or (late and family == "opus"):
        off = "never"
    elif late and family == "sonnet":
        off = "between_tools"
    elif version < (5, 0):
        off = "absent"
    return Traits(
        _ALL,
        off=off,
        thinks=always or version >= (5, 0),
        forced=not (late and off == "never"),
        sampling=False,
        prefill=False,
        output=128_000,
    )
