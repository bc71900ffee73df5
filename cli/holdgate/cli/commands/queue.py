"""`gateway queue`: the live requests as a table, once or as they move."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.asking import ask
from holdgate.cli.options import config_option, echo_json, fail, json_option
from holdgate.cli.tables import aligned, in_seconds, printable

if TYPE_CHECKING:
    from rich.table import Table

    from holdgate.core.client import ControlClient

INTERRUPTED = 130
HEAD = ("PLACE", "REQUEST", "AGENT", "MODEL", "STATE", "SINCE", "WHY", "ETA")
# The colours of the states; NO_COLOR and terminals without colours leave them out.
_STYLES = {"waiting": "yellow", "trying": "cyan", "held": "cyan", "passing": "green"}
# How often the seconds move on while nothing else does.
_PER_SECOND = 2.0


@click.command("queue", epilog="Example: gateway queue --watch")
@click.option("--watch", is_flag=True, help="Show how it moves, until Ctrl-C.")
@config_option
@json_option
def command(watch: bool, config_file: Path | None, as_json: bool) -> None:
    """Show the live requests: who waits at which place, why, and until when.

    JSON: {"paused", "counts", "lanes", "requests"} as in `gateway status --json`, the requests in
    the order of the table; with --watch one such object a line for each change.
    """
    try:
        if watch:
            ask(config_file, lambda client: _watch(client, as_json))
            fail("the gateway has ended; start it with: gateway serve")
        shown = shape_of(ask(config_file, lambda client: client.get("/api/status")))
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    if as_json:
        echo_json(shown)
    else:
        _show(shown)


def shape_of(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Give what the command shows of a snapshot: who waits by place, then the others by arrival."""
    requests = sorted(
        snapshot["requests"], key=lambda each: (each["position"] is None, each["position"] or 0)
    )
    kept = {name: snapshot[name] for name in ("paused", "counts", "lanes")}
    return {**kept, "requests": requests}


def lines_of(shown: dict[str, Any], now: float) -> list[str]:
    """Give it as plain lines; `now` in Unix seconds."""
    rows = [_row(each, now) for each in shown["requests"]]
    return [*map(printable, titles_of(shown)), *aligned(HEAD, rows)]


def titles_of(shown: dict[str, Any]) -> list[str]:
    """Give the lines above the table: the counts, and what keeps whole lanes."""
    counts, paused = shown["counts"], shown["paused"]
    lines = [f"{counts['waiting']} waiting, {counts['held']} held, {counts['passing']} passing"]
    if paused:
        lines.append(f"all is paused {_until(paused['until'])}")
    else:
        names = dict.fromkeys(lane["provider"] for lane in shown["lanes"] if lane["paused"])
        lines += [f"{name} is paused" for name in names]
    for lane in shown["lanes"]:
        if rest := lane["rest"]:
            name = f"{lane['provider']}/{lane['key']}"
            lines.append(f"{name} rests {_until(rest['until'])}: {rest['why']}")
    return lines


def _until(moment: float | None) -> str:
    return "until resumed" if moment is None else f"until {datetime.fromtimestamp(moment):%H:%M:%S}"


def _row(request: dict[str, Any], now: float) -> tuple[str, ...]:
    return (
        str(request["position"] or ""),
        request["id"],
        request["agent"],
        request["model"],
        request["state"],
        in_seconds(max(0.0, now - request["since"])),
        request["reason"],
        in_seconds(max(1.0, request["eta"] - now)) if request["eta"] is not None else "",
    )


def _show(shown: dict[str, Any]) -> None:
    if not sys.stdout.isatty():
        for line in lines_of(shown, _now()):
            click.echo(line)
        return
    from rich.console import Console

    Console(highlight=False).print(_table(shown, _now()))


def _watch(client: ControlClient, as_json: bool) -> None:
    shapes = (shape_of(snapshot) for snapshot in client.events())
    if as_json:
        for shown in shapes:
            click.echo(json.dumps(shown, ensure_ascii=False))
    elif not sys.stdout.isatty():
        for number, shown in enumerate(shapes):
            click.echo("\n" * (number > 0) + "\n".join(lines_of(shown, _now())))
    else:
        _watch_live(shapes)


def _watch_live(shapes: Iterator[dict[str, Any]]) -> None:
    """Draw the newest table again and again, so that its seconds move."""
    from rich.console import Console
    from rich.live import Live

    newest = next(shapes, None)
    if newest is None:
        return
    shown = newest
    with Live(
        get_renderable=lambda: _table(shown, _now()),
        console=Console(highlight=False),
        refresh_per_second=_PER_SECOND,
    ) as live:
        for newest in shapes:
            shown = newest
            live.refresh()


def _table(shown: dict[str, Any], now: float) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    title = Text("\n".join(map(printable, titles_of(shown))))
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in HEAD:
        table.add_column(name, no_wrap=name not in ("WHY", "MODEL"), overflow="fold")
    for each in shown["requests"]:
        cells = [Text(printable(cell)) for cell in _row(each, now)]
        cells[HEAD.index("STATE")].stylize(_STYLES.get(each["state"], ""))
        table.add_row(*cells)
    return table


def _now() -> float:
    return time.time()  # noqa: TID251 (a person reads it now)
