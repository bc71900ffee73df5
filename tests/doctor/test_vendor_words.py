"""What the doctor says of vendors, agents and variables, by tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import trustme

from holdgate.core.agents.base import Agent, Edit, Machine, Wish
from holdgate.core.agents.journal import FileRecord, Journal
from holdgate.core.doctor.authorities import examine_authorities
from holdgate.core.doctor.looking import Looked
from holdgate.core.doctor.trying_agent import Answer, Trial, headers_of
from holdgate.core.doctor.variables import (
    Variables,
    examine_addresses,
    examine_proxies,
    origin_of,
    points_here,
    rivals,
    variables_of,
)
from holdgate.core.doctor.vendor_words import (
    Answers,
    Asked,
    Listed,
    file_fact,
    key_finding,
    list_finding,
    request_findings,
    way_finding,
    way_findings,
)
from holdgate.core.doctor.wired import judged
from holdgate.core.traffic.recognise import recognise_agent
from holdgate.core.values.settings import Key, Model, Provider
from tests.relay.reaching import pem_of

URL = "http://127.0.0.1:4653"
PROVIDER = Provider("fake", chat="https://api.vendor.test/v1", models=(Model("m"),))
ENV_KEY = Key("home", "env:FAKE_KEY")
GOOD = Asked("home", "chat", "m", 3, 200, "")
NOT_SET = "the environment variable FAKE_KEY is not set; set it where the gateway is started"
TRIAL = Trial("kimi-code", "chat", URL, "coder")


def _variables(wish: Wish, machine: Machine) -> Mapping[str, str]:
    del machine
    whole = f'{{"url": "{wish.url}"}}'
    return {
        "X_BASE": f"{wish.url}/v1",
        "X_ALL": whole,
        "X_KEY": wish.key,
        "X_MODEL": wish.model,
        "X_RIVAL": "",
    }


AGENT = Agent("x", "X Agent", ("x",), "chat", "made up", variables=_variables)


def machine(**environ: str) -> Machine:
    return Machine("linux", Path("/home/me"), environ)


# Keys.


@pytest.mark.parametrize(
    ("key", "missing", "tests", "state"),
    [
        (replace(ENV_KEY, on=False), "", Answers(), "note"),
        (Key(), "", Answers(), "ok"),
        (ENV_KEY, "", Answers(), "ok"),
        (ENV_KEY, NOT_SET, Answers(), "fail"),
        # Not set here, but where the gateway runs.
        (ENV_KEY, NOT_SET, Answers((GOOD,), by_gateway=True), "note"),
        # Set here, but not there.
        (ENV_KEY, "", Answers((replace(GOOD, reason=NOT_SET),), by_gateway=True), "fail"),
        (Key("home", "sk-literal-key"), "", Answers(), "ok"),
    ],
)
def test_keys(key: Key, missing: str, tests: Answers, state: str) -> None:
    found = key_finding("fake", key, missing, tests, None)
    assert [each.state for each in found] == [state]
    assert "sk-literal" not in found[0].found


def test_key_files_that_others_may_read() -> None:
    key = Key("home", "file:/k/fake")
    found = key_finding("fake", key, "", Answers(), file_fact(key, Path("/k/fake"), 0o644))
    assert [each.state for each in found] == ["ok", "warn"]
    assert found[1].todo == "chmod 600 /k/fake"


# The way there.


@pytest.mark.parametrize(
    ("provider", "proxy", "environ", "words"),
    [
        (PROVIDER, "", {}, "no proxy is set"),
        (replace(PROVIDER, proxy="direct"), "", {}, 'proxy = "direct"'),
        (PROVIDER, "", {"HTTPS_PROXY": "p:1"}, "NO_PROXY leaves it out"),
        (PROVIDER, "http://u:secret@p:1", {"HTTPS_PROXY": "p:1"}, "by this shell's environment"),
        (replace(PROVIDER, proxy="http://p:1"), "http://p:1", {}, "by its own `proxy`"),
        (PROVIDER, "http://p:1", {}, "by the system's settings"),
    ],
)
def test_proxies_of_vendors(
    provider: Provider, proxy: str, environ: Mapping[str, str], words: str
) -> None:
    found = way_finding(PROVIDER.chat, provider, proxy, environ)
    assert words in found.found and "secret" not in found.found


def test_ways() -> None:
    good = Looked(PROVIDER.chat, "api.vendor.test", ("192.0.2.7",), tls="TLSv1.3", issuer="CA Ltd")
    cases = (
        (good, ["ok", "ok"]),
        (replace(good, issuer="Zscaler Inc."), ["ok", "note"]),
        (replace(good, tls="", issuer=""), ["ok", "warn"]),
        (replace(good, no_way="cannot reach it: refused; is the port right?"), ["ok", "fail"]),
        (replace(good, addresses=(), no_name="it is not found (DNS); is it spelt?"), ["fail"]),
        (Looked("http://127.0.0.1:1/v1", "127.0.0.1", ("127.0.0.1",)), ["ok"]),
    )
    for looked, states in cases:
        assert [each.state for each in way_findings("fake", looked)] == states
    refused = way_findings("fake", cases[3][0])[1]
    assert (refused.found, refused.todo) == ("cannot reach it: refused", "is the port right?")


@pytest.mark.parametrize(
    ("models", "listed", "state"),
    [
        (None, Listed(("m", "n")), "ok"),
        (None, Listed(error="HTTP 500 instead of one"), "fail"),
        ((Model("m"),), Listed(error="HTTP 404 instead of one"), "note"),
        ((Model("m"),), Listed(("m",)), "ok"),
        ((Model("mine", "gone"),), Listed(("m",)), "note"),
        ((Model("m"),), None, "note"),
    ],
)
def test_lists(models: tuple[Model, ...] | None, listed: Listed | None, state: str) -> None:
    found = list_finding(replace(PROVIDER, models=models), listed, Answers())
    assert [each.state for each in found] == [state]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "another key"), (402, "pay"), (404, "--model MODEL"), (429, "limited"),
        (500, "gateway provider test fake"), (None, "gateway provider test fake"),
    ],
)  # fmt: skip
def test_requests_that_failed(status: int | None, words: str) -> None:
    bad = replace(GOOD, status=status, reason="it said no")
    (found,) = request_findings("fake", Answers((bad,)))
    assert words in found.todo
    assert found.state == ("warn" if status == 429 else "fail")
    beside = request_findings("fake", Answers((GOOD, replace(bad, dialect="messages"))))
    assert [each.state for each in beside] == ["ok", "warn"]


def test_requests_that_could_not_be_made() -> None:
    assert [e.state for e in request_findings("fake", Answers((GOOD,), error="no time"))] == [
        "ok", "fail",
    ]  # fmt: skip


# Agents.


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (Answer(200, recognised="kimi-code", by="fake/m"), "ok"),
        (Answer(200, recognised="aider"), "warn"),
        (Answer(404, "no such model"), "fail"),
        (Answer(502, "the vendor is down"), "fail"),
        (Answer(200, "an error in spite of it"), "fail"),
        (Answer(None, "no answer within 11s"), "fail"),
        (Answer(None, "no answer within 11s", waits="waits for fake"), "note"),
    ],
)
def test_answers_to_agents(answer: Answer, state: str) -> None:
    assert judged(TRIAL, answer).state == state


@pytest.mark.parametrize("name", ["claude-code", "codex", "gemini-cli", "kimi-code", "aider"])
def test_agents_are_known_by_what_they_send(name: str) -> None:
    sent = {k.lower(): v for k, v in headers_of(replace(TRIAL, agent=name)).items()}
    assert recognise_agent(sent, [sent["authorization"].removeprefix("Bearer ")]) == name


def test_agents_send_the_key_of_their_files() -> None:
    edits = (Edit(("url",), f"{URL}/v1"), Edit(("provider",), {"key": ["hgk-12345678-abc"]}))
    record = FileRecord(Path("/f"), "json", None, (), (), edits)
    journal = Journal("kimi-code", "connected", URL, {"": "coder"}, (record,))
    sent = headers_of(replace(TRIAL, journal=journal))
    assert sent["Authorization"] == "Bearer hgk-12345678-abc"


# Variables.


def test_variables_are_read_off_recipes() -> None:
    assert variables_of(AGENT, machine()) == Variables(
        ("X_BASE",), ("X_KEY",), ("X_MODEL",), ("X_RIVAL",)
    )


@pytest.mark.parametrize(
    ("base", "here"),
    [
        (f"{URL}/v1", True),
        ("http://localhost:4653", True),
        ("http://127.0.0.1:4654/v1", False),
        ("https://api.openai.com/v1", False),
        ("", False),
    ],
)
def test_agents_that_the_environment_points_here(base: str, here: bool) -> None:
    assert points_here(AGENT, machine(X_BASE=base), URL) is here
    assert not points_here(AGENT, machine(X_BASE=base), "")


def test_rivals() -> None:
    shell = machine(X_BASE="https://user:secret@api.openai.com/v1", X_RIVAL="1")
    found = rivals(AGENT, shell, URL, [])
    assert [each.state for each in found] == ["warn", "warn"]
    assert found[0].todo.startswith("unset X_BASE") and "secret" not in found[0].found
    assert found[1].todo.startswith("unset X_RIVAL")
    # What the agent's own files set goes before the environment.
    assert rivals(AGENT, shell, URL, ["X_BASE", "X_RIVAL"]) == ()
    assert rivals(AGENT, machine(X_BASE=f"{URL}/v1"), URL, []) == ()


@pytest.mark.parametrize(
    ("base", "url", "words"),
    [
        (f"{URL}/v1", URL, ""),
        (f"{URL}/v1", "", "no gateway is running"),
        (f"{URL}/v1", "http://127.0.0.1:4700", "but the gateway is at"),
        # A local server of another kind, and a vendor: whoever set that knows why.
        ("http://127.0.0.1:11434/v1", URL, ""),
        ("https://api.openai.com/v1", URL, ""),
        ("", URL, ""),
    ],
)
def test_addresses_where_no_gateway_is(base: str, url: str, words: str) -> None:
    found = examine_addresses([AGENT, AGENT], machine(X_BASE=base), url, (4653, 4653))
    assert [each.state for each in found] == (["warn"] if words else [])
    assert all(words in each.found for each in found)


def test_authorities_of_no_use(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("no certificate", encoding="utf-8")
    good = pem_of(trustme.CA(), tmp_path)
    for place, states in ((broken, ["warn"]), (tmp_path / "gone.pem", ["warn"]), (good, [])):
        found = examine_authorities({"NODE_EXTRA_CA_CERTS": str(place)})
        assert [each.state for each in found] == states
    assert examine_authorities({"SSL_CERT_FILE": ""}) == ()


def test_origins() -> None:
    assert origin_of("https://a.test/x") == ("a.test", 443)
    assert origin_of("[::1]:4653") == ("127.0.0.1", 4653)
    assert origin_of("http://a.test:x") is None
    assert origin_of("") is None


@pytest.mark.parametrize(
    ("environ", "state"),
    [
        ({}, "ok"),
        ({"HTTP_PROXY": "http://u:secret@p:1"}, "warn"),
        ({"https_proxy": "http://p:1", "NO_PROXY": "corp.test"}, "warn"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "127.0.0.1,localhost"}, "ok"),
        ({"ALL_PROXY": "socks5://p:1", "no_proxy": "*"}, "ok"),
    ],
)
def test_proxies_between_agents_and_the_gateway(environ: Mapping[str, str], state: str) -> None:
    (found,) = examine_proxies(environ, 4653)
    assert found.state == state and "secret" not in found.found + found.todo
    if environ.get("NO_PROXY") == "corp.test":
        assert "NO_PROXY=corp.test,127.0.0.1,localhost" in found.todo
