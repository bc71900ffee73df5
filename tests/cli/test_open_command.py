"""`gateway open`: the page with its token, in the browser or as an address."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from holdgate.core.client import ControlClient
from holdgate.core.store.instance import Runtime, read_runtime
from tests.cli.serving import gateway, serving
from tests.journeys.gateway import polled, running

NO_SCREEN = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "BROWSER": ""}


def browser(folder: Path) -> tuple[str, Path]:
    """Give the BROWSER that notes in a file what it was told to open."""
    seen, program = folder / "seen", folder / "browser.py"
    program.write_text(
        f"import sys, pathlib\npathlib.Path({str(seen)!r}).write_text(sys.argv[1])\n"
    )
    return f"{sys.executable} {program} %s", seen


def test_the_address_of_one_request() -> None:
    client = ControlClient(Runtime("http://127.0.0.1:4653", 1, "a b&c", "0"))
    for request, said in (("", {"token": ["a b&c"]}), ("hg-1&2", None)):
        parts = urlsplit(client.page_url(request))
        assert (parts.netloc, parts.path, parts.query) == ("127.0.0.1:4653", "/", "")
        assert parse_qs(parts.fragment) == (said or {"token": ["a b&c"], "request": ["hg-1&2"]})


async def test_the_page_is_opened_in_the_browser(tmp_path: Path) -> None:
    command, seen = browser(tmp_path)
    async with running(tmp_path / "home") as served:
        runtime = read_runtime(served.state)
        assert runtime
        done = await gateway(tmp_path / "home", "open", more={**NO_SCREEN, "BROWSER": command})
        assert (done.code, done.err) == (0, "")
        assert seen.read_text() == f"{served.url}/#token={runtime.token}"
        assert runtime.token not in done.out


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is a screen")
async def test_where_no_browser_is_the_address_is_printed(tmp_path: Path) -> None:
    async with running(tmp_path) as served:
        runtime = read_runtime(served.state)
        assert runtime
        url = f"{served.url}/#token={runtime.token}\n"
        printed = await gateway(tmp_path, "open", "--print")
        assert (printed.code, printed.out, printed.err) == (0, url, "")
        bare = await gateway(tmp_path, "open", more=NO_SCREEN)
        assert (bare.code, bare.out) == (0, url)
        assert "no browser can be opened here" in bare.err


async def test_serve_opens_it_too(tmp_path: Path) -> None:
    command, seen = browser(tmp_path)
    home = tmp_path / "home"
    async with serving(home, "--open", "--no-tray", more={**NO_SCREEN, "BROWSER": command}) as it:
        await polled(partial(asyncio.to_thread, seen.exists), bool, 10.0)
        assert seen.read_text().startswith(f"{it.url}/#token=")


async def test_without_a_gateway_nothing_is_opened(tmp_path: Path) -> None:
    command, seen = browser(tmp_path)
    done = await gateway(tmp_path / "home", "open", more={"BROWSER": command})
    assert (done.code, done.out) == (1, "")
    assert "gateway serve" in done.err and not seen.exists()
