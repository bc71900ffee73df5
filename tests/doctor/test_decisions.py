"""What the doctor decides from facts, by tables."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdgate.core.autostart import Status
from holdgate.core.doctor.clocks import Told, examine_clock, told_by
from holdgate.core.doctor.configuration import Configuration, examine_configuration
from holdgate.core.doctor.exposure import answering, exposure
from holdgate.core.doctor.files import FileFact, FolderFact, folder, ledger, readable
from holdgate.core.doctor.finding import Examined, as_json, fail, note, ok, warn
from holdgate.core.doctor.machine import autostart, disk, file_limit, tray
from holdgate.core.doctor.port import Port, judged, listening_inodes, port_of_ours
from holdgate.core.doctor.running import Running, examine_running
from holdgate.core.store.instance import Runtime
from holdgate.core.values.settings import Key, Model, Provider, Route, Server, Settings

RUNTIME = Runtime("http://127.0.0.1:4653", 7, "token", "0.1.0", "/h/config.toml")
CONFIG, LOG, HOME = Path("/h/config.toml"), Path("/h/log"), Path("/h/state")
PROVIDER = Provider("fake", chat="http://127.0.0.1:1/v1", keys=(Key(),), models=(Model("m"),))


@pytest.mark.parametrize(
    ("most", "states"),
    [(None, []), (256, ["warn"]), (1024, ["note"]), (4096, ["ok"]), (65_536, ["ok"])],
)
def test_file_limits(most: int | None, states: list[str]) -> None:
    assert [each.state for each in file_limit(most)] == states


@pytest.mark.parametrize(
    ("free", "states"),
    [(None, []), (10**7, ["fail"]), (10**8, ["warn"]), (10**10, ["ok"])],
)
def test_disks(free: int | None, states: list[str]) -> None:
    assert [each.state for each in disk(HOME, free)] == states


def test_trays_and_starts_at_login() -> None:
    assert [tray(why).state for why in (None, "", "no screen")] == ["ok", "ok", "note"]
    assert autostart(Status(False)).state == "ok"
    assert autostart(Status(True, kind="unit", command="gateway serve")).state == "ok"
    stale = autostart(Status(True, note="it starts another copy"))
    assert (stale.state, stale.todo) == ("warn", "gateway autostart on")


def test_folders() -> None:
    good = folder(FolderFact("state", HOME, HOME, writable=True))
    bad = folder(FolderFact("state", HOME, Path("/h"), writable=False))
    assert good.state == "ok"
    assert bad.state == "fail" and "chmod u+rwx /h" in bad.todo


@pytest.mark.parametrize(
    ("mode", "secret", "states"),
    [
        (None, True, []),
        (0o600, True, ["ok"]),
        (0o644, False, ["ok"]),
        (0o644, True, ["warn"]),
        (0o620, True, ["warn"]),
    ],
)
def test_who_may_read(mode: int | None, secret: bool, states: list[str]) -> None:
    found = readable(FileFact("config file", Path("/h/a b.toml"), mode, secret))
    assert [each.state for each in found] == states
    assert all(each.todo == "chmod 600 '/h/a b.toml'" for each in found if each.state == "warn")


def test_ledgers() -> None:
    assert ledger(HOME, None) == ()
    assert ledger(HOME, "")[0].state == "ok"
    assert ledger(Path("/h/l.sqlite3"), "malformed")[0].todo.startswith("end the gateway, then: mv")


@pytest.mark.parametrize(
    ("port", "state", "words"),
    [
        (Port("127.0.0.1", 4653, "free"), "ok", "is free"),
        (Port("127.0.0.1", 4653, "taken"), "fail", "another program"),
        (Port("127.0.0.1", 4653, "taken", holder="nc (process 5)"), "fail", "nc (process 5)"),
        (Port("127.0.0.1", 4653, "taken", holdgate=True), "fail", "another Holdgate's"),
        (Port("127.0.0.1", 80, "forbidden", why="no"), "fail", "may not be had"),
        (Port("10.9.9.9", 4653, "no address", why="no"), "fail", "no address of this machine"),
    ],
)
def test_ports(port: Port, state: str, words: str) -> None:
    found = judged(port, HOME)
    assert found.state == state and words in found.found
    assert bool(found.todo) == (state != "ok")


def test_the_port_of_a_gateway_that_runs() -> None:
    running = Running(RUNTIME, True)
    assert port_of_ours(Server(port=4653), running).state == "ok"
    assert port_of_ours(Server(port=0), running).state == "ok"
    assert port_of_ours(Server(port=4700), running).state == "note"


def test_who_listens_is_read_from_the_system() -> None:
    rows = (
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid to inode\n"
        "   0: 0100007F:122D 00000000:0000 0A 00000000:00000000 00:00000000 0 1000 0 12345 1 x\n"
        "   1: 0100007F:122D 0100007F:9999 01 00000000:00000000 00:00000000 0 1000 0 6789 1 x\n"
        "   2: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 0 0 0 111 1 x\n"
    )
    assert listening_inodes(rows, 4653) == {"12345"}
    assert listening_inodes("", 4653) == frozenset()


@pytest.mark.parametrize(
    ("change", "name", "state"),
    [
        ({}, "gateway", "ok"),
        ({"version": "9.9.9"}, "its version", "warn"),
        ({"config": "/other.toml"}, "its configuration", "warn"),
        ({"config": ""}, "its configuration", "ok"),
    ],
)
def test_what_runs(change: Mapping[str, Any], name: str, state: str) -> None:
    running = Running(replace(RUNTIME, **change), True, True, {"uptime": 3.0}, {"fake": {}})
    found = {e.name: e.state for e in examine_running(running, CONFIG, frozenset({"fake"}), LOG)}
    assert found[name] == state


def test_what_a_gateway_says_of_itself() -> None:
    lanes: list[dict[str, Any]] = [
        {"provider": "fake", "key": "a", "rest": {"why": "refused"}},
        {"provider": "fake", "key": "b", "rest": None},
    ]
    status = {"uptime": 1, "paused": {"until": 1}, "lanes": lanes, "last_error": "it\nbroke"}
    running = Running(RUNTIME, True, True, status, {})
    found = {each.name: each for each in examine_running(running, CONFIG, frozenset({"new"}), LOG)}
    assert found["pause"].todo == "gateway resume"
    assert found["resting key"].todo == "gateway provider test fake"
    assert found["last error"].found == "it broke"
    assert "new" in found["its configuration"].found


@pytest.mark.parametrize(
    ("running", "state"),
    [
        (None, "note"),
        (Running(RUNTIME, False, False), "note"),
        (Running(RUNTIME, False, True), "fail"),
        (Running(RUNTIME, False, None), "fail"),
    ],
)
def test_gateways_that_do_not_answer(running: Running | None, state: str) -> None:
    assert [e.state for e in examine_running(running, CONFIG, None, LOG)] == [state]


@pytest.mark.parametrize(
    ("server", "keys", "states"),
    [
        (Server(), 0, ["ok"]),
        (Server(host="0.0.0.0", lan=True), 0, ["warn"]),
        (Server(host="0.0.0.0", lan=True), 2, ["note"]),
        (Server(trust_forwarded=True), 0, ["ok", "warn"]),
        (Server(trust_forwarded=True), 1, ["ok", "note"]),
    ],
)
def test_who_can_reach_it(server: Server, keys: int, states: list[str]) -> None:
    found = exposure(server, keys, ["192.168.1.20", "fd00::1"])
    assert [each.state for each in found] == states
    if server.lan:
        assert "http://192.168.1.20:4653, http://[fd00::1]:4653" in found[0].found


def test_a_gateway_that_was_started_for_others_too() -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = sock.getsockname()[1]
        assert answering(["127.0.0.1"], port) == ("127.0.0.1",)
    assert answering(["127.0.0.1"], port) == ()
    (found,) = exposure(Server(), 0, ["10.0.0.9"], served_at=14653)
    assert found.state == "warn" and "http://10.0.0.9:14653" in found.found
    assert "serve --lan" in found.found and "lan = true" not in found.found


@pytest.mark.parametrize(
    ("candidates", "provider", "state"),
    [
        (("fake/m",), PROVIDER, "ok"),
        (("fake/other",), PROVIDER, "fail"),
        (("fake/m", "gone/m"), PROVIDER, "warn"),
        (("fake/anything",), replace(PROVIDER, models=None), "ok"),
        (("fake/m",), replace(PROVIDER, keys=(Key(on=False),)), "fail"),
    ],
)
def test_routes(candidates: tuple[str, ...], provider: Provider, state: str) -> None:
    route = Route("coder", candidates)
    settings = Settings(providers={"fake": provider}, routes={"coder": route})
    found = examine_configuration(Configuration(CONFIG, True, settings))
    assert [each.state for each in found] == ["ok", state]


def test_no_configuration_yet() -> None:
    for exists in (True, False):
        found = examine_configuration(Configuration(CONFIG, exists, Settings()))
        assert [each.state for each in found] == ["note"]


@pytest.mark.parametrize(
    ("told", "doubted", "state"),
    [
        ([], [], "note"),
        ([], ["its certificate has expired; is this machine's clock right?"], "warn"),
        ([Told("a", 3.0, False)], [], "ok"),
        ([Told("a", 90.0, False)], [], "warn"),
        ([Told("a", -3000.0, False)], [], "fail"),
        # One vendor's own clock may be wrong; that of a program here says nothing.
        ([Told("a", -3000.0, False), Told("b", 1.0, False)], [], "ok"),
        ([Told("a", -3000.0, False), Told("ollama", 0.0, True)], [], "fail"),
        ([Told("ollama", 0.0, True)], [], "ok"),
    ],
)
def test_clocks(told: list[Told], doubted: list[str], state: str) -> None:
    assert [each.state for each in examine_clock(told, doubted)] == [state]


def test_dates_of_vendors() -> None:
    told = told_by("a", "Thu, 01 Jan 1970 00:02:00 GMT", 99.0, 101.0, local=False)
    assert told == Told("a", 20.5, False)
    assert told_by("a", "yesterday", 0.0, 0.0, local=False) is None


def test_the_shape_of_json() -> None:
    findings = (ok("a", "x"), note("b", "x"), warn("c", "x", "y"), fail("d", "x", "y"))
    shape = as_json([Examined("files", findings)], "0.1.0")
    assert (shape["version"], shape["failed"], shape["warned"]) == ("0.1.0", 1, 1)
    checks = shape["checks"]
    assert isinstance(checks, list) and len(checks) == 4
    assert checks[2] == {
        "group": "files", "name": "c", "state": "warn", "found": "x", "todo": "y",
    }  # fmt: skip
    assert checks[0]["todo"] is None


@pytest.mark.parametrize(
    ("provider", "secret"),
    [
        (PROVIDER, False),
        (replace(PROVIDER, keys=(Key("a", "env:X"),)), False),
        (replace(PROVIDER, keys=(Key("a", "sk-literal"),)), True),
        (replace(PROVIDER, headers=(("x-team", "a"),)), False),
        (replace(PROVIDER, headers=(("x-auth", "a"),)), True),
        (replace(PROVIDER, proxy="http://p:1"), False),
        (replace(PROVIDER, proxy="http://me:pw@p:1"), True),
    ],
)
def test_secrets_in_the_configuration(provider: Provider, secret: bool) -> None:
    found = Configuration(CONFIG, True, Settings(providers={"fake": provider}))
    assert found.has_key is secret
