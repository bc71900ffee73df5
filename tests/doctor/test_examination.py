"""The doctor at real homes: a healthy one, and one broken in one way for each check."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from holdgate.core.agents.base import Machine, Wish
from holdgate.core.agents.journal import FOLDER
from holdgate.core.agents.recipes.table import AGENTS
from holdgate.core.agents.wiring import Wiring
from holdgate.core.config.places import find_places
from holdgate.core.doctor import Finding, Scene, examine
from holdgate.core.doctor.aside import aside
from holdgate.core.doctor.examination import NoSuchName
from holdgate.core.doctor.trying_agent import Trial, try_agent
from holdgate.core.editing.table import EDITORS
from holdgate.core.store.callers import GatewayKeys
from holdgate.core.store.instance import RUNTIME_NAME
from holdgate.core.store.ledger import FILE_NAME as LEDGER
from holdgate.core.values.clock import system_clock
from tests.cli.serving import configure as written
from tests.cli.serving import untouched
from tests.fakes.vendor import FakeVendor, Reply
from tests.journeys.gateway import ENVIRON, VENDOR_KEY, done, provider, running
from tests.relay.reaching import pem_of, tls_of

ROUTE = '[server]\nport = 0\n[routes.coder]\ncandidates = ["fake/fake-model"]\n'
AGENT = "kimi-code"
# Nothing listens at port 1, and connecting to it fails at once.
DEAD = "http://127.0.0.1:1"


def scene(home: Path, environ: Mapping[str, str] = ENVIRON, *, only: str = "") -> Scene:
    """Give the scene of a person whose files all lie below `home`."""
    told = {"HOME": str(home), "HOLDGATE_HOME": str(home), **environ}
    return Scene(find_places(told), Machine("linux", home, told), system_clock(), "", only=only)


async def found(looked: Scene) -> dict[str, Finding]:
    """Examine, and give the findings by `group: name`; no secret stands in any."""
    groups = await examine(looked, lambda group: None)
    findings = {f"{group.group}: {e.name}": e for group in groups for e in group.findings}
    assert VENDOR_KEY not in str(findings)
    assert all(e.todo for e in findings.values() if e.state in ("warn", "fail"))
    return findings


def not_ok(findings: Mapping[str, Finding]) -> dict[str, str]:
    return {name: each.state for name, each in findings.items() if each.state != "ok"}


def configure(home: Path, text: str, mode: int = 0o600) -> Path:
    file = written(home, text)
    file.chmod(mode)
    return file


def connect(home: Path, url: str, model: str = "coder") -> None:
    """Point an agent at `url`."""
    looked = scene(home)
    wish = Wish(url, f"holdgate-{AGENT}", {"": model})
    Wiring(looked.places.state, EDITORS).connect(AGENTS[AGENT], wish, looked.machine)


@asynccontextmanager
async def held_port() -> AsyncIterator[int]:
    """Hold a port of 127.0.0.1 by a program that is no gateway."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])


async def test_a_healthy_home(tmp_path: Path) -> None:
    async with (
        FakeVendor() as vendor,
        running(tmp_path, ROUTE + provider(vendor.url)) as gateway,
    ):
        connect(tmp_path, gateway.url)
        findings = await found(scene(tmp_path))
        # Whether this machine has them is not the home's matter.
        gone = {"gateway: IPv6 loopback", "machine: file limit", "machine: disk"}
        assert set(not_ok(findings)) <= gone
        assert "answered by fake/fake-model, known as kimi-code" in (
            findings[f"agent {AGENT}: request"].found
        )
        assert {f"provider fake: request {d}" for d in ("chat", "messages")} <= set(findings)
        assert findings["clock: clock"].found == "as fake's"
        asked = [each["agent"] for each in (await gateway.control("/api/requests"))["requests"]]
        assert asked == [AGENT]


async def test_nothing_is_written(tmp_path: Path) -> None:
    findings = await found(scene(tmp_path))
    assert findings["gateway: gateway"].todo == "gateway serve"
    assert findings["configuration: config.toml"].state == "note"
    # Somebody who works on this may have a gateway of their own at the usual port.
    assert "fail" not in (not_ok(findings) | {"gateway: port": ""}).values()
    assert untouched(tmp_path)


async def test_a_ledger_that_nobody_has_open_is_left_alone(tmp_path: Path) -> None:
    async with running(tmp_path, ""):
        pass
    state = scene(tmp_path).places.state
    before = sorted(os.listdir(state))
    findings = await found(scene(tmp_path))
    assert findings["files: ledger"].state == "ok"
    assert sorted(os.listdir(state)) == before and LEDGER in before


async def test_a_port_that_another_program_holds(tmp_path: Path) -> None:
    async with held_port() as port:
        configure(tmp_path, f"[server]\nport = {port}\n")
        finding = (await found(scene(tmp_path)))["gateway: port"]
        assert finding.state == "fail" and f"gateway serve --port {port + 10}" in finding.todo
        if sys.platform == "linux":
            assert f"(process {os.getpid()})" in finding.found


async def test_a_port_that_another_holdgate_holds(tmp_path: Path) -> None:
    async with running(tmp_path / "one") as other:
        port = int(other.url.rpartition(":")[2])
        configure(tmp_path / "two", f"[server]\nport = {port}\n")
        finding = (await found(scene(tmp_path / "two")))["gateway: port"]
        assert finding.state == "fail" and "another Holdgate's" in finding.found


async def test_a_wrong_key_and_a_dead_vendor(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        vendor.script(Reply(401), Reply(401), key=VENDOR_KEY)
        dead = provider(DEAD, name="dead", dialects=("chat",))
        configure(tmp_path, provider(vendor.url, dialects=("chat",)) + dead)
        findings = await found(scene(tmp_path))
        assert findings["provider fake: connection"].state == "ok"
        assert findings["provider fake: request chat"].state == "fail"
        assert "another key" in findings["provider fake: request chat"].todo
        assert findings["provider dead: connection"].state == "fail"
        # What cannot be reached is not asked, and its key is well for all that is known.
        assert "provider dead: request chat" not in findings
        assert findings["provider dead: key default"].state == "ok"


async def test_a_key_that_is_not_here(tmp_path: Path) -> None:
    async with FakeVendor() as vendor:
        config = provider(vendor.url, dialects=("chat",))
        configure(tmp_path, config)
        alone = await found(scene(tmp_path, {}, only="fake"))
        assert alone["provider fake: key default"].state == "fail"
        async with running(tmp_path, config):
            served = await found(scene(tmp_path, {}, only="fake"))
            assert served["provider fake: key default"].state == "note"
            assert served["provider fake: request chat"].state == "ok"


async def test_a_vendor_behind_tls(tmp_path: Path) -> None:
    authority = trustme.CA(organization_name="Corp Ltd")
    async with FakeVendor(tls=tls_of(authority.issue_cert("127.0.0.1"))) as vendor:
        unknown = provider(vendor.url, name="unknown", dialects=("chat",))
        known = provider(vendor.url, f"ca = '{pem_of(authority, tmp_path)}'", dialects=("chat",))
        configure(tmp_path, known + unknown)
        findings = await found(scene(tmp_path))
        assert "certificate by Corp Ltd" in findings["provider fake: connection"].found
        assert findings["provider fake: request chat"].state == "ok"
        refused = findings["provider unknown: connection"]
        assert refused.state == "fail" and "name its authority's PEM file as `ca`" in refused.todo


async def test_stale_wiring_and_half_wiring(tmp_path: Path) -> None:
    async with running(tmp_path, ROUTE + provider(DEAD)):
        connect(tmp_path, "http://127.0.0.1:2")
        stale = await found(scene(tmp_path, only=AGENT))
        assert stale[f"agent {AGENT}: wiring"].state == "fail"
        assert f"gateway connect {AGENT}" in stale[f"agent {AGENT}: wiring"].todo
        # It asks here all the same: what the vendor says is told, too.
        assert stale[f"agent {AGENT}: request"].state == "fail"

        journal = scene(tmp_path).places.state / FOLDER / f"{AGENT}.json"
        shape = json.loads(journal.read_text(encoding="utf-8"))
        journal.write_text(json.dumps({**shape, "phase": "connecting"}), encoding="utf-8")
        half = await found(scene(tmp_path, only=AGENT))
        assert half[f"agent {AGENT}: wiring"].todo.startswith(f"gateway disconnect {AGENT}")
        assert f"agent {AGENT}: request" not in half
        assert json.loads(journal.read_text(encoding="utf-8"))["phase"] == "connecting"


async def test_an_agent_whose_model_is_gone_and_whose_gateway_is_off(tmp_path: Path) -> None:
    configure(tmp_path, ROUTE + provider(DEAD))
    connect(tmp_path, "http://127.0.0.1:2", "no-such-model")
    findings = await found(scene(tmp_path, only=AGENT))
    assert findings[f"agent {AGENT}: model"].state == "warn"
    assert findings[f"agent {AGENT}: request"].todo == "gateway serve"


async def test_variables_of_this_shell(tmp_path: Path) -> None:
    configure(tmp_path, ROUTE)
    connect(tmp_path, "http://127.0.0.1:2")
    shell = {"HTTP_PROXY": "http://me:pw-51d0@p:1", "KIMI_MODEL_BASE_URL": "https://a.test/v1"}
    findings = await found(scene(tmp_path, shell))
    assert findings["network: proxies"].todo.startswith("export NO_PROXY=127.0.0.1,localhost")
    assert "unset KIMI_MODEL_BASE_URL" in findings[f"agent {AGENT}: environment"].todo
    assert "pw-51d0" not in str(findings)


async def test_an_agent_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".kimi-code").mkdir()
    async with (
        FakeVendor() as vendor,
        running(tmp_path, ROUTE + provider(vendor.url, dialects=("messages",))) as gateway,
    ):
        shell = {"KIMI_MODEL_BASE_URL": f"{gateway.url}/v1", "KIMI_MODEL_NAME": "coder"}
        findings = await found(scene(tmp_path, {**ENVIRON, **shell}, only="kimi"))
        assert findings[f"agent {AGENT}: request"].state == "ok"
        unwired = await found(scene(tmp_path))
        assert AGENT in unwired["other agents: not wired"].found


async def test_the_lan_and_files_that_others_may_read(tmp_path: Path) -> None:
    literal = provider(DEAD, key='key = "literal-4f1c9a7e55d0"')
    file = configure(tmp_path, "[server]\nport = 0\nlan = true\n" + literal, 0o644)
    looked = replace(scene(tmp_path), offline=True)
    findings = await found(looked)
    assert findings["network: reach"].state == "warn"
    assert findings["files: config file"].todo == f"chmod 600 {file}"
    assert "literal-4f1c9a7e55d0" not in str(findings)
    assert "provider fake: connection" not in findings and "clock: clock" not in findings

    GatewayKeys(looked.places.state, lambda: 0.0).add("phone")
    file.chmod(0o600)
    findings = await found(looked)
    assert findings["network: reach"].state == "note"
    assert findings["files: config file"].state == "ok"


async def test_a_broken_configuration_beside_a_running_gateway(tmp_path: Path) -> None:
    async with FakeVendor() as vendor, running(tmp_path, provider(vendor.url)) as gateway:
        gateway.config_file.write_text("[providers.fake]\nno_such = 1\n[", encoding="utf-8")
        findings = await found(scene(tmp_path))
        assert findings["configuration: config.toml"].state == "fail"
        assert findings["gateway: gateway"].state == "ok"
        assert findings["provider fake: request chat"].state == "ok"


async def test_what_a_killed_gateway_left(tmp_path: Path) -> None:
    state = scene(tmp_path).places.state
    state.mkdir()
    told = {"url": DEAD, "pid": 2**22 + 1, "token": "t", "version": "0"}
    (state / RUNTIME_NAME).write_text(json.dumps(told), encoding="utf-8")
    (state / LEDGER).write_text("this is no ledger" * 100, encoding="utf-8")
    findings = await found(scene(tmp_path))
    assert "without a goodbye" in findings["gateway: gateway"].found
    assert findings["files: ledger"].state == "fail"


async def test_names_that_nobody_has(tmp_path: Path) -> None:
    configure(tmp_path, provider(DEAD))
    with pytest.raises(NoSuchName) as caught:
        await found(scene(tmp_path, only="fak"))
    assert caught.value.known == ("fake",)


async def test_a_gateway_that_hangs_up(tmp_path: Path) -> None:
    async with held_port() as port:
        state = scene(tmp_path).places.state
        state.mkdir()
        url = f"http://127.0.0.1:{port}"
        told = {"url": url, "pid": os.getpid(), "token": "t", "version": "0"}
        (state / RUNTIME_NAME).write_text(json.dumps(told), encoding="utf-8")
        finding = (await found(scene(tmp_path)))["gateway: gateway"]
        assert finding.state == "fail" and "does not answer" in finding.found


async def test_an_agent_that_stands_in_the_queue(tmp_path: Path) -> None:
    async with running(tmp_path, provider(DEAD, dialects=("chat",))) as gateway:
        await done(gateway, "/api/pause")
        trial = Trial(AGENT, "chat", gateway.url, "fake/fake-model")
        answer = await asyncio.to_thread(try_agent, trial, gateway.state, 0.3)
        assert (answer.status, answer.waits) == (None, "waits for fake")


async def test_what_blocks_is_not_waited_for() -> None:
    over = threading.Event()
    with pytest.raises(TimeoutError):
        await aside(over.wait, 0.01)
    over.set()
    with pytest.raises(ZeroDivisionError):
        await aside(lambda: 1 // 0, 5.0)
    assert await aside(lambda: "found", 5.0) == "found"
