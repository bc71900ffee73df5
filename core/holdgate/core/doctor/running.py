"""The running gateway: does it answer, is it this version, and what does it say of itself?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from holdgate.core.client import NotRunning, Refused, connect, greets
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.store.instance import Runtime, read_runtime
from holdgate.core.values.kinds import format_duration

_PATIENCE = 3.0
_START = "gateway serve"
_SHOWN_MOST = 300


@dataclass(frozen=True, slots=True)
class Running:
    """What runtime.json says, and what the gateway there answered.

    `alive`: its process is there, None where that cannot be told. `status` is the snapshot and
    `providers` those that it knows, by name; None where it did not say.
    """

    runtime: Runtime
    answers: bool
    alive: bool | None = None
    status: Mapping[str, Any] = field(default_factory=dict)
    providers: Mapping[str, Mapping[str, Any]] | None = None

    @property
    def url(self) -> str:
        """Its address, "" where nobody answers."""
        return self.runtime.url if self.answers else ""


def find_running(state: Path, *, posix: bool = os.name == "posix") -> Running | None:
    """Look for the gateway of a state folder. Blocks for a few seconds where it hangs."""
    runtime = read_runtime(state)
    if runtime is None:
        return None
    try:
        if not greets(runtime.url, patience=_PATIENCE):
            raise NotRunning(runtime.url)
        client = connect(state)
        status = client.get("/api/status", patience=_PATIENCE)
        told = client.get("/api/providers", patience=_PATIENCE)["providers"]
    except (NotRunning, Refused):
        # On Windows a signal, even none, would end the process.
        return Running(runtime, False, _is_alive(runtime.pid) if posix else None)
    return Running(runtime, True, True, status, {each["name"]: each for each in told})


def examine_running(
    running: Running | None, config: Path, configured: frozenset[str] | None, log: Path
) -> tuple[Finding, ...]:
    """Judge the gateway of this state folder; `configured`: the providers of the file, if known."""
    if running is None:
        return (note("gateway", "no gateway is running", _START),)
    if not running.answers:
        return (_silent(running),)
    return (
        ok("gateway", _where(running)),
        *_version(running.runtime, version("holdgate")),
        *_config(running, config, configured),
        *_paused(running.status),
        *_rests(running.status),
        *_last_error(running.status, log),
    )


def _where(running: Running) -> str:
    up = format_duration(round(float(running.status.get("uptime") or 0)))
    return f"at {running.runtime.url} (process {running.runtime.pid}), up {up}"


def _silent(running: Running) -> Finding:
    runtime = running.runtime
    if running.alive is False:
        left = f"no gateway is running; one at {runtime.url} was ended without a goodbye"
        return note("gateway", left, _START)
    found = f"the gateway at {runtime.url} (process {runtime.pid}) does not answer"
    return fail("gateway", found, f"end that process, then: {_START}")


def _version(runtime: Runtime, ours: str) -> tuple[Finding, ...]:
    if runtime.version == ours:
        return (ok("its version", ours),)
    found = f"it is {runtime.version}, this command {ours}"
    return (warn("its version", found, f"end it and start it anew: {_START}"),)


def _config(
    running: Running, config: Path, configured: frozenset[str] | None
) -> tuple[Finding, ...]:
    theirs = running.runtime.config
    if theirs and Path(theirs) != config:
        found = f"it reads {theirs}, this command {config}"
        todo = f"say --config {theirs}, or start it anew with: gateway serve --config {config}"
        return (warn("its configuration", found, todo),)
    lost = sorted((configured or frozenset()) - set(running.providers or ()))
    if lost:
        found = f"it does not know {', '.join(lost)}: what was written since is not in force"
        return (warn("its configuration", found, "gateway config check; then start it anew"),)
    return (ok("its configuration", theirs or str(config)),)


def _paused(status: Mapping[str, Any]) -> tuple[Finding, ...]:
    if not status.get("paused"):
        return ()
    return (note("pause", "it is paused: nothing is started", "gateway resume"),)


def _rests(status: Mapping[str, Any]) -> tuple[Finding, ...]:
    return tuple(
        warn(
            "resting key",
            f"{lane['provider']}, key {lane['key']}: {lane['rest'].get('why') or 'it rests'}",
            f"gateway provider test {lane['provider']}",
        )
        for lane in status.get("lanes") or ()
        if lane.get("rest")
    )


def _last_error(status: Mapping[str, Any], log: Path) -> tuple[Finding, ...]:
    error = status.get("last_error")
    if not error:
        return ()
    shown = " ".join(str(error).split())[:_SHOWN_MOST]
    return (note("last error", shown, f"gateway usage; the log is in {log}"),)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
