"""A real gateway for journeys: in its own thread, on a free port, with a home of its own."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from holdgate.core.config.load import load_file
from holdgate.core.config.places import Places, find_places
from holdgate.core.host import Gateway, Options
from holdgate.core.store.instance import RUNTIME_NAME, Instance, read_runtime
from holdgate.core.store.ledger import FILE_NAME as LEDGER
from holdgate.core.store.logs import FILE_NAME as LOG
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Settings
from tests.fakes import vendor
from tests.fakes.agents import RawReply, Upload, get, post

Json = dict[str, Any]
T = TypeVar("T")

# Secrets of these journeys; none of them may stand in the log or in the ledger.
VENDOR_KEY = "vendor-secret-4f1c9a7e55d0"
SECOND_KEY = "vendor-secret-82b6d03fa1c7"
AGENT_KEY = "agent-dummy-7d20c4be91"
SECRETS = (VENDOR_KEY, SECOND_KEY, AGENT_KEY)
ENVIRON: Mapping[str, str] = {"FAKE_KEY": VENDOR_KEY, "SECOND_KEY": SECOND_KEY}

# Where a record of the log begins.
_RECORD = re.compile(r"^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,)", re.M)
# Seconds between two looks where nothing tells of itself.
_LOOK = 0.01


def provider(
    url: str,
    *lines: str,
    name: str = "fake",
    dialects: tuple[DialectName, ...] = DIALECT_NAMES,
    key: str = 'key = "env:FAKE_KEY"',
    models: str = '["fake-model"]',
) -> str:
    """Give the table of a provider that speaks `dialects` at a fake vendor's `url`."""
    ends = {"chat": "/v1", "responses": "/v1", "messages": "", "gemini": ""}
    bases = [f'{dialect} = "{url}{ends[dialect]}"' for dialect in dialects]
    return "\n".join([f"[providers.{name}]", *bases, key, f"models = {models}", *lines, ""])


@dataclass(slots=True)
class Running:
    """A running gateway; the ledger and the log may be read after its end, too."""

    url: str
    places: Places
    gateway: Gateway
    said: list[str] = field(default_factory=list)
    last: Json = field(default_factory=dict)

    @property
    def config_file(self) -> Path:
        return self.places.config_file

    @property
    def state(self) -> Path:
        return self.places.state

    async def control(self, path: str) -> Any:
        """Give the JSON of an endpoint of the control API."""
        reply = await self.asked(path)
        assert reply.status == 200, (path, reply.status, reply.body)
        return reply.json

    async def asked(self, path: str) -> RawReply:
        """Ask the control API, with its token."""
        return await get(self.url + path, token(self))

    async def until(
        self, there: Callable[[Any], bool], path: str = "/api/status", within: float = 5.0
    ) -> Any:
        """Look at the control API until it shows what `there` wants; give that."""
        return await polled(lambda: self.control(path), there, within)

    async def waiting(self, count: int) -> Json:
        """Wait until so many tickets stand in line, over all lanes."""
        found: Json = await self.until(
            lambda shown: sum(lane["waiting"] for lane in shown["lanes"]) == count
        )
        return found

    async def free(self, within: float = 5.0) -> Json:
        """Wait until no lane has anybody running or waiting."""
        found: Json = await self.until(
            lambda shown: all(
                lane["running"] == 0 and lane["waiting"] == 0 for lane in shown["lanes"]
            ),
            within=within,
        )
        return found

    def log_text(self) -> str:
        """Give all that the log holds."""
        files = sorted(self.places.log.glob(f"{LOG}*"))
        return "".join(file.read_text(encoding="utf-8") for file in files)

    def ledger(self) -> list[Json]:
        """Give the rows of requests, oldest first, each with its rows of tries."""
        return rows(self.state)


def token(gateway: Running) -> dict[str, str]:
    """Give the header that opens the control API."""
    runtime = read_runtime(gateway.state)
    assert runtime is not None and runtime.url == gateway.url
    return {"Authorization": f"Bearer {runtime.token}"}


async def told(gateway: Running, path: str, body: Json | bytes = b"") -> RawReply:
    """Post to the control API."""
    return await post(gateway.url + path, body, token(gateway))


async def done(gateway: Running, path: str, body: Json | bytes = b"") -> Any:
    """Post to the control API what must succeed."""
    reply = await told(gateway, path, body)
    assert reply.status == 200, (path, reply.status, reply.body)
    return reply.json


async def polled(
    look: Callable[[], Awaitable[T]], there: Callable[[T], bool], within: float = 5.0
) -> T:
    """Look until it is as `there` wants it; give that. For what tells nobody when it happens."""
    end = asyncio.get_running_loop().time() + within
    for _ in itertools.count():
        found = await look()
        if there(found):
            break
        assert asyncio.get_running_loop().time() < end, f"not so within {within}s: {found}"
        await asyncio.sleep(_LOOK)
    return found


def rows(state: Path) -> list[Json]:
    """Give what the ledger in a state folder holds."""
    uri = f"{(state / LEDGER).as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=5.0)) as db:
        db.row_factory = sqlite3.Row
        found = [dict(row) for row in db.execute("SELECT * FROM requests ORDER BY id")]
        tries = [dict(row) for row in db.execute("SELECT * FROM tries ORDER BY request, number")]
    for row in found:
        row["timeline"] = json.loads(row["timeline"])
        row["tries"] = [each for each in tries if each["request"] == row["id"]]
    return found


@asynccontextmanager
async def running(
    home: Path,
    config: str = "",
    *,
    demo: bool = False,
    ledger: bool = True,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> AsyncIterator[Running]:
    """Run a gateway below `home`; at the end it must be idle, end cleanly and have told no key.

    `ledger` false: its file is none that can be opened. `environ`: more of its environment.
    """
    environ = {"HOLDGATE_HOME": str(home), **ENVIRON, **environ}
    places = find_places(environ)
    places.config_file.parent.mkdir(parents=True, exist_ok=True)
    places.config_file.write_text(config, encoding="utf-8")
    instance = Instance(places.state)
    instance.acquire()
    said: list[str] = []
    options = Options(
        places, _port_0(load_file(places.config_file)), environ, demo, _port_0, said.append
    )
    gateway = Gateway(options, instance)
    try:
        url = await asyncio.to_thread(gateway.start)
        run = Running(url, places, gateway, said)
        try:
            yield run
            run.last = await run.free()
        finally:
            gateway.stop()
            ended = await asyncio.to_thread(gateway.join, 15.0)
    finally:
        instance.release()
    assert ended and gateway.exited.exception(0) is None
    assert not (places.state / RUNTIME_NAME).exists()
    _check_end(run, ledger=ledger)


def _port_0(settings: Settings) -> Settings:
    return replace(settings, server=replace(settings.server, port=0))


def _check_end(run: Running, *, ledger: bool) -> None:
    text = run.log_text()
    assert "ready at" in text
    # The fake vendor shares this process, and so its log: what it says there is not the gateway's.
    broken = [
        record
        for record in _RECORD.split(text)
        if "Traceback" in record and str(Path(vendor.__file__).parent) not in record
    ]
    assert broken == []
    kept = json.dumps(run.ledger()) if ledger else ""
    for secret in SECRETS:
        assert secret not in text
        assert secret not in kept


# Requests in all dialects.


def path_of(dialect: DialectName, model: str, *, stream: bool, array: bool = False) -> str:
    """Give the path of a generation; Gemini names its model there."""
    match dialect:
        case "chat":
            return "/v1/chat/completions"
        case "responses":
            return "/v1/responses"
        case "messages":
            return "/v1/messages"
        case "gemini":
            verb = "streamGenerateContent" if stream else "generateContent"
            return f"/v1beta/models/{model}:{verb}" + ("?alt=sse" if stream and not array else "")


def body_of(
    dialect: DialectName, model: str = "fake/fake-model", *, stream: bool, words: str = "hi"
) -> Json:
    """Give the body of a generation."""
    streamed = {"stream": True} if stream else {}
    match dialect:
        case "chat":
            turns = [{"role": "user", "content": words}]
            return {"model": model, "messages": turns, **streamed}
        case "responses":
            return {"model": model, "input": words, **streamed}
        case "messages":
            turns = [{"role": "user", "content": words}]
            return {"model": model, "max_tokens": 64, "messages": turns, **streamed}
        case "gemini":
            return {"contents": [{"role": "user", "parts": [{"text": words}]}]}


def asking(
    dialect: DialectName,
    model: str = "fake/fake-model",
    *,
    stream: bool = False,
    words: str = "hi",
    headers: Mapping[str, str] | None = None,
) -> tuple[str, Upload]:
    """Give path and upload of a generation."""
    body = body_of(dialect, model, stream=stream, words=words)
    return path_of(dialect, model, stream=stream), Upload(body=body, headers=headers or {})
