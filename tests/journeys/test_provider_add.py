"""Somebody adds a vendor: it is tried first, and what is wrong is told in a sentence."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from holdgate.core.config.load import load_file
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from tests.cli.inside import inside
from tests.cli.serving import Finished, configure
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import VENDOR_KEY, provider, running

KEYS = {"FAKE_KEY": VENDOR_KEY}
PATHS: dict[DialectName, tuple[str, ...]] = {
    "chat": ("/v1/chat/completions", "/v1/models"),
    "responses": ("/v1/responses", "/v1/models"),
    "messages": ("/v1/messages", "/v1/models"),
    "gemini": ("/v1beta/*",),
}
PAGE = "<!DOCTYPE html><title>Welcome to the hotel</title>"
HTML = {"Content-Type": "text/html"}
CONFIG = """\
# mine
[server]
port = 4999   # a free one

[providers.old]   # the first
preset = 'ollama'
# about routes
[routes.r]
candidates = ["old/m"]
"""


async def add(home: Path, *args: str, typed: str = "", key: str = "FAKE_KEY") -> Finished:
    keys = ("--key-env", key) if key else ()
    return await inside(home, "provider", "add", *args, *keys, more=KEYS, typed=typed)


def found(home: Path, name: str = "new") -> dict[DialectName, str]:
    """Give the base URLs that were written."""
    added = load_file(home / "config" / "config.toml").providers[name]
    return {each: base for each in DIALECT_NAMES if (base := added.base(each))}


def refused(done: Finished, *words: str) -> None:
    """Check that it failed in one sentence with these words, which tells no key."""
    assert done.code == 1, done
    assert done.err.startswith("new is not added: ") and done.err.count("\n") == 1
    for each in words:
        assert each in done.err
    assert VENDOR_KEY not in done.out + done.err


async def test_what_it_lists_is_known_from_then_on(tmp_path: Path) -> None:
    async with FakeVendor(models=["fake-model", "fake-small"]) as vendor:
        assert (await add(tmp_path, "new", "--url", vendor.url)).code == 0
    wrong = await inside(tmp_path, "route", "add", "coder", "new/fake-modle")
    assert (wrong.code, "did you mean new/fake-model" in wrong.err) == (2, True), wrong
    assert (await inside(tmp_path, "route", "add", "coder", "new/fake-small")).code == 0
    listed = await inside(tmp_path, "models")
    assert "new/fake-model" in listed.out, listed


@pytest.mark.parametrize("spoken", [*((each,) for each in DIALECT_NAMES), DIALECT_NAMES])
async def test_a_bare_url_is_found_out(tmp_path: Path, spoken: tuple[DialectName, ...]) -> None:
    paths = {path for each in spoken for path in PATHS[each]}
    async with FakeVendor(paths=paths, keys=[VENDOR_KEY], strict=True) as vendor:
        ends = {"chat": "/v1", "responses": "/v1", "messages": "", "gemini": ""}
        expected = {each: vendor.url + ends[each] for each in spoken}
        # As people paste it: bare, with a version, or a whole endpoint of some dialect.
        for place, end in enumerate(("", "/v1", "/v1/chat/completions")):
            before = len(vendor.requests)
            done = await add(tmp_path, f"new{place}", "--url", vendor.url + end)
            assert done.code == 0, done
            assert found(tmp_path, f"new{place}") == expected
            assert len(vendor.requests) - before <= 12
            assert "1 model: fake-model" in done.out
            assert f"gateway run claude-code -m new{place}/fake-model" in done.out
            assert VENDOR_KEY not in done.out + done.err


async def test_a_dialect_below_its_own_path(tmp_path: Path) -> None:
    paths = ("/anthropic/v1/messages", "/v1/chat/completions", "/v1/models")
    async with FakeVendor(paths=paths) as vendor:
        done = await add(tmp_path, "new", "--url", vendor.url)
        assert found(tmp_path) == {
            "chat": f"{vendor.url}/v1",
            "messages": f"{vendor.url}/anthropic",
        }
        assert "not spoken" in done.out


async def test_a_vendor_without_a_list(tmp_path: Path) -> None:
    async with FakeVendor(paths=("/v1/chat/completions",), models=("m",), strict=True) as vendor:
        refused(await add(tmp_path, "new", "--url", vendor.url), "no list of its models", "--model")
        done = await add(tmp_path, "new", "--url", vendor.url, "--model", "m")
        assert (done.code, found(tmp_path)) == (0, {"chat": f"{vendor.url}/v1"})
        assert 'models = ["m"]' in (tmp_path / "config" / "config.toml").read_text()


async def test_a_vendor_that_takes_one_at_a_time(tmp_path: Path) -> None:
    slow = Reply(delay=0.05)
    async with FakeVendor(limit_concurrent=1) as vendor:
        vendor.script(slow, path="*/chat/completions")
        done = await add(tmp_path, "new", "--url", vendor.url)
        assert vendor.violations and set(found(tmp_path)) == set(DIALECT_NAMES)
        assert done.out.count("ok, fake-model") == 4


async def test_another_model_is_tried_where_one_is_no_good(tmp_path: Path) -> None:
    paths = ("/v1/chat/completions", "/v1/models")
    async with FakeVendor(paths=paths, models=("m1", "m2")) as vendor:
        vendor.script(Reply(404, json={"error": {"message": "no such model: m1"}}), path="*/c*")
        done = await add(tmp_path, "new", "--url", vendor.url)
        assert "ok, m2" in done.out and "claude-code -m new/m2" in done.out


async def test_the_rest_of_the_file_stays(tmp_path: Path) -> None:
    file = configure(tmp_path, CONFIG)
    async with FakeVendor() as vendor:
        more = ("--rpm", "3", "--proxy", "direct", "--header", "X-Team: a", "--concurrency", "2")
        done = await add(tmp_path, "new", "--chat", f"{vendor.url}/v1", *more)
        assert (done.code, done.err) == (0, "")
        assert [seen.header("X-Team") for seen in vendor.requests] == ["a", "a"]
    assert file.read_text() == CONFIG + (
        f'\n[providers.new]\nchat = "{vendor.url}/v1"\nkey = "env:FAKE_KEY"\nconcurrency = 2\n'
        'rpm = 3\nheaders = {X-Team = "a"}\nproxy = "direct"\n'
    )


async def test_a_wrong_key(tmp_path: Path) -> None:
    file = configure(tmp_path, CONFIG)
    async with FakeVendor(keys=["another"]) as vendor:
        for args in (("--url", vendor.url), ("--chat", f"{vendor.url}/v1")):
            done = await add(tmp_path, "new", *args)
            refused(done, "wrong key: the vendor refuses the key", "No such key: ***")
        done = await add(tmp_path, "new", "--url", vendor.url, key="")
        refused(done, "no key: none was given", "--key-env VAR")
        done = await add(tmp_path, "new", "--url", vendor.url, "--key-stdin", typed="k\n", key="")
        refused(done, "wrong key")
    assert file.read_text() == CONFIG
    assert [each.name for each in file.parent.iterdir()] == ["config.toml"]


async def test_a_wrong_url(tmp_path: Path) -> None:
    async with FakeVendor(paths=("/v1/*",)) as vendor:
        refused(
            await add(tmp_path, "new", "--url", f"{vendor.url}/nowhere"), "wrong URL", "HTTP 404"
        )
        named = ("--chat", f"{vendor.url}/v1", "--gemini", vendor.url)
        done = await add(tmp_path, "new", *named)
        refused(done, f"gemini is not spoken at {vendor.url}", "--no-test")
        assert (await add(tmp_path, "new", *named, "--no-test")).code == 0
        assert set(found(tmp_path)) == {"chat", "gemini"}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(200, HTML, text=PAGE), "a web page: a web page came instead of an API"),
        (Reply(511, HTML, text=PAGE), "this network wants a login"),
        (Reply(302, {"Location": "http://login.hotel.example/?q=1"}, text=""), "open a browser"),
        (Reply(301, {"Location": "https://new.example/v1"}, text=""), "to https://new.example/v1"),
        (Reply(402), "no credit"),
        (Reply(403), "region, plan or rights"),
        (Reply(503), "trouble of its own"),
    ],
)
async def test_something_else_answers(tmp_path: Path, reply: Reply, words: str) -> None:
    async with FakeVendor() as vendor:
        vendor.script(*[reply] * 20)
        refused(await add(tmp_path, "new", "--url", vendor.url), words)
    assert not (tmp_path / "config").exists()


async def test_nobody_is_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        url = f"http://127.0.0.1:{gone.getsockname()[1]}"
    async with FakeVendor() as vendor:
        for args, words in (
            ((url,), "is the server running, and is the port right?"),
            (("https://nobody.invalid",), "check the spelling"),
            ((vendor.url.replace("http:", "https:"),), "a local server http:// instead"),
            ((vendor.url, "--proxy", url), "check the proxy"),
        ):
            done = await add(tmp_path, "new", "--url", *args)
            refused(done, words)
            assert done.out == ""  # no table of what could not be asked
        assert vendor.requests == []


async def test_a_preset_that_does_not_speak_all(tmp_path: Path) -> None:
    # The vendor stands in for the preset's own address as its proxy.
    async with FakeVendor(paths=("*/v1/chat/completions", "*/v1/models")) as vendor:
        args = ("new", "--preset", "ollama", "--proxy", vendor.url)
        refused(await add(tmp_path, *args, "--gemini", vendor.url), "gemini is not spoken")
        done = await add(tmp_path, *args, key="")
        assert done.code == 0
        for dialect in ("responses", "messages"):
            assert f"warning: the vendor does not speak {dialect} now: HTTP 404" in done.err
        assert {seen.path.partition("/v1/")[0] for seen in vendor.requests} >= {
            "http://127.0.0.1:11434"
        }
    written = (tmp_path / "config" / "config.toml").read_text()
    assert written == f'[providers.new]\npreset = "ollama"\nproxy = "{vendor.url}"\n'


async def test_the_running_gateway_has_it(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        done = await add(tmp_path, "new", "--url", vendor.url)
        assert "the running gateway has it within 2 s" in done.out
        assert "needs FAKE_KEY, too" in done.err
        await gateway.until(
            lambda shown: {lane["provider"] for lane in shown["lanes"]} == {"fake", "new"}
        )
