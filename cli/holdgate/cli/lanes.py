"""Lanes: their rows, and in words what keeps them from starting anything."""

from __future__ import annotations

from typing import Any

from holdgate.cli.lines import Line, hanging, said
from holdgate.cli.tables import Column, table
from holdgate.cli.times import clock, in_seconds, until

COLUMNS = (
    Column("LANE", least=16, middle=True),
    Column("RUNNING"),
    Column("WAITING"),
    Column("MINUTE"),
    Column("STATE"),
)


def lane_table(lanes: list[dict[str, Any]], now: float, width: int | None) -> list[Line]:
    """Give the lanes with slots, minute and what state they are in; `now` in Unix seconds."""
    rows = [(name_of(lane), *_counts(lane, now), _state(lane, now)) for lane in lanes]
    return table(COLUMNS, rows, width)


def title(counts: dict[str, int]) -> Line:
    """Give how many requests wait, are held and pass."""
    parts = [said((f"{counts[state]} {state}", state)) for state in ("waiting", "held", "passing")]
    return (*parts[0], *said(", "), *parts[1], *said(", "), *parts[2])


def keeping(snapshot: dict[str, Any], now: float, width: int | None) -> list[Line]:
    """Give a line for each pause and each rest; `now` in Unix seconds."""
    lanes, paused = snapshot["lanes"], snapshot["paused"]
    if paused:
        lines = [said((f"all is paused {until(paused['until'], now)}", "paused"))]
    else:
        names = dict.fromkeys(lane["provider"] for lane in lanes if lane["paused"])
        lines = [said((f"{name} is paused", "paused")) for name in names]
    for lane in lanes:
        if lane["rest"]:
            lines += _resting(lane, now, width)
    return lines


def name_of(lane: dict[str, Any]) -> str:
    """Give a lane's name: whose key, and which."""
    return f"{lane['provider']}/{lane['key']}"


def is_refusal(why: str) -> bool:
    """Whether a rest is that of a refused key, for which nobody waits."""
    from holdgate.core.values.errors import POLICIES

    return any(why.startswith(f"{kind} (") for kind, policy in POLICIES.items() if policy.refused)


def _resting(lane: dict[str, Any], now: float, width: int | None) -> list[Line]:
    name, rest = name_of(lane), lane["rest"]
    if is_refusal(rest["why"]):
        before = said((f"{name} is refused", "error"), ": ")
        retry = f"tried again {_again(rest['until'], now)}, or now by: "
        retry += f"gateway provider test {lane['provider']}"
        return hanging(before, f"{rest['why']}; {retry}", width)
    return hanging(said((f"{name} rests {_until(rest, now)}", "rest"), ": "), rest["why"], width)


def _again(moment: float, now: float) -> str:
    return "with the next request" if moment <= now else f"after {clock(moment, now)}"


def _until(rest: dict[str, Any], now: float) -> str:
    words = until(rest["until"], now)
    if rest["until"] is None or rest["until"] <= now:
        return words
    return f"{words} (in {in_seconds(rest['until'] - now)})"


def _counts(lane: dict[str, Any], now: float) -> tuple[str, str, str]:
    minute, running = lane["minute"], str(lane["running"])
    used = f"{minute['used']} of {minute['limit']}" if minute["limit"] else f"{minute['used']}"
    if minute["next_at"] is not None:
        used += f", next in {in_seconds(max(0, minute['next_at'] - now))}"
    slots = f"{running} of {lane['concurrency']}" if lane["concurrency"] else running
    return slots, str(lane["waiting"]), used


def _state(lane: dict[str, Any], now: float) -> tuple[str, str]:
    rest = lane["rest"]
    if rest and is_refusal(rest["why"]):
        return "refused", "error"
    if lane["paused"]:
        return "paused", "paused"
    if rest:
        left = "" if rest["until"] is None else f" {in_seconds(max(0.0, rest['until'] - now))}"
        return f"rests{left}", "rest"
    if lane["concurrency"] and lane["running"] >= lane["concurrency"]:
        return "full", "waiting"
    return ("minute full", "waiting") if lane["minute"]["next_at"] else ("free", "")
