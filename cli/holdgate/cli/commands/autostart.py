"""The group `gateway autostart`: the gateway starts when its person logs in, or no longer."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from holdgate.cli.options import echo_json, fail, json_option

if TYPE_CHECKING:
    from holdgate.core.autostart import Autostart, Change, Status

_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


@click.group("autostart")
def command() -> None:
    """Start the gateway at login, or no longer. Off until you say on."""


@command.command("on", epilog="Example: gateway autostart on --no-tray")
@click.option(
    "--tray/--no-tray", default=None, help="With the tray icon, or without; else as it can be had."
)
@json_option
@click.pass_obj
def on_command(obj: dict[str, object], tray: bool | None, as_json: bool) -> None:
    """Start this copy of Holdgate at each login; nothing is started now.

    JSON: {"wrote", "removed", "status"}: paths, and what `gateway autostart status --json` says.
    """
    if tray is None:
        tray = bool(obj["gui"]) and not _no_tray()
    elif tray and (why := _no_tray() if obj["gui"] else "gateway-nogui has no tray icon"):
        fail(f"no tray: {why}")
    with _told():
        change = _switch(obj).on(tray=tray)
    _tell(change, as_json, "it was on already, nothing had to be written")


@command.command("off", epilog="Example: gateway autostart off")
@json_option
@click.pass_obj
def off_command(obj: dict[str, object], as_json: bool) -> None:
    """Start nothing at login: take away all that `on` wrote. A gateway that runs goes on.

    JSON: as for `gateway autostart on`.
    """
    with _told():
        change = _switch(obj).off()
    _tell(change, as_json, "it was off already, nothing had to be removed")


@command.command("status", epilog="Example: gateway autostart status --json")
@json_option
@click.pass_obj
def status_command(obj: dict[str, object], as_json: bool) -> None:
    """Say what starts at login.

    JSON: {"on", "tray", "kind", "where", "command", "note", "refusal"}. `note`: what is not as `on`
    would write it; `refusal`: why `on` would be refused here; both empty if all is well.
    """
    with _told():
        status = _switch(obj).status()
    if as_json:
        echo_json(asdict(status))
        return
    for line in lines_of(status):
        click.echo(line)


def lines_of(status: Status) -> list[str]:
    """Give what starts at login as lines for a person."""
    lines = ["on: " + _what(status) if status.on else "off: nothing starts at login"]
    lines += [f"  {path}" for path in status.where]
    if status.note:
        lines.append(f"note: {status.note}")
    if status.refusal:
        lines.append(f"it cannot be switched on by this copy: {status.refusal}")
    return lines


def _what(status: Status) -> str:
    with_tray = "with a tray icon" if status.tray else "without a tray icon"
    return f"starts at login {with_tray} ({status.kind}): {status.command}"


def _tell(change: Change, as_json: bool, nothing: str) -> None:
    if as_json:
        echo_json(asdict(change))
        return
    lines = [f"removed {path}" for path in change.removed]
    lines += [f"wrote {path}" for path in change.wrote]
    for line in lines or [nothing]:
        click.echo(line)
    if change.status.on:
        click.echo(_what(change.status))
    if change.wrote and change.status.kind == "systemd user unit":
        click.echo("now: systemctl --user start holdgate; also without a login, from boot on:")
        click.echo("loginctl enable-linger")


def _switch(obj: dict[str, object]) -> Autostart:
    from holdgate.core.autostart import Autostart, autostart_here

    given = obj.get("autostart")
    return given if isinstance(given, Autostart) else autostart_here(os.environ)


def _no_tray() -> str:
    """Say why there can be no tray icon; nothing if there can."""
    if find_spec("pystray") is None:
        return "its libraries are not installed: pipx install --force 'holdgate[tray]'"
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in _SCREENS):
        return "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set)"
    return ""


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell what goes wrong in one line on stderr, and end with status 1."""
    from holdgate.core.autostart import Refused

    try:
        yield
    except (Refused, OSError) as error:
        fail(f"start at login: {' '.join(str(error).split())}")
