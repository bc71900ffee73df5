"""Entries for the lists of models that agents keep in their settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holdgate.core.agents.base import Edit, Offered
from holdgate.core.editing.base import Item, Path

# What is told of a model whose window nobody knows, to agents that must be told something: most
# models of today have at least that, and an agent that believes in less tidies up its talk too early.
USUAL_CONTEXT: Final = 128_000
USUAL_OUTPUT: Final = 16_384


def title(name: str) -> str:
    """Give the name under which an agent shows a model of the gateway."""
    return f"Holdgate: {name}"


def context(model: Offered) -> int:
    """Give a model's window in tokens, or a usual one."""
    return model.context or USUAL_CONTEXT


def output(model: Offered) -> int:
    """Give a model's longest answer in tokens, or a usual one that fits into its window."""
    return model.output or min(USUAL_OUTPUT, context(model))


def entry(where: Path, item: Item, members: Mapping[str, object]) -> tuple[Edit, ...]:
    """Give the edits that make an entry of a list, or that change the one which is there."""
    return tuple(Edit((*where, item, member), value) for member, value in members.items())


def members(where: Path, values: Iterable[tuple[str, object]]) -> tuple[Edit, ...]:
    """Give the edits that set members of a mapping."""
    return tuple(Edit((*where, name), value) for name, value in values)
