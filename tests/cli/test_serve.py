"""`gateway serve` and the commands that ask it, each as a process of its own."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sqlite3
from pathlib import Path

import pytest

from holdgate.core.store.instance import RUNTIME_NAME, read_runtime
from tests.cli.serving import Served, configure, environ, gateway, serving, untouched
from tests.fakes.agents import RawStream, get, post, stream
from tests.fakes.vendor import FakeVendor, Reply, Until, chat_stream
from tests.journeys.gateway import SECOND_KEY, VENDOR_KEY, Json, asking, polled, provider, rows

KEYS = {"FAKE_KEY": VENDOR_KEY, "SECOND_KEY": SECOND_KEY}
STOPS = [signal.SIGINT, signal.SIGTERM]


async def test_it_prints_its_addresses_and_that_it_is_ready(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        async with serving(tmp_path, more=KEYS) as served:
            assert served.out[0].startswith("Holdgate ")
            for name, end in (("chat, responses", "/v1"), ("messages", ""), ("gemini", "")):
                (line,) = [line for line in served.out if line.strip().startswith(name)]
                assert line.endswith(f"{served.url}{end}")
            assert served.out[-1] == f"ready {served.url}"
            assert (await get(served.url + "/healthz")).json["name"] == "holdgate"
            path, upload = asking("chat")
            assert (await post(served.url + path, upload=upload)).status == 200
            assert vendor.requests[-1].key == VENDOR_KEY
            runtime = read_runtime(tmp_path / "state")
            assert runtime is not None
            assert (runtime.url, runtime.pid) == (served.url, served.process.pid)
            served.send(signal.SIGTERM)
            assert await served.ended() == 0
        assert not (tmp_path / "state" / RUNTIME_NAME).exists()
        assert VENDOR_KEY not in "".join(served.out + served.err)


async def test_without_a_provider_it_says_what_to_do(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        assert any("gateway provider add" in line for line in served.out)
        path, upload = asking("messages", "anything")
        reply = await post(served.url + path, upload=upload)
        assert reply.status == 404 and "no provider" in reply.json["error"]["message"]
        served.send(signal.SIGINT)
        assert await served.ended() == 0


async def test_a_key_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    gone, at = tmp_path / "gone", 'chat = "http://127.0.0.1:1/v1"'
    keys = (
        f'keys = [{{ name = "a", value = "file:{gone}" }}, {{ name = "b", value = "env:HG_NO" }}]'
    )
    configure(tmp_path, f'[providers.p]\n{at}\n{keys}\n[providers.q]\n{at}\nkey = "sk-here"\n')
    async with serving(tmp_path) as served:
        told = [line for line in served.out if "has no key" in line]
        assert len(told) == 2 and all(line.startswith("  p has no key") for line in told)
        assert f"{gone} does not exist" in told[0] and "HG_NO is not set" in told[1]


async def test_the_demo_answers(tmp_path: Path) -> None:
    async with serving(tmp_path, "--demo") as served:
        assert any("demo/demo-model" in line for line in served.out)
        path, upload = asking("gemini", "demo/demo-model")
        body = upload.body
        assert isinstance(body, dict)
        short = {**body, "generationConfig": {"maxOutputTokens": 5}}
        reply = await post(served.url + path, short)
        text = reply.json["candidates"][0]["content"]["parts"][0]["text"]
        assert text.startswith("Hello from Holdgate")
        served.send(signal.SIGTERM)
        assert await served.ended() == 0


# Its end.

EVENTS = chat_stream("one two three")


async def begin(served: Served, reply: RawStream) -> None:
    """Read until the stream has begun."""
    await reply.read_until(EVENTS[2])
    assert reply.status == 200


@pytest.mark.parametrize("stop", STOPS)
async def test_a_signal_drains_and_a_running_stream_finishes(
    tmp_path: Path, stop: signal.Signals
) -> None:
    go = asyncio.Event()
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(go), *EVENTS[3:]]))
        async with serving(tmp_path, more=KEYS) as served:
            path, upload = asking("chat", stream=True)
            async with stream(served.url + path, upload=upload) as reply:
                await begin(served, reply)
                served.send(stop)
                assert "1 requests are open" in await served.says("are open")
                with pytest.raises(ConnectionError):
                    await get(served.url + "/healthz")
                go.set()
                whole = await reply.read_all()
            assert (whole.ended, whole.body) == ("whole", b"".join(EVENTS))
            assert await served.ended() == 0
    assert [row["state"] for row in rows(tmp_path / "state")] == ["done"]


@pytest.mark.parametrize("stop", STOPS)
async def test_what_does_not_finish_is_told_that_the_gateway_shuts_down(
    tmp_path: Path, stop: signal.Signals
) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, '[server]\ndrain = "200ms"\n' + provider(vendor.url))
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(asyncio.Event())]))
        async with serving(tmp_path, more=KEYS) as served:
            path, upload = asking("chat", stream=True)
            async with stream(served.url + path, upload=upload) as reply:
                await begin(served, reply)
                served.send(stop)
                whole = await reply.read_all()
            assert "shutting down" in json.loads(whole.events[-1][1])["error"]["message"]
            assert b"[DONE]" not in whole.body
            assert await served.ended() == 0
        await vendor.left(1, within=1.0)
    (row,) = rows(tmp_path / "state")
    assert (row["state"], row["fault"]) == ("failed", "shutting down")


async def test_who_waits_in_the_queue_at_the_end_gets_503(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = '[server]\ndrain = "200ms"\n' + provider(vendor.url, "concurrency = 1")
        configure(tmp_path, config)
        vendor.script(Reply(until=asyncio.Event()))
        async with serving(tmp_path, more=KEYS) as served, asyncio.TaskGroup() as group:
            path, upload = asking("messages")
            waits = [group.create_task(post(served.url + path, upload=upload)) for _ in range(2)]
            await vendor.arrived(1)
            served.send(signal.SIGTERM)
            assert "2 requests are open" in await served.says("are open")
            for wait in waits:
                reply = await wait
                assert reply.status == 503
                assert "shutting down" in reply.json["error"]["message"]
            assert await served.ended() == 0


@pytest.mark.parametrize("second", STOPS)
async def test_a_second_signal_ends_it_at_once(tmp_path: Path, second: signal.Signals) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(asyncio.Event())]))
        async with serving(tmp_path, more=KEYS) as served:
            path, upload = asking("chat", stream=True)
            async with stream(served.url + path, upload=upload) as reply:
                await begin(served, reply)
                served.send(signal.SIGINT)
                await served.says("are open")
                served.send(second)
                async with asyncio.timeout(5.0):  # the stream may take twice as long
                    assert await served.ended() == 130
                assert (await reply.read_all()).ended in ("cut", "reset")


async def test_after_kill_9_the_next_one_starts_and_tells_what_was_left(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(asyncio.Event())]))
        async with serving(tmp_path, more=KEYS) as served:
            path, upload = asking("chat", stream=True)
            async with stream(served.url + path, upload=upload) as reply:
                await begin(served, reply)
                id = reply.reply.header("X-Holdgate-Request") or ""
                await polled(lambda: known(state), lambda ids: ids == [id])
                served.send(signal.SIGKILL)
                assert await served.ended() == -signal.SIGKILL
                assert (await reply.read_all()).ended in ("cut", "reset")
        async with serving(tmp_path, more=KEYS) as served:
            # Nobody has asked for anything yet: it must not take a request to be told.
            shown = await polled(lambda: found(served, id), lambda it: it["state"] == "failed", 2.0)
            assert (shown["fault"], shown["stream"]) == ("gateway stopped", True)
            assert shown["ended"] >= shown["arrived"]
            assert (await post(served.url + path, upload=upload)).status == 200
            served.send(signal.SIGTERM)
            assert await served.ended() == 0
    assert [row["state"] for row in rows(state)] == ["failed", "done"]


async def known(state: Path) -> list[str]:
    """Give the ids in the ledger; none while there is no ledger, or no table in it, yet."""
    try:
        return [row["id"] for row in rows(state)]
    except sqlite3.OperationalError:
        return []


async def found(served: Served, id: str) -> Json:
    runtime = read_runtime(served.home / "state")
    assert runtime is not None
    token = {"Authorization": f"Bearer {runtime.token}"}
    reply = await get(f"{served.url}/api/requests/{id}", token)
    shown: Json = reply.json
    assert reply.status == 200, shown
    return shown


# What keeps it from starting.


async def test_a_port_that_another_holdgate_has_is_exit_3(tmp_path: Path) -> None:
    async with serving(tmp_path / "one") as served:
        port = served.url.rpartition(":")[2]
        done = await gateway(tmp_path / "two", "serve", "--port", port)
        assert (done.code, done.out) == (3, "")
        assert "another Holdgate has it" in done.err and port in done.err
        assert done.err.count("\n") == 1
        assert (await get(served.url + "/healthz")).status == 200


async def test_a_port_that_some_program_has_is_exit_3(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = await gateway(tmp_path, "serve", "--port", port)
    assert (done.code, done.out) == (3, "")
    assert "a program has it" in done.err and done.err.count("\n") == 1


async def test_a_second_one_with_the_same_home_is_exit_4(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        done = await gateway(tmp_path, "serve", "--port", "0")
        assert (done.code, done.out) == (4, "")
        assert served.url in done.err and str(served.process.pid) in done.err
        assert done.err.count("\n") == 1
        assert read_runtime(tmp_path / "state") is not None


async def test_a_wrong_configuration_is_exit_2_with_file_and_line(tmp_path: Path) -> None:
    file = configure(tmp_path, "[server]\nprot = 1\n")
    done = await gateway(tmp_path, "serve", "--port", "0")
    assert (done.code, done.out) == (2, "")
    assert done.err == f'{file}:2: server.prot: no such key; did you mean "port"?\n'
    other = tmp_path / "other.toml"
    other.write_text("[oh\n", encoding="utf-8")
    done = await gateway(tmp_path, "serve", "--config", str(other))
    assert done.code == 2 and done.err.startswith(f"{other}:1: not valid TOML")


async def test_wrong_usage_is_exit_2(tmp_path: Path) -> None:
    for args in (("--port", "x"), ("--port", "70000"), ("--host", "0.0.0.0"), ("--nonsense",)):
        assert (await gateway(tmp_path, "serve", *args)).code == 2
    assert untouched(tmp_path)


async def test_a_broken_file_of_keys_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "keys.json").write_text("{ oh", encoding="utf-8")
    done = await gateway(tmp_path, "serve", "--port", "0")
    assert (done.code, done.out) == (1, "")
    assert "keys.json" in done.err and done.err.count("\n") == 1


async def test_a_state_folder_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file", encoding="utf-8")
    done = await gateway(tmp_path, "serve", "--port", "0")
    assert (done.code, done.out) == (1, "")
    assert str(tmp_path / "state") in done.err and done.err.count("\n") == 1


async def test_an_address_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    for host in ("192.0.2.1", "no.such.host.invalid"):
        done = await gateway(tmp_path, "serve", "--port", "0", "--lan", "--host", host)
        assert (done.code, done.out) == (1, "")
        assert host in done.err and done.err.count("\n") == 1


async def test_other_machines_are_told_of(tmp_path: Path) -> None:
    async with serving(tmp_path, "--lan") as served:
        assert served.out[-2] == "  each of them needs a key: gateway keys add NAME"


# gateway status.


async def test_status_while_it_runs(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url, "concurrency = 1", "rpm = 9"))
        vendor.script(Reply(chunks=[*EVENTS[:3], Until(asyncio.Event())]))
        async with serving(tmp_path, more=KEYS) as served:
            path, upload = asking("chat", stream=True, headers={"User-Agent": "codex_exec/1.0"})
            async with stream(served.url + path, upload=upload) as reply:
                await begin(served, reply)
                done = await gateway(tmp_path, "status")
                assert (done.code, done.err) == (0, "")
                assert served.url in done.out and "1 passing" in done.out
                assert "fake/default" in done.out and "1 of 1" in done.out
                assert "1 of 9" in done.out and "codex" in done.out
                done = await gateway(tmp_path, "status", "--json")
                shown = json.loads(done.out)
                assert shown["address"] == served.url
                assert shown["counts"] == {"waiting": 0, "held": 0, "passing": 1}
                assert shown["requests"][0]["id"] == reply.reply.header("X-Holdgate-Request")
                reply.hang_up()
            await vendor.left(1)
            served.send(signal.SIGTERM)
            assert await served.ended() == 0


async def test_status_when_nothing_runs(tmp_path: Path) -> None:
    for args in ((), ("--json",)):
        done = await gateway(tmp_path, "status", *args)
        assert (done.code, done.out) == (1, "")
        assert "no gateway is running" in done.err and "gateway serve" in done.err
        assert done.err.count("\n") == 1
    assert untouched(tmp_path)


async def test_status_after_kill_9(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        served.send(signal.SIGKILL)
        await served.ended()
    done = await gateway(tmp_path, "status")
    assert (done.code, done.out) == (1, "")
    assert "no gateway" in done.err and done.err.count("\n") == 1


# gateway provider.


async def test_providers_are_listed(tmp_path: Path) -> None:
    done = await gateway(tmp_path, "provider", "list")
    assert done.code == 0 and "no provider yet" in done.out
    configure(tmp_path, provider("http://127.0.0.1:9", "concurrency = 4", "rpm = 60"))
    done = await gateway(tmp_path, "provider", "list")
    assert (done.code, done.err) == (0, "")
    assert "fake" in done.out and "4 at once, 60 a minute" in done.out
    listed = json.loads((await gateway(tmp_path, "provider", "list", "--json")).out)
    (shown,) = listed["providers"]
    assert shown["dialects"] == ["chat", "responses", "messages", "gemini"]
    assert shown["keys"] == [{"name": "default", "on": True, "concurrency": 4, "rpm": 60, "tpm": 0}]


async def test_a_provider_that_answers_passes_the_test(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        done = await gateway(tmp_path, "provider", "test", "fake", more=KEYS)
        assert (done.code, done.err) == (0, "")
        assert [line.split()[:2] for line in done.out.splitlines()] == [
            ["ok", dialect] for dialect in ("chat", "responses", "messages", "gemini")
        ]
        assert {seen.key for seen in vendor.requests} == {VENDOR_KEY}
        done = await gateway(tmp_path, "provider", "test", "fake", "--json", more=KEYS)
        shown = json.loads(done.out)
        assert (shown["provider"], shown["passed"], len(shown["tests"])) == ("fake", True, 4)


async def test_a_provider_that_fails_the_test_is_exit_1(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url))
        vendor.script(Reply(401, json={"error": {"message": f"bad key {VENDOR_KEY}"}}))
        done = await gateway(tmp_path, "provider", "test", "fake", more=KEYS)
        assert done.code == 1
        first, *others = done.out.splitlines()
        assert first.startswith("FAIL") and "401" in first and VENDOR_KEY not in done.out
        assert all(line.startswith("ok") for line in others) and len(others) == 3


async def test_a_provider_at_a_dead_port_is_exit_1(tmp_path: Path) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    configure(tmp_path, provider(f"http://127.0.0.1:{port}", dialects=("chat",)))
    done = await gateway(tmp_path, "provider", "test", "fake", more=KEYS)
    assert done.code == 1
    assert "no reply" in done.out and "refused" in done.out and str(port) in done.out
    configure(tmp_path, provider(f"http://127.0.0.1:{port}", dialects=("chat",), models="[]"))
    done = await gateway(tmp_path, "provider", "test", "fake", more=KEYS)
    assert done.code == 1 and "Traceback" not in done.err


async def test_a_provider_without_its_key_or_its_name_is_told(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        configure(tmp_path, provider(vendor.url, dialects=("chat",)))
        env = environ(tmp_path)
        assert "FAKE_KEY" not in env
        done = await gateway(tmp_path, "provider", "test", "fake")
        assert done.code == 1 and "FAKE_KEY" in done.out
        done = await gateway(tmp_path, "provider", "test", "faek", more=KEYS)
        assert done.code == 2 and "did you mean fake?" in done.err
        assert vendor.requests == []
