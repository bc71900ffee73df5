"""`gateway provider test`, beside a running gateway and without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from holdgate.core.store.rests_file import FILE_NAME, RestsFile
from holdgate.core.values.errors import FaultKind
from holdgate.core.values.rests import Rest
from tests.cli.serving import Finished, configure
from tests.cli.serving import gateway as command
from tests.fakes.agents import post
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import ENVIRON, SECOND_KEY, VENDOR_KEY, asking, provider, running

REST = Rest("fake", "default", FaultKind.AUTH, "key refused (no)", 2e10, refused=True, seal="ab")
OTHERS = (
    Rest("fake", "second", FaultKind.RATE, "rate limited (no)", 2e10),
    Rest("other", "default", FaultKind.RATE, "rate limited (no)", 2e10),
)


async def asked(home: Path, *args: str) -> Finished:
    return await command(home, "provider", "test", *args, more=ENVIRON)


def shape(finished: Finished) -> Any:
    assert finished.err == "", finished
    return json.loads(finished.out)


def kept(home: Path) -> list[Rest]:
    return RestsFile(home / "state" / FILE_NAME).load()


def below(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def keep(home: Path, *rests: Rest) -> None:
    (home / "state").mkdir(parents=True)
    RestsFile(home / "state" / FILE_NAME).save(rests)


async def test_the_running_gateway_tests_and_lifts(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = provider(vendor.url, dialects=("chat", "messages"))
        async with running(tmp_path, config) as gateway:
            vendor.script(Reply(401))
            path, upload = asking("chat")
            assert (await post(gateway.url + path, upload=upload)).status == 502
            # The gateway is asked, though the file is broken and this shell has another key.
            configure(tmp_path, "[oh\n")
            more = {"FAKE_KEY": SECOND_KEY}
            finished = await command(tmp_path, "provider", "test", "fake", more=more)
            assert (finished.code, finished.err) == (0, "")
            chat, messages, lifted = finished.out.splitlines()
            assert chat.split()[:3] == ["ok", "chat", "default"] and "fake-model" in chat
            assert messages.split()[:2] == ["ok", "messages"]
            assert lifted == "key default: its rest is lifted"
            assert {seen.key for seen in vendor.requests} == {VENDOR_KEY}
            assert (await post(gateway.url + path, upload=upload)).status == 200

            vendor.script(Reply(401), path="*/messages")
            finished = await asked(tmp_path, "fake", "--json", "-m", "another")
            shown = shape(finished)
            assert (finished.code, shown["passed"], shown["lifted"]) == (1, False, [])
            assert set(shown) == {"provider", "passed", "tests", "lifted"}
            assert [(each["model"], each["status"]) for each in shown["tests"]] == [
                ("another", 200),
                ("another", 401),
            ]


async def test_what_the_running_gateway_does_not_know_is_tested_without_it(tmp_path: Path) -> None:
    async with (
        FakeVendor() as vendor,
        running(tmp_path / "home", provider(vendor.url, name="other")),
    ):
        elsewhere = tmp_path / "elsewhere.toml"
        elsewhere.write_text(provider(vendor.url, dialects=("chat",)))
        file = RestsFile(tmp_path / "home" / "state" / FILE_NAME)
        file.save([REST])
        args = ("fake", "--config", str(elsewhere), "--json")
        shown = shape(await asked(tmp_path / "home", *args))
        assert (shown["passed"], shown["lifted"]) == (True, [])
        assert file.load() == [REST]  # the rests are the gateway's
        finished = await asked(tmp_path / "home", "nobody")
        assert (finished.code, finished.out) == (2, "")
        assert "no such provider" in finished.err


async def test_without_a_gateway_the_kept_rest_is_lifted(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url, dialects=("chat",)))
        keep(tmp_path, REST, *OTHERS)
        vendor.script(Reply(401))
        shown = shape(await asked(tmp_path, "fake", "--json"))
        assert (shown["passed"], shown["lifted"]) == (False, [])
        assert kept(tmp_path) == [REST, *OTHERS]
        finished = await asked(tmp_path, "fake")
        assert (finished.code, finished.err) == (0, "")
        assert finished.out.splitlines()[1:] == ["key default: its rest is lifted"]
        assert kept(tmp_path) == [*OTHERS]
        assert shape(await asked(tmp_path, "fake", "--json"))["lifted"] == []


async def test_without_any_rest_nothing_is_written(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url, dialects=("chat",)))
        assert (await asked(tmp_path, "fake")).code == 0
        assert below(tmp_path) == ["config"]


async def test_a_vendor_changes_nothing_in_the_terminal(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url, dialects=("chat",)))
        vendor.script(Reply(400, json={"error": {"message": "\x1b[2Jgone\nok"}}))
        finished = await asked(tmp_path, "fake")
        assert finished.code == 1 and len(finished.out.splitlines()) == 1
        assert "\x1b" not in finished.out


async def test_nothing_to_ask(tmp_path: Path) -> None:
    off = 'keys = [{ name = "a", value = "env:FAKE_KEY", on = false }]'
    configure(tmp_path, provider("http://127.0.0.1:9", key=off))
    finished = await asked(tmp_path, "fake")
    assert (finished.code, finished.out) == (1, "")
    assert finished.err == "fake: each of its keys is switched off\n"
    finished = await asked(tmp_path, "fak")
    assert finished.code == 2 and "did you mean fake?" in finished.err
