"""The machine: versions, limits of files, disk, start at login and the tray icon."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from importlib.metadata import version
from pathlib import Path

from holdgate.core.autostart import Refused, Status, autostart_here
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.doctor.running import Running
from holdgate.core.doctor.scene import Scene

# A request takes two descriptors: the agent's connection, and the vendor's.
_FEW, _SOME = 1024, 4096
# The gateway lifts its own limit, as far as it may (host/descriptors.py).
_LIFTED = 65_536
_MEGABYTE = 1_000_000
_TIGHT, _FULL = 500 * _MEGABYTE, 50 * _MEGABYTE
_OPEN_FILES = re.compile(r"^Max open files\s+(\d+)", re.MULTILINE)


def examine_machine(scene: Scene, running: Running | None) -> tuple[Finding, ...]:
    """Look at the machine."""
    pid = running.runtime.pid if running else 0
    return (
        program(version("holdgate"), platform.python_version(), platform.platform(terse=True)),
        *file_limit(open_files(pid, scene.proc)),
        *disk(scene.places.state, free_bytes(scene.places.state)),
        tray(scene.tray),
        *_autostart(scene),
    )


def program(holdgate: str, python: str, system: str) -> Finding:
    """Tell the versions."""
    return ok("version", f"Holdgate {holdgate}, Python {python}, {system}")


def file_limit(most: int | None) -> tuple[Finding, ...]:
    """Judge how many files a gateway may have open; None: the system has no such limit."""
    if most is None:
        return ()
    found = f"a gateway may have {most} files open: about {most // 2} requests at once"
    if most >= _SOME:
        return (ok("file limit", found),)
    todo = (
        "ulimit -n 65536 where the gateway is started; for good in /etc/security/limits.conf, "
        "or LimitNOFILE= of its service"
    )
    return (warn("file limit", found, todo) if most < _FEW else note("file limit", found, todo),)


def disk(folder: Path, free: int | None) -> tuple[Finding, ...]:
    """Judge how much room there is for the ledger and the log."""
    if free is None:
        return ()
    found = f"{free / 1e9:.1f} GB free where {folder} is"
    if free >= _TIGHT:
        return (ok("disk", found),)
    todo = "make room: the ledger and the log cannot be written on a full disk"
    return (fail("disk", found, todo) if free < _FULL else warn("disk", found, todo),)


def tray(why: str | None) -> Finding:
    """Tell whether an icon can be had."""
    if why is None:
        return ok("tray icon", "gateway-nogui has none")
    if not why:
        return ok("tray icon", "it can be shown here")
    return note(
        "tray icon", f"none here: {why}", "nothing else needs it: gateway open, gateway status"
    )


def autostart(status: Status) -> Finding:
    """Tell what starts at login."""
    if status.note:
        return warn("start at login", f"on, but {status.note}", "gateway autostart on")
    if status.on:
        return ok("start at login", f"on ({status.kind}): {status.command}")
    return ok("start at login", "off")


def open_files(pid: int, proc: Path, system: str = sys.platform) -> int | None:
    """Give the limit of the running gateway, else that of one which was started here."""
    if system == "win32":
        return None
    import resource

    try:
        found = _OPEN_FILES.search((proc / str(pid) / "limits").read_text()) if pid else None
    except OSError:
        found = None
    if found:
        return int(found[1])
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _LIFTED if hard == resource.RLIM_INFINITY else min(hard, _LIFTED)


def free_bytes(folder: Path) -> int | None:
    """Give the free bytes where a folder is, or would be."""
    there = next((each for each in (folder, *folder.parents) if each.exists()), None)
    try:
        return shutil.disk_usage(there).free if there else None
    except OSError:
        return None


def _autostart(scene: Scene) -> tuple[Finding, ...]:
    try:
        return (autostart(autostart_here(scene.environ).status()),)
    except (Refused, OSError, NotImplementedError) as error:
        return (note("start at login", f"cannot be told: {' '.join(str(error).split())}"),)
