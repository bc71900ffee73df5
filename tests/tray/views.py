"""Snapshots for tests of what the tray makes of them."""

from __future__ import annotations

from typing import Any

from holdgate.tray.view import View, read

NOW = 1_800_000_000.0
Json = dict[str, Any]


def lane(provider: str = "deepseek", **more: Any) -> Json:
    """Give a lane in which nothing happens."""
    empty = {"used": 0, "limit": 60, "next_at": None}
    return {
        **{"provider": provider, "key": "default", "running": 0, "concurrency": 4, "waiting": 0},
        **{"minute": empty, "rest": None, "paused": False},
        **more,
    }


def request(id: str = "hg-1", state: str = "waiting", **more: Any) -> Json:
    """Give a request that waits for deepseek."""
    return {
        **{"id": id, "agent": "codex", "model": "coder", "dialect": "chat", "state": state},
        **{"since": NOW - 5, "candidate": None, "reason": "waits for deepseek", "position": 1},
        **{"eta": None, "kept_alive": 0},
        **more,
    }


def snapshot(*requests: Json, lanes: tuple[Json, ...] = (), paused: Json | None = None) -> Json:
    """Give a snapshot with true counts."""
    states = [each["state"] for each in requests]
    counts = {
        "waiting": states.count("waiting") + states.count("trying"),
        "held": states.count("held"),
        "passing": states.count("passing"),
    }
    return {
        **{"version": "1", "uptime": 1.0, "address": "http://127.0.0.1:4653", "paused": paused},
        **{"counts": counts, "lanes": list(lanes), "requests": list(requests), "last_error": None},
    }


def view(*requests: Json, lanes: tuple[Json, ...] = (), paused: Json | None = None) -> View:
    """Give what the tray reads of such a snapshot."""
    return read(snapshot(*requests, lanes=lanes, paused=paused))


def time_of_day(moment: float) -> str:
    """Give a moment as the distance from now: no test depends on where it runs."""
    return f"{moment - NOW:+g}"


FULL = lane(minute={"used": 60, "limit": 60, "next_at": NOW + 18}, waiting=2)
BUSY = lane(running=4, waiting=1)
REFUSED = lane(rest={"until": NOW + 600, "why": "key refused (bad key)"})
RESTING = lane("relay", rest={"until": NOW + 90, "why": "overloaded (try later)"})
PAUSED = {"until": NOW + 900, "why": "paused by the person"}
