"""Commands in this process, each in a thread: quick where it need not be a process of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from click.testing import CliRunner

from holdgate.cli.main import build
from tests.cli.serving import Finished


def of_nobody(**mine: str) -> dict[str, str | None]:
    """Give an environment of `mine`, without what commands heed of the person who runs tests."""
    heeded = ("XDG_", "HOLDGATE_", "CODEBUDDY_")
    gone = [n for n in os.environ if n.startswith(heeded) or n.lower().endswith("_proxy")]
    return {**dict.fromkeys(gone), **mine}


async def inside(
    home: Path, *args: str, more: Mapping[str, str] | None = None, typed: str = ""
) -> Finished:
    """Run a command whose files all lie below `home`; `typed` is its stdin, which is a pipe."""
    environ = {"HOLDGATE_HOME": str(home), "NO_COLOR": "1", "HOLDGATE_CONFIG": None}
    runner = CliRunner(env={**environ, **(more or {})})
    done = await asyncio.to_thread(runner.invoke, build(gui=True), args, input=typed)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Finished(done.exit_code, done.stdout, done.stderr)
