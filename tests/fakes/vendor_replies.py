"""What the fake vendor answers: scripted replies, and the plain ones it gives without a script."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from holdgate.core.values.names import DialectName
from tests.fakes import vendor_streams as streams
from tests.fakes.vendor_streams import Json

TEXT = "Hello from the fake vendor."


@dataclass(frozen=True, slots=True)
class Pause:
    """Between two chunks: nothing for so long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """Between two chunks: nothing until the test sets the event."""

    event: asyncio.Event


@dataclass(frozen=True, slots=True)
class Cut:
    """Among chunks: the connection ends here, without the end of the body."""

    how: Literal["reset", "close"] = "close"


Chunk = bytes | Pause | Until | Cut


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. With neither `json`, `text` nor `chunks` a 200 gets the usual answer of its
    path, and another status an error in the dialect's shape.

    `delay`: seconds before the status line; `until`: an event that it waits for, too. `drop`: the
    connection is closed without a reply.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    json: object = None
    text: str | None = None
    chunks: Sequence[Chunk] | None = None
    drop: bool = False
    delay: float = 0.0
    until: asyncio.Event | None = None
    encode: Literal["", "gzip"] = ""

    def filled(self, other: Reply) -> Reply:
        """Take what is answered from `other` where nothing is given here."""
        if self.json is not None or self.text is not None or self.chunks is not None:
            return self
        return Reply(
            self.status,
            {**other.headers, **self.headers},
            other.json,
            other.text,
            other.chunks,
            self.drop,
            self.delay,
            self.until,
            self.encode,
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """What the fake vendor understands of a request."""

    path: str
    body: Json
    sse: bool

    @property
    def dialect(self) -> DialectName:
        """The dialect of the path, the nearest for paths that none has."""
        if self.path.endswith("/responses"):
            return "responses"
        if "/messages" in self.path:
            return "messages"
        return (
            "gemini" if "/v1beta/" in self.path or ":" in self.path.rpartition("/")[2] else "chat"
        )

    @property
    def generates(self) -> bool:
        """Whether it asks for an answer or an embedding, which is what limits count."""
        ends = ("/chat/completions", "/responses", "/messages", "/embeddings", "enerateContent")
        return self.path.endswith(ends)

    @property
    def streams(self) -> bool:
        return self.path.endswith(":streamGenerateContent") or self.body.get("stream") is True

    @property
    def model(self) -> str:
        if self.dialect == "gemini":
            return self.path.rpartition("/")[2].rpartition(":")[0]
        return str(self.body.get("model", streams.MODEL))


def asked(path: str, query: str, body: bytes) -> Asked:
    """Read a request; a body that is no JSON object counts as an empty one."""
    try:
        found = json.loads(body)
    except ValueError:
        found = {}
    return Asked(path, found if isinstance(found, dict) else {}, "alt=sse" in query)


def usual(asked: Asked, models: Sequence[str], text: str = TEXT) -> Reply:
    """Give the reply to a request that nothing was scripted for."""
    if asked.path.endswith(("/count_tokens", ":countTokens")):
        size = max(1, len(json.dumps(asked.body)) // 4)
        return Reply(json={"input_tokens": size, "totalTokens": size})
    if asked.path.endswith("/embeddings"):
        return Reply(json=_embeddings(asked))
    if asked.path.endswith("/models"):
        return Reply(json=_models(asked, models))
    if not asked.generates:
        return error(asked.dialect, 404)
    if not asked.streams:
        return Reply(json=_whole(asked, text))
    kind = "text/event-stream"
    if asked.dialect == "gemini" and not asked.sse:
        kind = "application/json"
    return Reply(headers={"Content-Type": kind}, chunks=_stream(asked, text))


def error(dialect: DialectName, status: int, message: str = "") -> Reply:
    """Give an error in the shape of a dialect."""
    text = message or f"The fake vendor says {status}."
    types = {
        400: "invalid_request_error",
        401: "authentication_error",
        403: "permission_error",
        404: "not_found_error",
        429: "rate_limit_error",
        529: "overloaded_error",
    }
    states = {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED",
        503: "UNAVAILABLE",
    }
    kind = types.get(status, "api_error")
    if dialect == "gemini":
        state = states.get(status, "INTERNAL")
        return Reply(status, json={"error": {"code": status, "message": text, "status": state}})
    if dialect == "messages":
        return Reply(status, json={"type": "error", "error": {"type": kind, "message": text}})
    code = "rate_limit_exceeded" if status == 429 else None
    body = {"message": text, "type": kind, "code": code, "param": None}
    return Reply(status, json={"error": body})


def limited(dialect: DialectName, wait: float, limit: str) -> Reply:
    """Give the 429 of a limit that was not kept."""
    seconds = max(1, math.ceil(wait))
    reply = error(dialect, 429, f"Limit not kept: {limit}. Try again in {seconds}s.")
    return Reply(429, {"Retry-After": str(seconds)}, json=reply.json)


def _whole(asked: Asked, text: str) -> Json:
    match asked.dialect:
        case "chat":
            return streams.chat_whole(text, model=asked.model)
        case "responses":
            return streams.responses_whole(text, model=asked.model)
        case "messages":
            return streams.messages_whole(text, model=asked.model)
        case "gemini":
            return streams.gemini_whole(text, model=asked.model)


def _stream(asked: Asked, text: str) -> list[bytes]:
    match asked.dialect:
        case "chat":
            wanted = (asked.body.get("stream_options") or {}).get("include_usage")
            usage = streams.USAGE if wanted else None
            return streams.chat_stream(text, usage, model=asked.model)
        case "responses":
            return streams.responses_stream(text, model=asked.model)
        case "messages":
            return streams.messages_stream(text, model=asked.model)
        case "gemini":
            return streams.gemini_stream(text, model=asked.model, array=not asked.sse)


def _embeddings(asked: Asked) -> Json:
    given = asked.body.get("input")
    count = len(given) if isinstance(given, list) else 1
    rows = [{"object": "embedding", "index": at, "embedding": [0.5, -0.5]} for at in range(count)]
    usage = {"prompt_tokens": count, "total_tokens": count}
    return {"object": "list", "data": rows, "model": asked.model, "usage": usage}


def _models(asked: Asked, models: Sequence[str]) -> Json:
    if "/v1beta/" in asked.path:
        return {
            "models": [
                {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]}
                for name in models
            ]
        }
    rows = [
        {"id": name, "object": "model", "created": streams.CREATED, "owned_by": "fake"}
        for name in models
    ]
    return {"object": "list", "data": rows}
