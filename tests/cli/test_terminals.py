"""What the commands show on real terminals, narrow and wide, and into pipes of any encoding."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from rich.cells import cell_len

from holdgate.cli.live_requests import COLUMNS
from holdgate.cli.screen import COLOURS
from holdgate.core.store.ledger import FILE_NAME as LEDGER
from holdgate.core.store.usage import usage_since
from tests.cli.serving import HOLDGATE, PATIENCE, environ
from tests.cli.serving import gateway as command
from tests.cli.terminals import COLOUR, at_terminal, shown, terminal
from tests.fakes.agents import post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import Running, asking, polled, provider, running

WIDTHS = (60, 80, 200)
MODEL = "a-maker-of-long-names/model-with-a-long-name-20260101:free"
# What a vendor may say: words of two cells a letter, and sequences that take over a terminal.
SAID = "密钥无效 😀"
EVIL = (
    f"\x1b]0;pwned\x07\x1b[2J\x1b[31m{SAID}\u202e\x9b2J\x1b]52;c;ZXZpbA==\x07 ask for another key"
)


@asynccontextmanager
async def busy(home: Path) -> AsyncIterator[Running]:
    """Run a gateway with a refused key, a resting one, and a full lane with a line before it."""
    go = asyncio.Event()
    async with FakeVendor() as one, FakeVendor() as two, FakeVendor() as three:
        one.script(Reply(401, json={"error": {"message": EVIL, "type": "x"}}))
        two.script(Reply(500, json={"error": {"message": EVIL, "type": "x"}}))
        three.script(Reply(), Reply(until=go))
        config = provider(one.url, name="one", models=f'["{MODEL}"]') + provider(
            two.url, name="two"
        )
        config += provider(three.url, "concurrency = 1", "rpm = 50", name="three")
        candidates = f'["one/{MODEL}", "two/fake-model", "three/fake-model"]'
        config += f"[routes.coder]\ncandidates = {candidates}\n"
        async with running(home, config) as gateway, asyncio.TaskGroup() as group:
            await ask(gateway, "coder", "failed over")
            await ask(gateway, f"one/{MODEL}", "refused")
            group.create_task(ask(gateway, "coder", "served"))
            await three.arrived(2)
            group.create_task(ask(gateway, "coder", "waits"))
            await gateway.until(lambda found: found["counts"]["waiting"] == 2)
            await polled(partial(asked_so_far, gateway), lambda count: count == 4, PATIENCE)
            try:
                yield gateway
            finally:
                go.set()


async def asked_so_far(gateway: Running) -> int:
    """Give how many requests the ledger has: it is written a moment later."""
    return usage_since(gateway.state / LEDGER, 0.0, "agent").total.requests


async def ask(gateway: Running, model: str, words: str) -> None:
    headers = {"User-Agent": "claude-cli/2.0"}
    path, upload = asking("chat", model, words=words, headers=headers)
    await post(gateway.url + path, upload=upload)


async def requests_of(gateway: Running) -> dict[str, str]:
    """Give the id of each request by its state, and that of the one that was failed over."""
    found = (await gateway.control("/api/requests"))["requests"]
    return {each["state"]: each["id"] for each in found}


def is_styled(text: str, meaning: str, words: str) -> bool:
    """Tell whether `words` are shown as what means that is."""
    codes = {"yellow": "33", "red": "31", "bright_blue": "94", "green": "32", "magenta": "35",
             "cyan": "36", "bold": "1", "dim": "2"}  # fmt: skip
    return f"\x1b[{codes[COLOURS[meaning]]}m{words}" in text


def lines_that_fit(text: str, width: int) -> list[str]:
    """Give the lines without their colours, none of which is too long or acts on the terminal."""
    lines = COLOUR.sub("", text).splitlines()
    assert [line for line in lines if cell_len(line) > width] == []
    assert [line for line in lines if not line.isprintable()] == []
    assert "pwned" not in text
    return lines


def together(lines: list[str]) -> str:
    """Give what was folded as one text."""
    return " ".join(" ".join(lines).split())


@pytest.mark.system("pty")
async def test_on_terminals(tmp_path: Path) -> None:
    async with busy(tmp_path) as gateway:
        ids = await requests_of(gateway)
        for width in WIDTHS:
            status, queue, explained, usage = await asyncio.gather(
                shown(tmp_path, width, "status"),
                shown(tmp_path, width, "queue"),
                shown(tmp_path, width, "explain", ids["done"]),
                shown(tmp_path, width, "usage"),
            )
            check_status(status, width)
            check_queue(queue, width, ids)
            check_explained(explained, width, ids["done"])
            lines = lines_that_fit(usage, width)
            assert lines[0].split()[:3] == ["MODEL", "REQUESTS", "FAILED"] or width > 60
            assert lines[-1].split()[:2] == ["all", "4"]


def check_status(text: str, width: int) -> None:
    lines = lines_that_fit(text, width)
    assert lines[0].startswith("Holdgate ") and "2 waiting, 0 held, 0 passing" in together(
        lines[:2]
    )
    assert is_styled(text, "waiting", "2 waiting")
    assert is_styled(text, "error", "one/default is refused")
    assert is_styled(text, "rest", "two/default rests until ")
    said = together(lines)
    assert f"key refused (HTTP 401: {SAID} ask for another key)" in said
    assert "gateway provider test one" in said
    assert f"server error (HTTP 500: {SAID} ask for another key)" in said
    assert "last error: one: key default was refused" in said
    lanes = {line.split()[0]: line for line in lines if "/default " in line and ":" not in line}
    assert lanes["one/default"].endswith("refused")
    assert "rests " in lanes["two/default"]
    assert "1 of 1" in lanes["three/default"] and "2 of 50" in lanes["three/default"]
    assert lanes["three/default"].endswith("full")


def check_queue(text: str, width: int, ids: dict[str, str]) -> None:
    lines = lines_that_fit(text, width)
    row = next(line for line in lines if ids["waiting"] in line)
    assert row.split()[0] == "1" and "waiting" in row
    assert is_styled(text, "waiting", "waiting") and is_styled(text, "trying", "trying")
    assert sum("claude-code" in line for line in lines) == 2
    heads = [column.head for column in COLUMNS]
    found = [line.split() for line in lines if set(line.split()) <= set(heads)]
    assert sorted(word for line in found for word in line) == sorted(heads)
    assert len(found) == (1 if width == 200 else 2)


def check_explained(text: str, width: int, id: str) -> None:
    lines = lines_that_fit(text, width)
    said = together(lines)
    assert said.startswith(f"{id} claude-code asked for coder (chat, whole) ")
    for words in (
        "HTTP 401, first byte after",
        f"fault key refused: one: HTTP 401: {SAID} ask for another key",
        "rest key default until ",
        "HTTP 500, first byte after",
        f"fault server error: two: HTTP 500: {SAID} ask for another key",
        "try 3 three/fake-model with key default: HTTP 200, first byte after",
        "done answered, HTTP 200 to the agent",
        "tokens input 7, output 5",
        "why another try was needed: two: HTTP 500",
    ):
        assert words in said
    assert MODEL in said.replace(" ", "")
    assert is_styled(text, "error", "fault") and is_styled(text, "rest", "rest")


@pytest.mark.system("pty")
async def test_sentences_are_folded_between_words(tmp_path: Path) -> None:
    words = ("run", "claude", "-m", "zzz", "--dry-run")
    text = await shown(tmp_path, 60, *words, more={"HOME": str(tmp_path)})
    first, second, *_ = text.splitlines()
    assert first == "warning: the gateway may not know a model zzz; gateway"
    assert second == "models lists what there is"


async def test_without_colours_and_into_pipes(tmp_path: Path) -> None:
    async with busy(tmp_path) as gateway:
        ids = await requests_of(gateway)
        for args in (("status",), ("queue",), ("explain", ids["done"]), ("usage",)):
            plain = await shown(tmp_path, 80, *args, more={"NO_COLOR": "1"})
            assert "\x1b" not in plain
            lines_that_fit(plain, 80)
            more = {"COLUMNS": "40", "FORCE_COLOR": "1", "NO_COLOR": "", "TERM": "xterm-256color"}
            piped = await command(tmp_path, *args, more=more)
            assert (piped.code, piped.err) == (0, "")
            assert all(line.isprintable() for line in piped.out.splitlines())
            assert "…" not in piped.out
        piped = await command(tmp_path, "queue")
        head, first, second = piped.out.splitlines()[-3:]
        for state in ("waiting", "trying"):
            line = first if state in first else second
            assert line.index(state) == head.index("STATE") and ids[state] in line


@pytest.mark.system("pty")
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "cp437"])
async def test_consoles_of_other_encodings(tmp_path: Path, encoding: str) -> None:
    async with busy(tmp_path) as gateway:
        ids = await requests_of(gateway)
        more = {"PYTHONIOENCODING": encoding}
        for args in (("status",), ("queue",), ("explain", ids["done"])):
            for text in (
                await shown(tmp_path, 60, *args, more=more),
                await told(tmp_path, encoding, *args),
            ):
                assert ("密钥无效 ?" if encoding == "gbk" else "???? ?") in text or args == (
                    "queue",
                )
            found = json.loads(await told(tmp_path, encoding, *args, "--json"))
            assert found
        assert EVIL in json.loads(await told(tmp_path, encoding, "status", "--json"))["last_error"]
        wrong = await ended(tmp_path, encoding, "explain", "hg-😀密")
        assert wrong[0] == 1 and b"no request" in wrong[2]


async def told(home: Path, encoding: str, *args: str) -> str:
    """Run a command that must succeed, into a pipe of that encoding."""
    code, out, err = await ended(home, encoding, *args)
    assert (code, err) == (0, b"")
    return out.decode(encoding)


async def ended(home: Path, encoding: str, *args: str) -> tuple[int | None, bytes, bytes]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *HOLDGATE, *args,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=environ(home, {"PYTHONIOENCODING": encoding}),
    )  # fmt: skip
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate()
    return process.returncode, out, err


@pytest.mark.system("pty")
async def test_watching_on_a_narrow_terminal(tmp_path: Path) -> None:
    seen = bytearray()
    async with busy(tmp_path) as gateway:
        ids = await requests_of(gateway)
        with terminal(60) as made:
            os.set_blocking(made.screen, False)

            async def look() -> str:
                try:
                    while piece := os.read(made.screen, 65536):
                        seen.extend(piece)
                except BlockingIOError:
                    pass
                return seen.decode()

            process = await asyncio.create_subprocess_exec(
                sys.executable, *HOLDGATE, "queue", "--watch",
                stdin=asyncio.subprocess.DEVNULL, stdout=made.program, stderr=made.program,
                env=at_terminal(tmp_path),
            )  # fmt: skip
            try:
                first = await polled(look, lambda text: ids["waiting"] in text, PATIENCE)
                assert "pwned" not in first and SAID in first
                rows = COLOUR.sub("", first).replace("\x1b[?25l", "").splitlines()
                assert max(map(cell_len, rows)) <= 60
                await command(tmp_path, "pause")
                await polled(look, lambda text: "all is paused until resumed" in text, PATIENCE)
                await command(tmp_path, "resume")
            finally:
                process.send_signal(signal.SIGINT)
                assert await process.wait() == 130
