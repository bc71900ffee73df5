"""Paths: says what a method and a path ask for, in every spelling that agents use.

Agents differ in what they take for the base address (contract 3), so each path is served without
its version prefix, with it, and with it doubled.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import parse_qsl, unquote

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DialectName

EndpointKind = Literal[
    "generate", "count_tokens", "embeddings", "models", "model", "health", "control", "page"
]

SERVED = (
    "POST /v1/chat/completions, /v1/responses, /v1/messages, /v1/messages/count_tokens, "
    "/v1/embeddings, /v1beta/models/MODEL:generateContent (:streamGenerateContent, :countTokens); "
    "GET /v1/models, /v1/models/ID, /v1beta/models, /healthz"
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What a request asks for.

    `dialect` is the one that answers and errors are written in. `model`: from the path, for Gemini
    and for one entry of the list, percent-decoded. `stream`: from Gemini's method, None where the
    body says it. `alt_sse`: Gemini's `alt=sse`; without it a stream is a JSON array.
    """

    kind: EndpointKind
    dialect: DialectName
    model: str | None = None
    stream: bool | None = None
    alt_sse: bool = False


_GET: Final = "GET, HEAD"
_POST: Final = "POST"
_READS = frozenset({"GET", "HEAD"})
_PREFIXES: Final = ("", "/v1", "/v1/v1")

_POSTED: Mapping[str, Endpoint] = MappingProxyType(
    {
        prefix + path: endpoint
        for prefix in _PREFIXES
        for path, endpoint in (
            ("/chat/completions", Endpoint("generate", "chat")),
            ("/responses", Endpoint("generate", "responses")),
            ("/messages", Endpoint("generate", "messages")),
            ("/messages/count_tokens", Endpoint("count_tokens", "messages")),
            ("/embeddings", Endpoint("embeddings", "chat")),
        )
    }
)
_RESPONSES: frozenset[str] = frozenset(prefix + "/responses" for prefix in _PREFIXES)
_HEALTH: Mapping[str, Endpoint] = MappingProxyType(
    {"/": Endpoint("health", "chat"), "/healthz": Endpoint("health", "chat")}
)

# The two files beside the page; the page itself shares its path with the health.
_BESIDE_PAGE = frozenset({"/page.js", "/page.css"})
_HTML = re.compile(r"(?:^|,)\s*text/html\s*(?:[,;]|$)", re.IGNORECASE)

# kind and stream of Gemini's methods
_GEMINI: Mapping[str, tuple[EndpointKind, bool]] = MappingProxyType(
    {
        "generateContent": ("generate", False),
        "streamGenerateContent": ("generate", True),
        "countTokens": ("count_tokens", False),
    }
)

# Any two version prefixes before "models", then perhaps a model.
_MODELS = re.compile(r"((?:/v1(?:beta)?){0,2})/models(?:/(.+))?", re.DOTALL)
_BELOW_BETA = re.compile(r"/(?:v1/)?v1beta(?:/|$)")
# What no model is called, and what must never reach a vendor's URL or a header.
_NOT_IN_MODELS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\\?#]")
_SHOWN = 200


def resolve(
    method: str, raw_path: str, query: str = "", *, upgrade: str = "", accept: str = ""
) -> Endpoint:
    """Give what `method` on `raw_path` (still percent-encoded) asks for.

    `query`: the raw query string; `upgrade` and `accept`: the headers. Raises Fault: NOT_FOUND for
    an unknown path, METHOD with an Allow header, UPGRADE for a WebSocket, REQUEST for a model that
    cannot be one.
    """
    if is_control(raw_path):
        return Endpoint("control", "chat")
    if is_page(raw_path, accept):
        return _read(method, raw_path, Endpoint("page", "chat"))
    path = _plain(raw_path)
    posted = _POSTED.get(path)
    if posted is not None:
        if method != "POST":
            raise _not_posted(method, path, upgrade)
        return posted
    if (health := _HEALTH.get(path)) is not None:
        return _read(method, path, health)
    if (models := _MODELS.fullmatch(path)) is not None:
        return _models(method, path, query, models)
    raise Fault(FaultKind.NOT_FOUND, f"nothing is served at {path[:_SHOWN]}; served are: {SERVED}")


def is_control(raw_path: str) -> bool:
    """Tell whether a path belongs to the control API, for the guard and for `resolve` alike.

    No other spelling does, so nothing comes in by one door and goes to another.
    """
    return raw_path.startswith("/api") and raw_path[4:5] in ("", "/", "?")


def is_page(raw_path: str, accept: str) -> bool:
    """Tell whether a path is one of the page's files, for the guard and for `resolve` alike.

    `/` is the page only for who asks for HTML by name; who accepts anything gets the health.
    """
    return raw_path in _BESIDE_PAGE or (raw_path == "/" and _HTML.search(accept) is not None)


def dialect_of(raw_path: str, headers: Container[str]) -> DialectName:
    """Give the dialect that an error is told in, for known and unknown paths alike.

    `headers`: the lower-case names are enough.
    """
    path = _plain(raw_path)
    posted = _POSTED.get(path)
    if posted is not None:
        return posted.dialect
    if "anthropic-version" in headers:
        return "messages"
    models = _MODELS.fullmatch(path)
    if _BELOW_BETA.match(path) or (models is not None and _gemini_method(models[2])):
        return "gemini"
    return "chat"


def _plain(raw_path: str) -> str:
    """Give a path without query and without slashes too many at its ends."""
    path = raw_path.partition("?")[0]
    if path.endswith("/") or path.startswith("//"):
        return "/" + path.strip("/")
    return path


def _models(method: str, path: str, query: str, found: re.Match[str]) -> Endpoint:
    dialect: DialectName = "gemini" if "v1beta" in found[1] else "chat"
    if found[2] is None:
        return _read(method, path, Endpoint("models", dialect))
    if (verb := _gemini_method(found[2])) is not None:
        kind, stream = _GEMINI[verb]
        if method != "POST":
            raise _wrong_method(method, path, _POST)
        model = _model(_decoded(found[2]).rpartition(":")[0])
        return Endpoint(kind, "gemini", model, stream, _alt_sse(query))
    if method == "POST" and ":" in unquote(found[2]):
        raise Fault(
            FaultKind.NOT_FOUND, f"nothing is served at {path[:_SHOWN]}; served are: {SERVED}"
        )
    if method not in _READS:
        raise _wrong_method(method, path, _GET)
    return Endpoint("model", dialect, _model(_decoded(found[2])))


def _gemini_method(rest: str | None) -> str | None:
    """Give the Gemini method that a path ends with. The last colon splits, encoded or not."""
    if not rest or (":" not in rest and "%3" not in rest):
        return None
    verb = unquote(rest).rpartition(":")[2]
    return verb if verb in _GEMINI else None


def _decoded(rest: str) -> str:
    try:
        return unquote(rest, errors="strict")
    except UnicodeDecodeError:
        raise Fault(FaultKind.REQUEST, "the model in the path is not UTF-8") from None


def _model(name: str) -> str:
    """Give the model a path names. Raises Fault for one that could lead a path elsewhere."""
    # Google's own names are "models/NAME"; clients add it once more.
    name = name.removeprefix("models/")
    if _NOT_IN_MODELS.search(name) or any(
        part.strip() in ("", ".", "..") for part in name.split("/")
    ):
        raise Fault(FaultKind.REQUEST, f"no model can be called {name[:_SHOWN]!r}")
    return name


def _alt_sse(query: str) -> bool:
    # Google's system parameters may carry a dollar sign.
    return "alt" in query and any(
        name in ("alt", "$alt") and value == "sse" for name, value in parse_qsl(query.lstrip("?"))
    )


def _read(method: str, path: str, endpoint: Endpoint) -> Endpoint:
    if method not in _READS:
        raise _wrong_method(method, path, _GET)
    return endpoint


def _not_posted(method: str, path: str, upgrade: str) -> Fault:
    if method == "GET" and path in _RESPONSES and "websocket" in upgrade.lower():
        # Codex goes on over HTTP after a 426 and gives up after a 404 (clients, 1.10).
        return Fault(FaultKind.UPGRADE, f"no WebSocket is served at {path}; POST to it over HTTP")
    return _wrong_method(method, path, _POST)


def _wrong_method(method: str, path: str, allow: str) -> Fault:
    return Fault(
        FaultKind.METHOD,
        f"{method[:20]} is not served at {path[:_SHOWN]}, only {allow}",
        headers=(("Allow", allow),),
    )
