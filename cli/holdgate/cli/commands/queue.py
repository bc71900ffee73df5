"""`gateway queue`: the live requests as a table, once or as they move."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.asking import ask, wall_time
from holdgate.cli.lanes import keeping, title
from holdgate.cli.lines import Line, said
from holdgate.cli.live_requests import in_order, request_table
from holdgate.cli.options import config_option, echo_json, fail, json_option, json_text
from holdgate.cli.screen import Screen

if TYPE_CHECKING:
    from holdgate.core.client import ControlClient


@click.command("queue", epilog="Example: gateway queue --watch")
@click.option("--watch", is_flag=True, help="Show how it moves, until Ctrl-C.")
@config_option
@json_option
def command(watch: bool, config_file: Path | None, as_json: bool) -> None:
    """Show the live requests: who waits at which place, why, and until when.

    JSON: {"paused", "counts", "lanes", "requests"} as in `gateway status --json`, the requests in
    the order of the table; with --watch one such object a line for each change.
    """
    if watch:
        ask(config_file, lambda client: _watch(client, as_json))
        fail("the gateway has ended; start it with: gateway serve")
    shown = shape_of(ask(config_file, lambda client: client.get("/api/status")))
    if as_json:
        echo_json(shown)
        return
    now = wall_time()
    Screen().show(lambda width: lines_of(shown, now, width))


def shape_of(snapshot: dict[str, Any]) -> dict[str, Any]:
    """Give what the command shows of a snapshot: who waits by place, then the others by arrival."""
    kept = {name: snapshot[name] for name in ("paused", "counts", "lanes")}
    return {**kept, "requests": in_order(snapshot["requests"])}


def lines_of(shown: dict[str, Any], now: float, width: int | None) -> list[Line]:
    """Give it as lines; `now` in Unix seconds."""
    above = [title(shown["counts"]), *keeping(shown, now, width)]
    return [*above, *request_table(shown, now, width)]


def _watch(client: ControlClient, as_json: bool) -> None:
    shapes = (shape_of(snapshot) for snapshot in client.events())
    if as_json:
        for shown in shapes:
            click.echo(json_text(shown))
        return
    screen = Screen()
    if screen.can_move:
        _watch_moving(screen, shapes)
        return
    for number, shown in enumerate(shapes):
        screen.show(partial(_below, shown, number > 0))


def _below(shown: dict[str, Any], gap: bool, width: int | None) -> list[Line]:
    """Give it as lines, after an empty one where there is a `gap`."""
    return [said("")] * gap + lines_of(shown, wall_time(), width)


def _watch_moving(screen: Screen, shapes: Iterator[dict[str, Any]]) -> None:
    """Draw the newest table again and again, so that its seconds move."""
    newest = next(shapes, None)
    if newest is None:
        return
    shown = newest

    def changes() -> Iterator[None]:
        nonlocal shown
        for each in shapes:
            shown = each
            yield

    screen.move(lambda width: lines_of(shown, wall_time(), width), changes())
