"""Started at login there may be no terminal at all: pythonw on Windows gives no streams."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from holdgate.core.store.instance import Runtime, read_runtime
from tests.cli.serving import PATIENCE, environ
from tests.fakes.agents import get

_PYTHONW = """
import runpy, sys

sys.stdin = sys.stdout = sys.stderr = None
sys.argv[0] = "holdgate"
runpy.run_module("holdgate.cli.nogui", run_name="__main__")
"""


async def test_it_serves_without_streams(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", _PYTHONW, "serve", "--demo", "--port", "0"), env=environ(tmp_path)
    )
    try:
        runtime = await ready(tmp_path / "state", process)
        assert (await get(runtime.url + "/healthz")).json["status"] == "ok"
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ready(state: Path, process: asyncio.subprocess.Process) -> Runtime:
    async with asyncio.timeout(PATIENCE):
        while (runtime := read_runtime(state)) is None:
            assert process.returncode is None
            await asyncio.sleep(0.02)
    return runtime
