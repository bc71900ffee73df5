"""The stage of five_minutes.py: a fresh home, the vendor of the tests, and what runs in it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.fakes.vendor import FakeVendor
from tests.fakes.vendor_replies import TEXT

BIN = Path(sys.executable).parent
GATEWAY = str(BIN / "gateway")
PATIENCE = 150.0  # seconds for one answer of an agent
VENDOR_KEY = "sk-of-the-vendor-0001"

# What must be set so that an agent runs without a person; not how it is pointed at the gateway.
QUIET = {
    "GEMINI_CLI_TRUST_WORKSPACE": "true", "CODEBUDDY_IS_SANDBOX": "1", "PI_OFFLINE": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLINE_TELEMETRY_DISABLED": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1", "KILO_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1", "KILO_DISABLE_AUTOUPDATE": "1",
    "CONTINUE_TELEMETRY_ENABLED": "0", "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "AIDER_ANALYTICS_DISABLE": "true", "DO_NOT_TRACK": "1", "DISABLE_AUTOUPDATER": "1",
}  # fmt: skip


@dataclass
class Stage:
    """A fresh home with the vendor, and what went wrong in it."""

    home: Path
    path: str
    vendor: FakeVendor
    more: dict[str, str] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        return {
            "HOME": str(self.home), "PATH": self.path, "TERM": "dumb", "LANG": "C.UTF-8",
            "NO_COLOR": "1", **QUIET, **self.more,
        }  # fmt: skip

    @property
    def work(self) -> Path:
        folder = self.home / "work"
        folder.mkdir(exist_ok=True)
        return folder

    async def run(self, *words: str, typed: str = "", limit: float = PATIENCE) -> tuple[int, str]:
        """Run a command to its end; give its status (-1: out of time) and what it said."""
        process = await asyncio.create_subprocess_exec(
            *words, env=self.environ, cwd=self.work, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip
        try:
            said, _ = await asyncio.wait_for(process.communicate(typed.encode()), limit)
            code = process.returncode
        except TimeoutError:
            said, code = b"out of time", -1
        _end_group(process.pid)
        return code if code is not None else -1, re.sub(
            r"\x1b\[[0-9;?]*[a-zA-Z]", "", said.decode(errors="replace")
        )

    async def gateway(self, *words: str, typed: str = "") -> str:
        """Run a command of ours; what it says is given, a failure ends the user."""
        code, said = await self.run(GATEWAY, *words, typed=typed)
        if code:
            raise Failed(f"gateway {' '.join(words)}: status {code}: {said.strip()[-400:]}")
        return said

    async def add(self, name: str, *words: str) -> None:
        """Add a provider; its key is piped in."""
        await self.gateway("provider", "add", name, *words, "--key-stdin", typed=VENDOR_KEY)

    async def answers(self, *words: str) -> None:
        """Run an agent and look for the vendor's words in what it says."""
        code, said = await self.run(*words)
        if code or TEXT not in said:
            raise Failed(f"{' '.join(words[:5])}: status {code}: {said.strip()[-500:]}")

    @asynccontextmanager
    async def serving(self, *words: str, program: str = "gateway") -> AsyncIterator[int]:
        """Run the gateway meanwhile; give its port."""
        port = free_port()
        tray = () if program == "gateway-nogui" else ("--no-tray",)
        process = await asyncio.create_subprocess_exec(
            str(BIN / program), "serve", "--port", str(port), *tray, *words, env=self.environ,
            cwd=self.work, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            while line := await asyncio.wait_for(process.stdout.readline(), 20):
                if line.startswith(b"ready"):
                    break
            else:
                raise Failed(f"{program} serve ended")
            yield port
        finally:
            process.send_signal(signal.SIGTERM)
            await process.communicate()


class Failed(Exception):
    """Something did not go as it should; `str()` says what."""


def _end_group(group: int) -> None:
    for sent in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(group, sent)
        except (ProcessLookupError, PermissionError):
            return


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def lan_address() -> str:
    """Give this machine's address in its network, "" if it has none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as looking:
        try:
            looking.connect(("192.0.2.1", 9))
            found = str(looking.getsockname()[0])
        except OSError:
            return ""
    return "" if found.startswith("127.") else found
