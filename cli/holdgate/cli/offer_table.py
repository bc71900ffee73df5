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
    # Names are there to be copied: on a narrow screen all else goes before they are cut.
    columns = [
        Column("NAME", least=48, middle=True),
        Column("CONTEXT", right=True),
        Column("OUTPUT", right=True, spare=4),
        Column("IN $/M", right=True, spare=2),
        Column("OUT $/M", right=True, spare=2),
        Column("CACHED $/M", right=True, spare=5),
        Column("DIALECTS", spare=6),
        Column("FROM", spare=7),
    ]
    rows = [_row(each) for each in offers]
    if any(each["candidates"] for each in offers):
        columns.append(Column("CANDIDATES", least=16, spare=3))
        for row, each in zip(rows, offers, strict=True):
            row.append(", ".join(each["candidates"] or ()))
    if not width:
        return table(columns, rows, width)
    about = f"prices: US dollars for a million tokens, by models.dev as of {date}"
    priced = any(each["prices"] for each in offers)
    lines = table(*_told(columns, rows), width)
    return [*lines, *([said((about, "quiet"))] if priced else [])]


def _told(columns: list[Column], rows: list[list[str]]) -> tuple[list[Column], list[list[str]]]:
    """Leave out the columns in which nothing stands."""
    full = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    return [columns[at] for at in full], [[row[at] for at in full] for row in rows]


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
