"""The port: is it free, ours, another Holdgate's, or some other program's?"""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from holdgate.core.client import is_holdgate
from holdgate.core.doctor.finding import Finding, fail, note, ok, warn
from holdgate.core.doctor.running import Running
from holdgate.core.server.listening import TAKEN, hosts_of
from holdgate.core.values.settings import Server

_LISTENS = "0A"  # /proc/net/tcp, include/net/tcp_states.h

PortState = Literal["free", "taken", "forbidden", "no address"]


@dataclass(frozen=True, slots=True)
class Port:
    """A port as it was found. `holder` is the program that has it, "" where that is not told."""

    host: str
    port: int
    state: PortState
    holdgate: bool = False
    holder: str = ""
    why: str = ""


def examine_port(
    server: Server, running: Running | None, proc: Path, home: Path
) -> tuple[Finding, ...]:
    """Look at the port that a gateway would listen on."""
    if running and running.answers:
        return (port_of_ours(server, running),)
    if not server.port:
        return (ok("port", "any free one is taken (port = 0)"),)
    return (judged(try_port(server, proc), home),)


def port_of_ours(server: Server, running: Running) -> Finding:
    """Judge the port while our own gateway runs."""
    port = urlsplit(running.runtime.url).port
    if server.port in (0, port):
        return ok("port", f"{port} is our running gateway's")
    found = f"our gateway runs at port {port}, the configuration says {server.port}"
    todo = "start it anew for the configured one; agents that are connected must know it, too"
    return note("port", found, todo)


def judged(port: Port, home: Path) -> Finding:
    """Judge a port while no gateway of ours runs; `home`: our own state folder."""
    where = f"port {port.port} on {port.host}"
    other = f"gateway serve --port {port.port + 10 if port.port < 65_000 else 4663}"
    match port.state:
        case "free":
            return ok("port", f"{where} is free")
        case "taken" if port.holdgate:
            held = f" ({port.holder})" if port.holder else ""
            found = f"{where} is another Holdgate's{held}, whose state folder is not {home}"
            return fail("port", found, f"end that one, use its home, or: {other}")
        case "taken":
            who = port.holder or "another program"
            return fail("port", f"{where} is held by {who}", f"end that program, or: {other}")
        case "forbidden":
            return fail("port", f"{where} may not be had by this person: {port.why}", f"{other}")
    return fail(
        "port", f"{port.host} is no address of this machine: {port.why}", "gateway config edit"
    )


def examine_ipv6(running: Running | None, patience: float = 1.0) -> tuple[Finding, ...]:
    """Look whether `localhost` finds the gateway where that is ::1 first."""
    parts = urlsplit(running.url) if running else None
    if not parts or not parts.port or parts.hostname != "127.0.0.1":
        return ()
    if not _has_ipv6():
        return (
            note("IPv6 loopback", "this machine has no ::1; 127.0.0.1 is all that agents need"),
        )
    try:
        with socket.create_connection(("::1", parts.port), timeout=patience):
            return (ok("IPv6 loopback", f"[::1]:{parts.port} answers, too"),)
    except OSError:
        found = f"nothing answers at [::1]:{parts.port}: some agents look for localhost there"
        return (warn("IPv6 loopback", found, "write 127.0.0.1 instead of localhost"),)


def try_port(server: Server, proc: Path) -> Port:
    """Try to bind the port, and say who has it where it is taken."""
    host = hosts_of(server.host.removeprefix("[").removesuffix("]"))[0]  # the one that must be had
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            if sys.platform != "win32":
                # As a gateway does: what is left of closed connections is in nobody's way.
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((host, server.port))
            sock.listen(1)
    except OSError as error:
        return _refused(host, server.port, error, proc)
    return Port(host, server.port, "free")


def listening_inodes(text: str, port: int) -> frozenset[str]:
    """Give the sockets that listen on a port, from the text of /proc/net/tcp or tcp6."""
    rows = (line.split() for line in text.splitlines()[1:])
    return frozenset(
        row[9]
        for row in rows
        if len(row) > 9 and row[3] == _LISTENS and row[1].rpartition(":")[2] == f"{port:04X}"
    )


def holder_of(port: int, proc: Path) -> str:
    """Give the program that listens on a port, "" where the system does not tell (only Linux)."""
    inodes: set[str] = set()
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            inodes |= listening_inodes((proc / "net" / name).read_text(), port)
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for process in proc.glob("[0-9]*") if wanted else ():
        if any(link in wanted for link in _links(process / "fd")):
            return f"{_name(process)} (process {process.name})"
    return "a program of another user" if wanted else ""


def _refused(host: str, port: int, error: OSError, proc: Path) -> Port:
    if error.errno in TAKEN:
        reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return Port(host, port, "taken", is_holdgate(reached, port), holder_of(port, proc))
    why = error.strerror or str(error)
    state: PortState = "forbidden" if error.errno in (errno.EACCES, errno.EPERM) else "no address"
    return Port(host, port, state, why=why)


def _links(folder: Path) -> Iterable[str]:
    try:
        for each in folder.iterdir():
            with contextlib.suppress(OSError):
                yield str(each.readlink())
    except OSError:
        return


def _name(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip() or "a program"
    except OSError:
        return "a program"


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as sock:
            sock.bind(("::1", 0))
    except OSError:
        return False
    return True
