#!/usr/bin/env python3
"""What does a queued stream cost? Opens many, lets them wait, and weighs the gateway. Linux only.

    python tools/hold_bench.py [--streams 5000] [--every 5] [--seconds 20] [--body 1000]

Starts a gateway of its own below a temporary folder, with one provider whose minute is spent and
which is never asked, and prints memory a stream (PSS) and CPU in percent of a core, while each
stream gets a keepalive every so many seconds. Traffic stays on loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = """
[hold]
after = "{every}s"
every = "{every}s"
open_after = 0
[queue]
wait = 0
[providers.full]
chat = "http://127.0.0.1:9/v1"
key = "none"
models = ["m"]
"""


def pss(pid: int) -> float:
    """Give a process's own share of memory, in kB."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return float(line.split()[1])
    raise SystemExit("no smaps_rollup here")


def cpu(pid: int) -> float:
    """Give the processor time of a process so far, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def wait_in_line(port: int, request: bytes, heard: list[int]) -> None:
    """Be one agent: send a request, count the keepalives."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    while data := await reader.read(65536):
        heard[0] += data.count(b": keepalive")
    writer.close()


async def measure(pid: int, port: int, args: argparse.Namespace) -> None:
    """Open the streams, let them settle, and weigh."""
    text = "x" * args.body
    body = json.dumps(
        {"model": "full/m", "stream": True, "messages": [{"role": "user", "content": text}]}
    ).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
    request = head.encode() + b"\r\n\r\n" + body
    before = pss(pid)
    heard = [0]
    agents = []
    for _ in range(args.streams):
        agents.append(asyncio.ensure_future(wait_in_line(port, request, heard)))
        if len(agents) % 200 == 0:
            await asyncio.sleep(0.05)
    await asyncio.sleep(2 * args.every)
    began, kept = cpu(pid), heard[0]
    await asyncio.sleep(args.seconds)
    percent = 100 * (cpu(pid) - began) / args.seconds
    kilobytes = (pss(pid) - before) / args.streams
    rate = (heard[0] - kept) / args.seconds
    print(f"{args.streams} streams, {rate:.0f} keepalives a second: {percent:.2f} % of a core, ")
    print(f"{kilobytes:.1f} kB a stream, {kilobytes - len(body) / 1024:.1f} beside the body")
    for agent in agents:
        agent.cancel()
    await asyncio.gather(*agents, return_exceptions=True)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--streams", type=int, default=5000)
    parser.add_argument("--every", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--body", type=int, default=1000)
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as home:
        config = Path(home, "config", "config.toml")
        config.parent.mkdir()
        config.write_text(CONFIG.format(every=args.every))
        command = [sys.executable, "-m", "holdgate", "serve", "--port", "0"]
        gateway = subprocess.Popen(
            command, env={**os.environ, "HOLDGATE_HOME": home}, stdout=subprocess.PIPE, text=True
        )
        assert gateway.stdout is not None
        ready = next(line for line in gateway.stdout if line.startswith("ready "))
        pause = [sys.executable, "-m", "holdgate", "pause"]
        subprocess.run(pause, env={**os.environ, "HOLDGATE_HOME": home}, check=True)
        try:
            asyncio.run(measure(gateway.pid, int(ready.rpartition(":")[2]), args))
        finally:
            gateway.kill()


if __name__ == "__main__":
    main()
