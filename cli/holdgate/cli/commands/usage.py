"""`gateway usage`: what was asked and what it cost in tokens, from the ledger."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.asking import wall_time
from holdgate.cli.duration import Duration
from holdgate.cli.lines import Line, printable, said
from holdgate.cli.options import config_option, echo_json, fail, json_option, places_of
from holdgate.cli.screen import Screen
from holdgate.cli.tables import Column, table
from holdgate.cli.times import in_seconds

if TYPE_CHECKING:
    from holdgate.core.store.usage import UsageRow, UsageSums

_BY = ("agent", "model", "provider", "key", "day")
# What a row without a name is called.
_NOBODY = {"agent": "unknown", "key": "no key"}
# The counts, and which of them are left out first where the screen is narrow.
_COUNTS = {
    "requests": 0, "done": 2, "failed": 0, "input": 0, "cache_read": 1, "cache_write": 4,
    "output": 0, "reasoning": 5, "tries": 3, "failed_tries": 1,
}  # fmt: skip


@click.command("usage", epilog="Example: gateway usage --since 30d --by day")
@click.option(
    "--since", type=Duration(), default="7d", show_default=True,
    help="How far back, such as 24h or 30d; 0: all there is.",
)  # fmt: skip
@click.option(
    "--by", type=click.Choice(_BY), default="model", show_default=True,
    help="What it is summed up for; key: the gateway key of the caller.",
)  # fmt: skip
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@config_option
@json_option
def command(since: float, by: str, as_csv: bool, config_file: Path | None, as_json: bool) -> None:
    """Sum up requests, tokens and tries from the ledger; no gateway has to run.

    Tokens are those of the answers. Failed tries are counted apart.

    JSON: {"since", "by", "rows": [{"name", "requests", "done", "failed", "cancelled", "gone",
    "waited", "input", "cache_read", "cache_write", "output", "reasoning", "tries",
    "failed_tries"}], "total"}; since is in Unix seconds (0: all), total as a row without a name.
    """
    if as_csv and as_json:
        raise click.UsageError("--csv or --json, not both")
    sums = _sums(config_file, since, by)
    if as_json:
        echo_json(sums.as_json())
    elif as_csv:
        click.echo(csv_of(sums), nl=False)
    else:
        Screen().show(lambda width: lines_of(sums, width))


def lines_of(sums: UsageSums, width: int | None) -> list[Line]:
    """Give the sums as a table for a person, with all of them in its last row."""
    if not sums.rows:
        return [said("no requests in that time")]
    columns = [
        Column(sums.by.upper(), least=12, middle=True),
        *(
            Column(name.upper().replace("_", "-"), right=True, spare=spare)
            for name, spare in _COUNTS.items()
        ),
        Column("WAITED", right=True, spare=3),
    ]
    rows = [_row(each, each.name or _NOBODY.get(sums.by, "nobody")) for each in sums.rows]
    total = [(cell, "head") for cell in _row(sums.total, "all")]
    return table(columns, [*rows, total], width)


def csv_of(sums: UsageSums) -> str:
    """Give the sums as CSV, without the row of all."""
    rows: list[dict[str, Any]] = sums.as_json()["rows"]
    head = ["name", *(name for name in sums.as_json()["total"])]
    file = io.StringIO()
    writer = csv.DictWriter(file, head, lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "name": _harmless(row["name"])} for row in rows)
    return file.getvalue()


def _row(row: UsageRow, name: str) -> list[str]:
    counts = [f"{getattr(row, each):,}" for each in _COUNTS]
    return [name, *counts, in_seconds(row.waited)]


def _harmless(name: str) -> str:
    """Give a name that a spreadsheet takes for no formula: agents name themselves."""
    name = printable(name)
    return f"'{name}" if name.startswith(("=", "+", "-", "@")) else name


def _sums(config_file: Path | None, since: float, by: str) -> UsageSums:
    import sqlite3

    from holdgate.core.store.ledger import FILE_NAME
    from holdgate.core.store.usage import usage_since

    path = places_of(config_file).state / FILE_NAME
    try:
        return usage_since(path, wall_time() - since if since else 0.0, by)
    except sqlite3.Error as error:
        fail(f"the ledger {path} cannot be read: {error}")
