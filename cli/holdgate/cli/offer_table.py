"""The table of names that agents may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdgate.cli.lines import Line, said
from holdgate.cli.tables import Column, table


def lines_of(
    offers: Sequence[dict[str, Any]],
    date: str,
    width: int | None,
    *,
    filtered: bool,
    failed: bool = False,
) -> list[Line]:
    """Give the offers of `/api/models` as lines; `date` is that of the facts of models.dev.

    `failed`: a list could not be had, which was told already.
    """
    if not offers:
        return [said(_nothing(filtered, failed))]
    columns = [
        Column("NAME", least=16, middle=True),
        Column("CONTEXT", right=True),
        Column("OUTPUT", right=True, spare=2),
        Column("IN $/M", right=True),
        Column("OUT $/M", right=True),
        Column("CACHED $/M", right=True, spare=3),
        Column("DIALECTS", spare=4),
        Column("FROM", spare=5),
    ]
    rows = [_row(each) for each in offers]
    if any(each["candidates"] for each in offers):
        columns.append(Column("CANDIDATES", spare=1))
        for row, each in zip(rows, offers, strict=True):
            row.append(", ".join(each["candidates"] or ()))
    about = f"prices: US dollars for a million tokens, by models.dev as of {date}"
    return [*table(columns, rows, width), *([said((about, "quiet"))] if width else [])]


def _row(offer: dict[str, Any]) -> list[str]:
    prices = offer["prices"] or {}
    return [
        offer["id"],
        _tokens(offer["context"]),
        _tokens(offer["output"]),
        *(_dollars(prices.get(name)) for name in ("input", "output", "cache_read")),
        ", ".join(offer["spoken"]),
        ", ".join(offer["sources"]),
    ]


def _tokens(count: int | None) -> str:
    return f"{count:,}" if count else ""


def _dollars(price: float | None) -> str:
    return "" if price is None else f"{price:.4g}"


def _nothing(filtered: bool, failed: bool) -> str:
    if failed:
        return "no model is known: their vendors gave no list"
    if filtered:
        return "no name has that in it; gateway models lists all"
    return "no model is known yet; a provider comes first: gateway provider add NAME"
