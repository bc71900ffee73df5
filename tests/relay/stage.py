"""A stage: exchanges with the real gate, hold and wheel, a scripted vendor, and a virtual clock.

All times are seconds after the stage began; nothing sleeps. A vendor's script is what happens to
one request after it was sent: `sent`, `head`, `data`, `end`, `lost`, each some seconds after the
one before. A request for which no script is left hangs for ever.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from holdgate.core.relay.context import Relay
from holdgate.core.relay.exchange import Exchange
from holdgate.core.relay.keepsakes import Keepsakes
from holdgate.core.relay.live import LiveRequests
from holdgate.core.relay.model_lists import ModelLists
from holdgate.core.relay.planner import Planner
from holdgate.core.relay.ports import Feed, Head, Outgoing, Upstream
from holdgate.core.relay.resting import Resting
from holdgate.core.relay.roster import Current, Roster
from holdgate.core.relay.scheduler import Scheduler
from holdgate.core.relay.tasks import Tasks
from holdgate.core.relay.wheel import Wheel
from holdgate.core.traffic.affinity import Affinity
from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import Lane
from holdgate.core.traffic.refused_members import RefusedMembers
from holdgate.core.traffic.repeats import Repeats
from holdgate.core.traffic.turns import Turns
from holdgate.core.values.caller import Caller
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Framing, Headers, Inbound, Task
from holdgate.core.values.names import DialectName
from holdgate.core.values.records import Behind, Record
from holdgate.core.values.secret import Secret
from holdgate.core.values.settings import CallerProfile, Hold, Key, Provider, Queue, Route, Settings
from tests import virtual_loop
from tests.fakes import vendor_streams as vendor

Pair = tuple[DialectName, Framing]

PAIRS: list[Pair] = [
    ("chat", "sse"),
    ("responses", "sse"),
    ("messages", "sse"),
    ("gemini", "sse"),
    ("gemini", "array"),
]
TEXT = "Hello to you"
GEMINI_ERRORS = {
    "overloaded_error": (503, "UNAVAILABLE"),
    "rate_limit_error": (429, "RESOURCE_EXHAUSTED"),
    "invalid_request_error": (400, "INVALID_ARGUMENT"),
    "authentication_error": (401, "UNAUTHENTICATED"),
    "permission_error": (403, "PERMISSION_DENIED"),
    "not_found_error": (404, "NOT_FOUND"),
}
ROUTE = "coder"


@dataclass(frozen=True, slots=True)
class Step:
    """What happens `after` so many seconds."""

    after: float
    what: str
    data: bytes = b""
    status: int = 200
    headers: Headers = ()
    fault: Fault | None = None


Script = list[Step]


def sent(after: float = 0.0) -> Step:
    return Step(after, "sent")


def head(after: float = 0.0, status: int = 200, **headers: str) -> Step:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Step(after, "head", status=status, headers=named)


def data(after: float, data: bytes) -> Step:
    return Step(after, "data", data)


def end(after: float = 0.0) -> Step:
    return Step(after, "end")


def lost(after: float = 0.0, *, unanswered: bool = False) -> Step:
    """The connection breaks; `unanswered`: before any byte of a reply."""
    told = Fault(FaultKind.NETWORK, "the connection was lost")
    return Step(after, "lost" if unanswered else "broken", fault=told)


def stream_head(framing: Framing, after: float = 0.0) -> Step:
    kind = "text/event-stream" if framing == "sse" else "application/json"
    return head(after, content_type=kind)


def events_of(pair: Pair, text: str = TEXT) -> list[bytes]:
    """Give the events of a vendor's well-formed answer."""
    match pair:
        case "chat", _:
            return vendor.chat_stream(text)
        case "responses", _:
            return vendor.responses_stream(text)
        case "messages", _:
            return vendor.messages_stream(text)
        case _, framing:
            return vendor.gemini_stream(text, array=framing == "array")


def whole_of(dialect: DialectName, text: str = TEXT) -> bytes:
    """Give a vendor's well-formed answer in one piece."""
    makers: dict[str, Callable[[str], Any]] = {
        "chat": vendor.chat_whole,
        "responses": vendor.responses_whole,
        "messages": vendor.messages_whole,
        "gemini": vendor.gemini_whole,
    }
    return vendor.dumps(makers[dialect](text)).encode()


def error_of(dialect: DialectName, type: str = "overloaded_error", words: str = "busy") -> bytes:
    """Give a vendor's error body."""
    if dialect == "gemini":
        code, status = GEMINI_ERRORS.get(type, (500, "INTERNAL"))
        found: Any = {"error": {"code": code, "message": words, "status": status}}
    elif dialect == "messages":
        found = {"type": "error", "error": {"type": type, "message": words}}
    else:
        found = {"error": {"message": words, "type": type, "code": None, "param": None}}
    return vendor.dumps(found).encode()


def answers(pair: Pair, after: float = 0.0, text: str = TEXT) -> Script:
    """Answer well: head and all events `after` so many seconds, at once."""
    events = [data(0, event) for event in events_of(pair, text)]
    return [sent(), stream_head(pair[1], after), *events, end()]


def answers_whole(dialect: DialectName, after: float = 0.0, text: str = TEXT) -> Script:
    whole = data(0, whole_of(dialect, text))
    return [sent(), head(after, content_type="application/json"), whole, end()]


def refuses(status: int, body: bytes = b"{}", after: float = 0.0, **headers: str) -> Script:
    told = head(after, status, content_type="application/json", **headers)
    return [sent(), told, data(0, body), end()]


def body_for(pair: Pair, model: str = ROUTE) -> bytes:
    """Give a body that a vendor of the dialect understands."""
    found: dict[str, Any] = {"model": model, "messages": [], "contents": [], "input": "hi"}
    return json.dumps(found | ({"stream": True} if pair[1] != "whole" else {})).encode()


@dataclass(frozen=True, slots=True)
class Told:
    """A call of a sink."""

    at: float
    what: str
    data: bytes = b""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)


class ListSink:
    """A sink that writes down what it is told, and when; `slow`: an agent that does not read."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.told: list[Told] = []
        self.slow = False
        self._resume: Callable[[], None] | None = None

    @property
    def started(self) -> bool:
        return any(told.what == "start" for told in self.told)

    def answer(self, status: int, headers: Headers, body: bytes) -> None:
        assert not self.told, "answer after something else"
        self.told.append(Told(self._now(), "answer", body, status, dict(headers)))

    def start(self, status: int, headers: Headers) -> None:
        assert not self.told, "start after something else"
        self.told.append(Told(self._now(), "start", b"", status, dict(headers)))

    def write(self, data: bytes) -> bool:
        self._open()
        assert data, "an empty write ends a chunked body"
        self.told.append(Told(self._now(), "write", data))
        return self.slow

    def on_room(self, resume: Callable[[], None]) -> None:
        self._resume = resume

    def room(self) -> None:
        self.slow = False
        if self._resume is not None:
            self._resume()

    def end(self) -> None:
        self._open()
        self.told.append(Told(self._now(), "end"))

    def abort(self) -> None:
        self.told.append(Told(self._now(), "abort"))

    def _open(self) -> None:
        assert self.started and self.told[-1].what not in ("end", "abort"), "not open"


class ScriptedCall:
    """A request under way: plays its script, holds still while paused."""

    def __init__(self, feed: Feed, script: Script) -> None:
        self._feed, self._script = feed, list(script)
        self.paused = self.aborted = False
        self._waits = False
        self._timer: asyncio.TimerHandle | None = None
        self._next()

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False
        if self._waits:
            self._waits = False
            self._do()

    def abort(self) -> None:
        self.aborted = True
        if self._timer is not None:
            self._timer.cancel()

    def _next(self) -> None:
        if self._script and not self.aborted:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._script[0].after, self._do)

    def _do(self) -> None:
        if self.aborted:
            return
        if self.paused:
            self._waits = True
            return
        step = self._script.pop(0)
        match step.what:
            case "sent":
                self._feed.on_sent()
            case "head":
                self._feed.on_head(Head(step.status, step.headers))
            case "data":
                self._feed.on_bytes(step.data)
            case "end":
                self._feed.on_end()
            case _:
                assert step.fault is not None
                self._feed.on_fault(step.fault, lost=step.what == "lost")
        self._next()


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a vendor got."""

    at: float
    provider: str
    outgoing: Outgoing
    call: ScriptedCall


class ScriptedUpstream:
    """Vendors by scripts: each provider's are played in order, one for each request."""

    def __init__(self, now: Callable[[], float], scripts: Mapping[str, list[Script]]) -> None:
        self._now = now
        self._scripts = {name: list(of) for name, of in scripts.items()}
        self.asked: list[Asked] = []

    def send(self, outgoing: Outgoing, feed: Feed) -> ScriptedCall:
        provider = (urlsplit(outgoing.url).hostname or "").partition(".")[0]
        left = self._scripts.get(provider, [])
        call = ScriptedCall(feed, left.pop(0) if left else [sent()])
        self.asked.append(Asked(self._now(), provider, outgoing, call))
        return call

    async def close(self) -> None:
        """Nothing is open."""


class ListBook:
    """A book that keeps all."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    def opened(self, record: Record) -> None:
        self.records.append(record)

    def behind(self, id: str) -> Behind | None:
        """It is known already."""
        return None

    def closed(self, record: Record) -> None:
        """It is known already."""


def provider(name: str, **limits: Any) -> Provider:
    """Give a provider that speaks all dialects."""
    made = Provider(
        name=name,
        chat=f"http://{name}.test/v1",
        responses=f"http://{name}.test/v1",
        messages=f"http://{name}.test",
        gemini=f"http://{name}.test",
        keys=(Key(),),
    )
    return replace(made, **limits)


def settings(
    *providers: Provider,
    hold: Hold | None = None,
    queue: Queue | None = None,
    callers: Mapping[str, CallerProfile] | None = None,
) -> Settings:
    """Give settings with these providers and a route over all of them."""
    of = tuple(f"{each.name}/{vendor.MODEL}" for each in providers)
    return Settings(
        hold=hold or Hold(),
        queue=queue or Queue(),
        providers={each.name: each for each in providers},
        routes={ROUTE: Route(ROUTE, of)},
        callers=callers or {},
    )


class Asking:
    """One agent's request: what it is told, and its task."""

    def __init__(self, stage: Stage, inbound: Inbound) -> None:
        self.sink = ListSink(stage.now)
        self.inbound = inbound
        self.dialect, self.framing = inbound.dialect, inbound.framing
        self._stage = stage
        self.task = stage.tasks.start(Exchange(stage.relay, inbound, self.sink).run(), inbound.id)

    async def done(self) -> Asking:
        await self.task
        return self

    async def hang_up(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        assert self.task.cancelled()

    @property
    def told(self) -> list[Told]:
        return self.sink.told

    @property
    def record(self) -> Record:
        return next(each for each in self._stage.book.records if each.id == self.inbound.id)

    @property
    def writes(self) -> list[Told]:
        return [told for told in self.told if told.what == "write"]

    @property
    def body(self) -> bytes:
        return b"".join(told.data for told in self.told)

    @property
    def kept(self) -> list[float]:
        """When keepalives came (comments, or Gemini's empty lines)."""
        return [told.at for told in self.writes if is_keepalive(self.dialect, told.data)]

    @property
    def answer(self) -> bytes:
        """The body without keepalives."""
        return b"".join(
            told.data for told in self.writes if not is_keepalive(self.dialect, told.data)
        )

    @property
    def what(self) -> list[str]:
        return [told.what for told in self.told if told.what != "write"]


def is_keepalive(dialect: DialectName, data: bytes) -> bool:
    if dialect == "gemini":
        return data == b"\n"
    return data.startswith(b": keepalive") and data.endswith(b"\n\n") and data.count(b"\n") == 2


def secrets(settings: Settings, version: str = "") -> dict[tuple[str, str], Secret]:
    """Give a secret for each key; `version`: to be others than before."""
    return {
        (each.name, key.name): Secret(f"secret-{each.name}-{key.name}{version}")
        for each in settings.providers.values()
        for key in each.keys
    }


class Stage:
    """The gateway's relay on a virtual loop; `real`: a client that asks over real sockets."""

    def __init__(
        self,
        settings: Settings,
        scripts: Mapping[str, list[Script]],
        real: Upstream | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()
        clock = self.clock = virtual_loop.clock_of(loop)
        self._roster = Roster(settings, secrets(settings))
        self.current = current = Current(self._roster)
        self.upstream = ScriptedUpstream(self.now, scripts)
        self.scheduler = Scheduler(Gate(), clock, loop)
        self.scheduler.configure(self._roster.limits())
        self.resting = Resting(self.scheduler, current, clock, lambda secret: secret.reveal()[:3])
        self.wheel = Wheel(loop)
        self.tasks = Tasks()
        self.book = ListBook()
        self.live = LiveRequests(self.book, clock)
        self.relay = Relay(
            current,
            Planner(current, ModelLists(current, self.upstream, clock)),
            self.scheduler,
            self.resting,
            Affinity(),
            Turns(),
            Repeats(),
            RefusedMembers(),
            Keepsakes(),
            real or self.upstream,
            self.live,
            self.wheel,
            clock,
            loop,
            random.Random(1),
        )
        self._number = 0

    def now(self) -> float:
        return asyncio.get_running_loop().time() - virtual_loop.START

    def ask(
        self,
        pair: Pair,
        model: str = ROUTE,
        *,
        agent: str = "unknown",
        conversation: str = "",
        body: bytes = b"",
        task: Task = "generate",
    ) -> Asking:
        """Let an agent ask; each request is of a conversation of its own unless one is named."""
        self._number += 1
        id = f"hg-{self._number:020x}"
        found = {"model": model, "stream": pair[1] != "whole", "input": id, "messages": []}
        inbound = Inbound(
            id,
            Caller(agent),
            conversation or f"talk-{id}",
            pair[0],
            task,
            model,
            pair[1],
            body or json.dumps(found).encode(),
            (),
            "",
        )
        return Asking(self, inbound)

    async def until(self, at: float) -> None:
        """Let time pass; what happens at that very moment has happened."""
        await asyncio.sleep(max(0.0, at - self.now()))
        for _ in range(10):
            await asyncio.sleep(0)

    def lane(self, provider: str = "one") -> Lane:
        return next(lane for lane in self.scheduler.lanes() if lane.id[0] == provider)

    def is_idle(self) -> bool:
        """Whether no request is live, in a slot, or in line (kept places do not count)."""
        lanes = self.scheduler.lanes()
        return not len(self.live) and all(
            not lane.running and lane.line.head() is None for lane in lanes
        )

    def reconfigured(self) -> None:
        """The configuration is read again; the keys are others then."""
        self.current.roster = replace(
            self._roster, keys=secrets(self._roster.settings, "-new"), _letterheads={}
        )
        self.resting.reconfigured()

    def moments(self, provider: str = "one") -> list[float]:
        """When a vendor was asked, by its own clock."""
        return [at for at, name in self.asked if name == provider]

    @property
    def asked(self) -> list[tuple[float, str]]:
        return [(asked.at, asked.provider) for asked in self.upstream.asked]


def played(
    scene: Callable[[Stage], Coroutine[Any, Any, None]],
    of: Settings,
    scripts: Mapping[str, list[Script]],
) -> None:
    """Play a scene to its end."""

    async def play() -> None:
        stage = Stage(of, scripts)
        unheard: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, about: unheard.append(about))
        try:
            await scene(stage)
        finally:
            await stage.tasks.close()
            stage.wheel.close()
            stage.scheduler.close()
        assert not unheard, unheard

    virtual_loop.run(play())


def one_reply(
    pair: Pair, of: Settings, scripts: Mapping[str, list[Script]], *, agent: str = "unknown"
) -> tuple[Asking, Stage]:
    """Let one agent ask and hear all of its reply."""
    heard: list[tuple[Asking, Stage]] = []

    async def scene(stage: Stage) -> None:
        heard.append((await stage.ask(pair, agent=agent).done(), stage))
        assert stage.is_idle()

    played(scene, of, scripts)
    return heard[0]
