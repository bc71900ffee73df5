"""The settings of config.toml as values, each field with its kind, its default and its help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from holdgate.core.values import kinds
from holdgate.core.values.kinds import Kind
from holdgate.core.values.names import DialectName

DEFAULT_PORT = 4653  # spells HOLD on a phone


def setting(default: Any, kind: Kind, text: str) -> Any:
    """Declare a field that config.toml may set: its default, its kind, its help text."""
    return field(default=default, metadata={"kind": kind, "help": text})


@dataclass(frozen=True, slots=True)
class Server:
    """Table [server]."""

    host: str = setting("127.0.0.1", kinds.TEXT, "anything but loopback needs lan = true")
    port: int = setting(DEFAULT_PORT, kinds.PORT, "the port; 0 takes a free one")
    lan: bool = setting(
        False,
        kinds.FLAG,
        "with no host set listen on every interface; callers from elsewhere need a gateway key",
    )
    drain: float = setting(10.0, kinds.DURATION, "at shutdown, how long streams may finish")
    cors_origins: tuple[str, ...] = setting(
        (), kinds.TEXTS, "web pages that may call the gateway (with a key)"
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), kinds.TEXTS, "Host names accepted besides loopback and this machine's own"
    )
    trust_forwarded: bool = setting(
        False,
        kinds.FLAG,
        "believe the last address of X-Forwarded-For from loopback (own reverse proxy); "
        "such callers need a key",
    )
    max_body: int = setting(128 << 20, kinds.SIZE, "largest request body after decompression")


@dataclass(frozen=True, slots=True)
class Hold:
    """Table [hold]: how a waiting stream is kept alive."""

    after: float = setting(
        15.0,
        kinds.DURATION,
        "silence before the first keepalive, counted from the agent's last byte heard from us",
    )
    every: float = setting(15.0, kinds.DURATION, "between keepalives")
    open_after: float = setting(
        180.0,
        kinds.DURATION,
        "silence of events after which the stream is opened with events of its dialect",
    )
    longest: float = setting(
        600.0,
        kinds.DURATION,
        "a try whose vendor (not the queue) said nothing for this long is stalled: a fault; "
        "at least first_byte_timeout",
    )
    form: Literal["auto", "comment", "off"] = setting(
        "auto", kinds.choice("auto", "comment", "off"), "what a keepalive is made of"
    )
    first_token: float = setting(
        0.0,
        kinds.DURATION,
        "a try without content (whole: without a first byte) this long after it left gives way",
    )
    place: float = setting(
        90.0,
        kinds.DURATION,
        "how long the place of an agent that hung up, or was turned away, is kept for its next try",
    )


@dataclass(frozen=True, slots=True)
class Queue:
    """Table [queue]: how long a request may wait."""

    wait: float = setting(
        0.0,
        kinds.DURATION,
        "longest wait in the queue for a streamed request; 0: as long as it takes",
    )
    wait_whole: float = setting(
        285.0,
        kinds.DURATION,
        "below the agents' own 5 minutes; the only limit of that kind for a request that is "
        "not streamed",
    )
    length: int = setting(0, kinds.COUNT, "waiting requests per lane")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a provider. A limit of None is the provider's."""

    name: str = setting("default", kinds.TEXT, "what the key is called in logs and tables")
    value: str = setting(
        "", kinds.TEXT, '"env:NAME", "keyring:NAME", "file:PATH", or the key itself'
    )
    concurrency: int | None = setting(None, kinds.COUNT, "requests at the vendor at once")
    rpm: int | None = setting(None, kinds.COUNT, "requests sent in any rolling window")
    tpm: int | None = setting(None, kinds.COUNT, "tokens in the same window")
    on: bool = setting(True, kinds.FLAG, "false: the key is not used")


@dataclass(frozen=True, slots=True)
class Model:
    """A model of a provider: a text in `models`, or a table with these keys."""

    id: str = setting("", kinds.TEXT, "what agents write")
    vendor_id: str = setting("", kinds.TEXT, "what the vendor is asked for; the id if absent")
    context: int = setting(0, kinds.COUNT, "tokens that fit in; 0: not known")
    output: int = setting(0, kinds.COUNT, "tokens of the longest reply; 0: not known")
    dialects: tuple[DialectName, ...] = setting(
        (), kinds.TEXTS, "which of the provider's dialects serve it; all if absent"
    )

    @property
    def at_vendor(self) -> str:
        """The name that the vendor knows."""
        return self.vendor_id or self.id


@dataclass(frozen=True, slots=True)
class Provider:
    """Table [providers.NAME]: a vendor, relay or local server."""

    name: str
    preset: str = setting("", kinds.TEXT, "base URLs and quirks from the catalogue")
    chat: str = setting("", kinds.URL, "base URL of Chat Completions; /chat/completions is added")
    responses: str = setting("", kinds.URL, "base URL of Responses; /responses is added")
    messages: str = setting("", kinds.URL, "root of Messages; /v1/messages is added")
    gemini: str = setting("", kinds.URL, "root of Gemini; /v1beta/models/... is added")
    keys: tuple[Key, ...] = ()
    concurrency: int = setting(0, kinds.COUNT, "requests at the vendor at once, for each key")
    rpm: int = setting(0, kinds.COUNT, "requests sent in any rolling window, for each key")
    tpm: int = setting(
        0, kinds.COUNT, "tokens in the same window (estimated before, corrected after)"
    )
    window: float = setting(60.0, kinds.DURATION, "that window; some vendors count otherwise")
    queue_wait: float | None = setting(
        None, kinds.DURATION, "overrides [queue] wait (streamed requests)"
    )
    queue_length: int | None = setting(None, kinds.COUNT, "overrides [queue] length")
    models: tuple[Model, ...] | None = None
    headers: tuple[tuple[str, str], ...] = setting(
        (), kinds.HEADERS, "headers added to each request to this provider"
    )
    proxy: str = setting(
        "", kinds.PROXY, 'an http proxy or "direct"; absent: system proxy (never for loopback)'
    )
    connect_timeout: float = setting(10.0, kinds.DURATION, "to connect, TLS included")
    first_byte_timeout: float = setting(600.0, kinds.DURATION, "until the vendor's status line")
    idle_timeout: float = setting(
        300.0, kinds.DURATION, "silence in the vendor's answer, or of an agent that stops reading"
    )
    auth: Mapping[DialectName, str] = field(default_factory=dict)
    quirks: tuple[str, ...] = ()
    # Kinds of tools that the vendor runs itself, by dialect.
    hosted: Mapping[DialectName, tuple[str, ...]] = field(default_factory=dict)
    # Addresses of the list of models where it is elsewhere than usual; "": there is none.
    lists: Mapping[DialectName, str] = field(default_factory=dict)

    def base(self, dialect: DialectName) -> str:
        """Give the base URL for a dialect, or "" if the provider does not speak it."""
        return str(getattr(self, dialect))

    def limits_of(self, key: Key) -> tuple[int, int, int]:
        """Give a key's concurrency, requests and tokens a window; 0 is no limit."""
        return (
            self.concurrency if key.concurrency is None else key.concurrency,
            self.rpm if key.rpm is None else key.rpm,
            self.tpm if key.tpm is None else key.tpm,
        )

    def model(self, name: str) -> Model:
        """Give the model that agents call `name`; one that is not listed is asked by that name."""
        for model in self.models or ():
            if model.id == name:
                return model
        return Model(id=name)


@dataclass(frozen=True, slots=True)
class Route:
    """Table [routes.NAME]: a model name of the person's own."""

    name: str
    candidates: tuple[str, ...] = setting(
        (), kinds.TEXTS, 'who may answer, in order, each as "provider/model"'
    )
    order: Literal["given", "rotate", "least-busy"] = setting(
        "given", kinds.choice("given", "rotate", "least-busy"), "who is asked first"
    )
    affinity: Literal["auto", "conversation", "off"] = setting(
        "auto",
        kinds.choice("auto", "conversation", "off"),
        "whether a conversation stays with the key that answered it",
    )


@dataclass(frozen=True, slots=True)
class Match:
    """Key `match` of a caller profile; patterns may hold * and ?."""

    agent: str = setting("*", kinds.TEXT, "agent name")
    key: str = setting("*", kinds.TEXT, "gateway key name")
    model: str = setting("*", kinds.TEXT, "model asked for")


@dataclass(frozen=True, slots=True)
class CallerProfile:
    """Table [callers.NAME]: how a caller is treated."""

    name: str
    match: Match = field(default_factory=Match)
    priority: Literal["foreground", "background"] = setting(
        "foreground", kinds.choice("foreground", "background"), "who goes first in a lane"
    )
    hold: Mapping[str, Any] = field(default_factory=dict)  # keys of Hold that this profile sets
    queue: Mapping[str, Any] = field(default_factory=dict)  # keys of Queue that this profile sets


@dataclass(frozen=True, slots=True)
class Settings:
    """The whole of config.toml."""

    server: Server = field(default_factory=Server)
    hold: Hold = field(default_factory=Hold)
    queue: Queue = field(default_factory=Queue)
    providers: Mapping[str, Provider] = field(default_factory=dict)
    routes: Mapping[str, Route] = field(default_factory=dict)
    callers: Mapping[str, CallerProfile] = field(default_factory=dict)
