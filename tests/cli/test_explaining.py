"""What a person is told of a request, of lanes and of times: functions of what is shown."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from holdgate.cli.commands.status import lines_of as status_of
from holdgate.cli.explaining import lines_of
from holdgate.cli.lanes import is_refusal, keeping, lane_table
from holdgate.cli.lines import plain
from holdgate.cli.times import clock, until
from holdgate.core.values.errors import POLICIES, FaultKind

NOW = datetime(2026, 11, 30, 17, 0, 0).timestamp()


def a_try(**more: Any) -> dict[str, Any]:
    return {
        "provider": "one", "key": "home", "model": "m", "dialect": "chat", "started": NOW + 1,
        "first_byte": NOW + 1.5, "ended": NOW + 2, "status": 200, "fault": None, "rest": None,
        **more,
    }  # fmt: skip


def request(*tries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": "hg-1", "agent": "codex", "conversation": "c", "model": "coder", "dialect": "chat",
        "stream": True, "state": "done", "arrived": NOW, "ended": NOW + 3, "status": 200,
        "fault": None, "waited": 0.5, "kept_alive": 2, "usage": {"input": 3, "output": 4},
        "losses": [], "tries": list(tries), "timeline": [], **more,
    }  # fmt: skip


def told(request: dict[str, Any], reason: str = "") -> str:
    return "\n".join(plain(line) for line in lines_of(request, NOW + 10, reason, None))


def fault(at: float, detail: str) -> dict[str, Any]:
    return {"at": at, "what": "fault", "detail": detail}


def test_each_try_has_its_own_words_and_rest() -> None:
    rest = {"until": NOW + 600, "why": "rate limited (slow down)"}
    text = told(
        request(
            a_try(status=429, fault="rate limited", rest=rest),
            a_try(provider="two", status=None, first_byte=None, fault="network"),
            a_try(provider="three", dialect="messages"),
            timeline=[fault(NOW + 2, "one: slow down"), fault(NOW + 2.1, "two: no route")],
        )
    )
    tries = text[text.index("\ntry 1") + 1 : text.index("\n\nwaited")].splitlines()
    assert tries == [
        "try 1       one/m with key home: HTTP 429, first byte after 500 ms, 1s in all",
        "  fault     rate limited: one: slow down",
        "  rest      key home until 17:10:00: rate limited (slow down)",
        "try 2       two/m with key home: no reply, 1s in all",
        "  fault     network: two: no route",
        "try 3       three/m with key home: HTTP 200, first byte after 500 ms, 1s in all, "
        "asked in the dialect messages",
    ]


def test_words_are_left_out_where_they_may_be_those_of_another_try() -> None:
    text = told(request(a_try(fault="network"), a_try(), timeline=[]))
    assert "  fault     network\n" in text


def test_losses_are_told() -> None:
    losses = [{"path": "tools[0].strict", "why": "Gemini has none"}, {"path": "n", "why": "one"}]
    assert "\nlost        tools[0].strict: Gemini has none\nlost        n: one\n" in told(
        request(a_try(), losses=losses)
    )


def test_a_live_request_goes_on() -> None:
    live = request(
        a_try(ended=None), state="waiting", ended=None, status=None, usage=None,
        timeline=[{"at": NOW + 4, "what": "in line", "detail": "for one"}],
    )  # fmt: skip
    text = told(live, "waits for one")
    assert "goes on" in text and "waited      6.5s in line" in text
    assert text.endswith("why         waiting: waits for one")


@pytest.mark.parametrize("width", [30, 60, 80])
def test_the_time_line_is_folded_below_itself(width: int) -> None:
    detail = "一 two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    made = request(a_try(), timeline=[fault(NOW + 2, detail)])
    lines = [plain(line) for line in lines_of(made, NOW + 10, "", width)]
    at = next(number for number, line in enumerate(lines) if "fault" in line)
    indent = 33 if width > 60 else (33 if width * 3 // 5 >= 33 else 4)
    assert lines[at + 1].startswith(" " * indent) and lines[at + 1][indent] != " "
    assert detail in " ".join(" ".join(lines).split())


# Lanes.


def lane(**more: Any) -> dict[str, Any]:
    minute = {"used": 1, "limit": 0, "next_at": None}
    return {
        "provider": "one", "key": "home", "running": 1, "concurrency": 0, "waiting": 2,
        "minute": minute, "rest": None, "paused": False, **more,
    }  # fmt: skip


def rest(kind: FaultKind, until: float | None = NOW + 30) -> dict[str, Any]:
    return {"until": until, "why": f"{kind} (said so)"}


@pytest.mark.parametrize(
    ("found", "row"),
    [
        (lane(), ["one/home", "1", "2", "1", "free"]),
        (lane(concurrency=4), ["one/home", "1 of 4", "2", "1", "free"]),
        (lane(concurrency=1), ["one/home", "1 of 1", "2", "1", "full"]),
        (
            lane(minute={"used": 6, "limit": 6, "next_at": NOW + 44}),
            ["one/home", "1", "2", "6 of 6, next in 44s", "minute full"],
        ),
        (lane(paused=True), ["one/home", "1", "2", "1", "paused"]),
        (lane(rest=rest(FaultKind.RATE)), ["one/home", "1", "2", "1", "rests 30s"]),
        (lane(rest=rest(FaultKind.RATE, None)), ["one/home", "1", "2", "1", "rests"]),
        (lane(rest=rest(FaultKind.AUTH), paused=True), ["one/home", "1", "2", "1", "refused"]),
    ],
)
def test_a_lane(found: dict[str, Any], row: list[str]) -> None:
    _, line = lane_table([found], NOW, None)
    assert [text for piece in line if (text := piece.text.strip())] == row


@pytest.mark.parametrize("kind", list(FaultKind))
def test_refusals_are_known_by_their_words(kind: FaultKind) -> None:
    assert is_refusal(f"{kind} (HTTP 401)") == (kind in POLICIES and POLICIES[kind].refused)


def test_what_keeps_lanes() -> None:
    lanes = [
        lane(paused=True), lane(provider="two", paused=True, rest=rest(FaultKind.SERVER)),
        lane(provider="three", rest=rest(FaultKind.AUTH)),
        lane(provider="four", rest=rest(FaultKind.FORBIDDEN, NOW - 1)),
    ]  # fmt: skip
    shown = [plain(line) for line in keeping({"lanes": lanes, "paused": None}, NOW, None)]
    assert shown == [
        "one is paused",
        "two is paused",
        "two/home rests until 17:00:30 (in 30s): server error (said so)",
        "three/home is refused: key refused (said so); tried again after 17:00:30, "
        "or now by: gateway provider test three",
        "four/home is refused: forbidden (said so); tried again with the next request, "
        "or now by: gateway provider test four",
    ]
    paused = {"until": None, "why": "paused by the person"}
    shown = [plain(line) for line in keeping({"lanes": lanes[:1], "paused": paused}, NOW, None)]
    assert shown == ["all is paused until resumed"]


def test_status_says_what_went_wrong_last_and_shows_the_first_requests() -> None:
    waits = {
        "id": "hg-1", "agent": "codex", "model": "m", "state": "waiting", "since": NOW - 5,
        "candidate": None, "reason": "waits", "position": 1, "eta": None,
    }  # fmt: skip
    snapshot = {
        "version": "1", "uptime": 60.0, "address": "http://127.0.0.1:4653", "paused": None,
        "counts": {"waiting": 700, "held": 0, "passing": 0}, "lanes": [lane()],
        "requests": [{**waits, "id": f"hg-{n}", "position": n} for n in range(500, 0, -1)],
        "last_error": "one: failed\x1b[2J",
    }  # fmt: skip
    lines = [plain(line) for line in status_of(snapshot, NOW, None)]
    assert lines[-1] == "last error: one: failed"
    assert lines[-3] == "and 680 more; gateway queue shows more"
    assert lines[-23].split()[:2] == ["1", "hg-1"]


# Times.


def test_moments_of_another_day_have_their_day() -> None:
    assert clock(NOW + 3600, NOW) == "18:00:00"
    assert clock(NOW + 86400, NOW) == "2026-12-01 17:00"
    assert until(None, NOW) == "until resumed"
    assert until(NOW, NOW) == "until 17:00:00"
