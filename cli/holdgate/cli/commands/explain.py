"""`gateway explain`: the time line of one request, and why it went so."""

from __future__ import annotations

import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdgate.cli.asking import ask, request_path
from holdgate.cli.options import config_option, echo_json, json_option
from holdgate.cli.tables import in_moments, printable

if TYPE_CHECKING:
    from holdgate.core.client import ControlClient

_ENDS = {
    "done": "answered",
    "failed": "failed",
    "cancelled": "cancelled by the person",
    "gone": "its agent hung up",
}


@click.command("explain", epilog="Example: gateway explain hg-1a22d307b1c6f72cded7")
@click.argument("id")
@config_option
@json_option
def command(id: str, config_file: Path | None, as_json: bool) -> None:
    """Tell what happened to the request ID, live or past, and why.

    The id is in the reply's header X-Holdgate-Request, and in `gateway queue`.

    JSON: {"id", "agent", "conversation", "model", "dialect", "stream", "state", "arrived", "ended",
    "status", "fault", "waited", "kept_alive", "usage", "losses", "tries", "timeline"}; times are
    Unix seconds, durations seconds.
    """
    request = ask(config_file, lambda client: client.get(request_path(id)))
    if as_json:
        echo_json(request)
        return
    reason = "" if request["ended"] else ask(config_file, lambda client: _reason(client, id))
    now = time.time()  # noqa: TID251 (a person reads it now)
    for line in lines_of(request, now, reason):
        click.echo(printable(line))


def _reason(client: ControlClient, id: str) -> str:
    """Give why a live request is where it is."""
    found = client.get("/api/status")["requests"]
    return next((each["reason"] for each in found if each["id"] == id.strip()), "")


def lines_of(request: dict[str, Any], now: float, reason: str = "") -> list[str]:
    """Give a request as lines for a person; `reason`: why a live one is where it is `now`."""
    kind = "streamed" if request["stream"] else "whole"
    lines = [
        f"{request['id']}  {request['agent']} asked for {request['model']} "
        f"({request['dialect']}, {kind})",
        "",
    ]
    arrived = request["arrived"]
    for at, what, detail in sorted(_moments(request), key=lambda moment: moment[0]):
        clock = datetime.fromtimestamp(at).strftime("%H:%M:%S")
        lines.append(f"{clock}  {'+' + in_moments(at - arrived):>9}  {what:<10}  {detail}".rstrip())
    return [*lines, "", *_summary(request, now, reason)]


def _moments(request: dict[str, Any]) -> list[tuple[float, str, str]]:
    """Give the time line with each try in it."""
    moments = [(each["at"], each["what"], each["detail"]) for each in request["timeline"]]
    moments += [(each["started"], "asked", _try(each)) for each in request["tries"]]
    if request["ended"]:
        status = f", HTTP {request['status']} to the agent" if request["status"] else ""
        moments.append((request["ended"], request["state"], _ENDS[request["state"]] + status))
    return moments


def _try(attempt: dict[str, Any]) -> str:
    words = f"{attempt['provider']}/{attempt['model']} with key {attempt['key']}: "
    words += "no reply" if attempt["status"] is None else f"HTTP {attempt['status']}"
    if attempt["first_byte"] is not None:
        words += f", first byte after {(attempt['first_byte'] - attempt['started']) * 1000:.0f} ms"
    if attempt["ended"] is None:
        return words + ", goes on"
    words += f", {in_moments(attempt['ended'] - attempt['started'])} in all"
    return words + (f", {attempt['fault']}" if attempt["fault"] else "")


def _summary(request: dict[str, Any], now: float, reason: str) -> list[str]:
    lines = [f"waited      {in_moments(_waited(request, now))} in line"]
    if request["kept_alive"]:
        lines.append(f"kept alive  {request['kept_alive']} times")
    if usage := request["usage"]:
        counts = [f"{name.replace('_', ' ')} {count}" for name, count in usage.items() if count]
        lines.append(f"tokens      {', '.join(counts) or 'none'}")
    lines += [f"lost        {loss['path']}: {loss['why']}" for loss in request["losses"]]
    if why := _why(request, reason):
        lines.append(f"why         {why}")
    return lines


def _waited(request: dict[str, Any], now: float) -> float:
    """Give how long it stood in line; a wait that goes on counts up to `now`."""
    waited: float = request["waited"]
    stood = [each["at"] for each in request["timeline"] if each["what"] == "in line"]
    goes_on = request["state"] == "waiting" and not request["ended"]
    return waited + max(0.0, now - stood[-1]) if goes_on and stood else waited


def _why(request: dict[str, Any], reason: str) -> str:
    """Say in a line why it is, or ended, so."""
    if not request["ended"]:
        return f"{request['state']}: {reason}" if reason else str(request["state"])
    faults = [each["detail"] for each in request["timeline"] if each["what"] == "fault"]
    if request["state"] == "failed":
        kind = request["fault"] or "failed"
        return f"{kind}: {faults[-1]}" if faults else str(kind)
    if request["state"] == "done" and faults:
        return f"another try was needed: {faults[-1]}"
    return _ENDS[request["state"]]
