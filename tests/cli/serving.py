"""`python -m holdgate ...` as a process of its own, for tests of the commands."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

HOLDGATE = ("-m", "holdgate")
# Seconds for whatever a process is waited for; far more than it takes.
PATIENCE = 20.0


def environ(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give the environment of a process whose files all lie below `home`."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith("HOLDGATE_")}
    return {**clean, "HOLDGATE_HOME": str(home), "NO_COLOR": "1", **(more or {})}


def configure(home: Path, text: str) -> Path:
    """Write the configuration below `home`."""
    file = home / "config" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def untouched(home: Path) -> bool:
    """Tell whether nothing was written below `home`."""
    return not any(home.iterdir())


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended: its exit code and what it wrote."""

    code: int
    out: str
    err: str


async def gateway(home: Path, *args: str, more: Mapping[str, str] | None = None) -> Finished:
    """Run a command to its end."""
    process = await _start(home, (*HOLDGATE, *args), more)
    try:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate()
    finally:
        await _end(process)
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


@dataclass(slots=True)
class Served:
    """A running `gateway serve`, and what it has written so far."""

    process: asyncio.subprocess.Process
    home: Path
    url: str = ""
    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)

    def send(self, what: signal.Signals) -> None:
        """Send it a signal."""
        self.process.send_signal(what)

    async def says(self, words: str) -> str:
        """Wait until it writes a line with `words` to stderr."""
        assert self.process.stderr is not None
        return await _line(self.process.stderr, self.err, words)

    async def ended(self) -> int:
        """Wait for its end; give the exit code. What it still wrote is in `out` and `err`."""
        assert self.process.stdout is not None and self.process.stderr is not None
        async with asyncio.timeout(PATIENCE):
            for stream, lines in (
                (self.process.stdout, self.out),
                (self.process.stderr, self.err),
            ):
                lines += (await stream.read()).decode().splitlines()
            return await self.process.wait()


@asynccontextmanager
async def serving(
    home: Path,
    *args: str,
    more: Mapping[str, str] | None = None,
    program: tuple[str, ...] = HOLDGATE,
) -> AsyncIterator[Served]:
    """Run `gateway serve` on a free port until it is ready; whatever happens it ends here."""
    process = await _start(home, (*program, "serve", "--port", "0", *args), more)
    served = Served(process, home)
    assert process.stdout is not None
    try:
        served.url = (await _line(process.stdout, served.out, "ready ")).removeprefix("ready ")
        yield served
    finally:
        await _end(process)


async def _start(
    home: Path, args: tuple[str, ...], more: Mapping[str, str] | None
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *args,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environ(home, more),
    )


async def _line(stream: asyncio.StreamReader, lines: list[str], words: str) -> str:
    async with asyncio.timeout(PATIENCE):
        while line := (await stream.readline()).decode():
            lines.append(line.rstrip("\n"))
            if words in line:
                return lines[-1]
    raise AssertionError(f"it ended without saying {words!r}: {lines}")


async def _end(process: asyncio.subprocess.Process) -> None:
    """Leave no process behind."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    # Reads the pipes to their end, so that their transports close.
    await process.communicate()
