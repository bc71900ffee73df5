"""Explaining: one request told to a person: its time line, tries, losses, and why it went so."""

from __future__ import annotations

from typing import Any

from holdgate.cli.lines import Line, hanging, said
from holdgate.cli.times import clock, in_moments, until

_ENDS = {
    "done": "answered",
    "failed": "failed",
    "cancelled": "cancelled by the person",
    "gone": "its agent hung up",
}
# What the moments of a time line mean on a screen.
_MEANINGS = {"fault": "error", "told": "error", "in line": "waiting", "pause": "waiting"}


def lines_of(request: dict[str, Any], now: float, reason: str, width: int | None) -> list[Line]:
    """Give a request as lines for a person; `reason`: why a live one is where it is `now`."""
    kind = "streamed" if request["stream"] else "whole"
    words = f"{request['agent']} asked for {request['model']} ({request['dialect']}, {kind})"
    parts = [
        hanging(said((request["id"], "head"), "  "), words, width),
        _timeline(request, now, width),
        _tries(request, now, width),
        _losses(request["losses"], width),
        _summary(request, now, reason, width),
    ]
    first, *more = [part for part in parts if part]
    return [*first, *(line for part in more for line in (said(""), *part))]


def _timeline(request: dict[str, Any], now: float, width: int | None) -> list[Line]:
    lines = []
    for at, what, detail in sorted(_moments(request), key=lambda moment: moment[0]):
        since = "+" + in_moments(at - request["arrived"])
        before = said((f"{clock(at, now)}  {since:>9}  ", "quiet"), (f"{what:<10}", _meaning(what)))
        lines += hanging((*before, *said("  ")), detail, width)
    return lines


def _meaning(what: str) -> str:
    return _MEANINGS.get(what, what)


def _moments(request: dict[str, Any]) -> list[tuple[float, str, str]]:
    """Give the time line with each try in it."""
    moments = [(each["at"], each["what"], each["detail"]) for each in request["timeline"]]
    moments += [
        (each["started"], "asked", f"{_candidate(each)} (try {number})")
        for number, each in enumerate(request["tries"], 1)
    ]
    if request["ended"]:
        status = f", HTTP {request['status']} to the agent" if request["status"] else ""
        moments.append((request["ended"], request["state"], _ENDS[request["state"]] + status))
    return moments


def _tries(request: dict[str, Any], now: float, width: int | None) -> list[Line]:
    """Give each try with its fault, the vendor's words and the rest that followed."""
    tries = request["tries"]
    faults = [each["detail"] for each in request["timeline"] if each["what"] == "fault"]
    # One is noted for each try that failed; a request that goes on may be between the two.
    words = iter(faults if len(faults) == sum(bool(each["fault"]) for each in tries) else [])
    lines = []
    for number, each in enumerate(tries, 1):
        told = _try(each)
        if each["dialect"] != request["dialect"]:
            told += f", asked in the dialect {each['dialect']}"
        lines += hanging(said((f"try {number:<6}  ", "quiet")), told, width)
        if each["fault"]:
            fault = f"{each['fault']}: {said_words}" if (said_words := next(words, "")) else ""
            lines += hanging(said("  fault     "), fault or each["fault"], width, "error")
        if rest := each["rest"]:
            rests = f"key {each['key']} {until(rest['until'], now)}: {rest['why']}"
            lines += hanging(said("  rest      "), rests, width, "rest")
    return lines


def _try(attempt: dict[str, Any]) -> str:
    words = f"{_candidate(attempt)}: "
    words += "no reply" if attempt["status"] is None else f"HTTP {attempt['status']}"
    if attempt["first_byte"] is not None:
        words += f", first byte after {(attempt['first_byte'] - attempt['started']) * 1000:.0f} ms"
    if attempt["ended"] is None:
        return words + ", goes on"
    return words + f", {in_moments(attempt['ended'] - attempt['started'])} in all"


def _candidate(attempt: dict[str, Any]) -> str:
    return f"{attempt['provider']}/{attempt['model']} with key {attempt['key']}"


def _losses(losses: list[dict[str, str]], width: int | None) -> list[Line]:
    """Give what could not be said in the candidate's dialect."""
    return [
        line
        for each in losses
        for line in hanging(
            said(("lost        ", "quiet")), f"{each['path']}: {each['why']}", width
        )
    ]


def _summary(request: dict[str, Any], now: float, reason: str, width: int | None) -> list[Line]:
    rows = [("waited", f"{in_moments(_waited(request, now))} in line", "")]
    if request["kept_alive"]:
        rows.append(("kept alive", f"{request['kept_alive']} times", ""))
    if usage := request["usage"]:
        counts = [f"{name.replace('_', ' ')} {count}" for name, count in usage.items() if count]
        rows.append(("tokens", ", ".join(counts) or "none", ""))
    rows.append(("why", _why(request, reason), request["state"]))
    return [
        line
        for name, words, meaning in rows
        for line in hanging(said((f"{name:<12}", "quiet")), words, width, meaning)
    ]


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
