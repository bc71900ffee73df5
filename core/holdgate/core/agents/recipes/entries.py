"""Entries for the lists of models that agents keep in their settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from holdgate.core.agents.base import Edit, Offered, Wish
from holdgate.core.editing.base import Item, Path

# Told of a model whose window nobody knows, to agents that must be told something. Most models of
# today have at least that; an agent that believes in less shortens its talk too early.
USUAL_CONTEXT: Final = 128_000
USUAL_OUTPUT: Final = 16_384

# Of the models that a gateway offers. Each is an edit of its own there, and a list that a person
# chooses from by eye is of no use with the hundreds that some vendors have.
LISTED_MOST: Final = 50


def listed(wish: Wish) -> tuple[Offered, ...]:
    """Give the models for an agent that keeps a list of them: wished ones and routes come first."""
    return wish.listed()[:LISTED_MOST]


def title(name: str) -> str:
    """Give the name under which an agent shows a model of the gateway."""
    return f"Holdgate: {name}"


def context(model: Offered) -> int:
    """Give a model's window in tokens, or a usual one."""
    return model.context or USUAL_CONTEXT


def output(model: Offered) -> int:
    """Give a model's longest answer in tokens, or a usual one that fits into its window."""
    return model.output or min(USUAL_OUTPUT, context(model))


def entry(where: Path, item: Item, members: Mapping[str, object]) -> Edit:
    """Give the edit that makes an entry of a list, or puts it in the place of the one there."""
    return Edit((*where, item), {item.member: item.value, **members})


def known(**tokens: int) -> Mapping[str, object]:
    """Give the numbers of tokens that are known: those that are not 0."""
    return {name: number for name, number in tokens.items() if number}
