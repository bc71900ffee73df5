"""`gateway doctor`: what does not work, from the vendors' keys to the agents' files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdgate.cli.completing import patients
from holdgate.cli.options import (
    FAILED,
    WRONG_CONFIGURATION,
    config_option,
    echo_json,
    fail,
    json_option,
    places_of,
)

if TYPE_CHECKING:
    from holdgate.cli.lines import Line
    from holdgate.core.doctor import Examined, Finding, Scene

_MEANINGS = {"ok": "done", "note": "quiet", "warn": "waiting", "fail": "error"}
_NAME_LEAST = 17


@click.command("doctor", epilog="Example: gateway doctor deepseek")
@click.argument("name", required=False, default="", shell_complete=patients)
@click.option("--offline", is_flag=True, help="Ask no vendor: no connection, no tiny request.")
@config_option
@json_option
@click.pass_obj
def command(
    obj: dict[str, object], name: str, offline: bool, config_file: Path | None, as_json: bool
) -> None:
    """Look at all that keeps a gateway from working, and say what to do.

    NAME, a provider or a connected agent, narrows it. Each vendor and each agent is asked for one
    tiny answer, which costs a few tokens. Nothing is changed. Exit code 1 if something failed.

    JSON: {"version", "checks": [{"group", "name", "state", "found", "todo"}], "failed", "warned"};
    state: "ok", "note", "warn" or "fail"; todo is null where nothing is to be done; failed and
    warned are counts.
    """
    import logging
    from importlib.metadata import version

    from holdgate.core.doctor.finding import as_json as shape
    from holdgate.core.doctor.finding import count

    # What the parts would log is among the findings.
    logging.getLogger("holdgate").addHandler(logging.NullHandler())
    tell = _nothing if as_json else _shown()
    groups = _examined(_scene(obj, name, offline, config_file), tell)
    failed, warned = count(groups, "fail"), count(groups, "warn")
    if as_json:
        echo_json(shape(groups, version("holdgate")))
    else:
        click.echo(summary(failed, warned))
    if failed:
        raise SystemExit(FAILED)


def lines_of(group: Examined, width: int | None) -> list[Line]:
    """Give a group's findings, each with what to do below it."""
    from holdgate.cli.lines import said

    room = max(_NAME_LEAST, *(len(each.name) for each in group.findings))
    lines = [said((group.group, "head"))]
    for each in group.findings:
        lines += _lines(each, room, width)
    return lines


def summary(failed: int, warned: int) -> str:
    """Give the last line."""
    if not failed and not warned:
        return "all is well"
    return f"{failed} failed, {warned} to look at"


def _lines(each: Finding, room: int, width: int | None) -> list[Line]:
    from holdgate.cli.lines import hanging, said

    meaning = _MEANINGS[each.state]
    head = said("  ", (f"{each.state:<4}", meaning), f"  {each.name:<{room}}  ")
    lines = hanging(head, each.found, width, meaning if each.state == "fail" else "")
    if each.todo:
        lines += hanging(said(" " * (room + 10), ("-> ", "head")), each.todo, width)
    return lines


def _scene(obj: dict[str, object], name: str, offline: bool, config_file: Path | None) -> Scene:
    from holdgate.cli.pointing import machine_here
    from holdgate.core.doctor import Scene
    from holdgate.core.values.clock import system_clock

    tray = None
    if obj["gui"]:
        from holdgate.cli.showing import why_no_tray

        tray = why_no_tray()
    places = places_of(config_file)
    return Scene(places, machine_here(), system_clock(), tray, offline, name)


def _examined(scene: Scene, tell: Callable[[Examined], None]) -> tuple[Examined, ...]:
    from holdgate.core.config.problems import nearest_name
    from holdgate.core.doctor import examine
    from holdgate.core.doctor.examination import NoSuchName

    try:
        return asyncio.run(examine(scene, tell))
    except NoSuchName as error:
        near = nearest_name(scene.only, list(error.known))
        known = ", ".join(error.known) or "none yet"
        hint = f"did you mean {near}?" if near else f"there are: {known}"
        fail(
            f"{scene.only}: no provider, and no agent that is connected; {hint}",
            WRONG_CONFIGURATION,
        )


def _shown() -> Callable[[Examined], None]:
    from holdgate.cli.screen import Screen

    screen = Screen()
    return lambda group: screen.show(lambda width: lines_of(group, width))


def _nothing(_group: Examined) -> None:
    """Tell nothing on the way: the JSON tells all at the end."""
