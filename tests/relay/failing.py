"""Vendors that fail, in each of the ways that agents meet."""

from __future__ import annotations

import json
from typing import Any

from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.inbound import Framing
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.values.settings import Model
from tests.fakes import vendor_streams as vendor
from tests.relay.heard import answer_of
from tests.relay.stage import (
    PAIRS,
    TEXT,
    Asking,
    Pair,
    Script,
    Step,
    answers,
    answers_whole,
    data,
    end,
    error_of,
    events_of,
    head,
    lost,
    refuses,
    sent,
    stream_head,
    whole_of,
)

WHOLES: list[Pair] = [(dialect, "whole") for dialect in DIALECT_NAMES]
ALL: list[Pair] = [*PAIRS, *WHOLES]
# Long enough that two thirds of its events are in the midst of it.
LONG = "one two three four five six seven eight nine ten eleven twelve"


def good(pair: Pair, after: float = 0.0, text: str = TEXT) -> Script:
    """Answer well `after` so many seconds."""
    if pair[1] != "whole":
        return answers(pair, after, text)
    return answers_whole(pair[0], after, text)


def heard(asking: Asking) -> str:
    """Give the text of a reply that must be whole."""
    if asking.framing != "whole":
        return answer_of(asking)
    (told,) = asking.told
    assert (told.what, told.status) == ("answer", 200)
    body: Any = json.loads(told.data)
    match asking.dialect:
        case "chat":
            return str(body["choices"][0]["message"]["content"])
        case "responses":
            return str(body["output"][0]["content"][0]["text"])
        case "messages":
            return str(body["content"][0]["text"])
        case _:
            return str(body["candidates"][0]["content"]["parts"][0]["text"])


def limited(pair: Pair, after: float = 0.0, **headers: str) -> Script:
    return refuses(429, error_of(pair[0], "rate_limit_error", "slow down"), after, **headers)


def broken(pair: Pair, status: int = 500, words: str = "I am ill") -> Script:
    return refuses(status, error_of(pair[0], "api_error", words))


def reset() -> Script:
    """The connection is reset before the headers."""
    return [sent(), lost(unanswered=True)]


def page() -> Script:
    """A web page with a good status, as of a portal."""
    told = head(0, content_type="text/html")
    return [sent(), told, data(0, b"<html>Log in</html>"), end()]


def cut(after: float = 0.0) -> Step:
    """The connection breaks in the middle of the reply, `after` so many seconds."""
    return Step(after, "broken", fault=Fault(FaultKind.CUT, "the connection broke"))


def wrong(pair: Pair, status: int = 400) -> Script:
    """The vendor refuses what the agent wrote."""
    return refuses(status, error_of(pair[0], "invalid_request_error", "no such field"))


def too_long(dialect: DialectName) -> Script:
    return refuses(400, TOO_LONG[dialect])


def filtered(pair: Pair) -> Script:
    """The vendor's filter refuses the prompt; Gemini tells that with a good status."""
    if pair[0] != "gemini":
        return refuses(400, FILTERED[pair[0]])
    if pair[1] == "whole":
        return [sent(), head(0, content_type="application/json"), data(0, BLOCKED), end()]
    event = b"[%s]" % BLOCKED if pair[1] == "array" else b"data: %s\n\n" % BLOCKED
    return streams([event], pair[1])


def part(pair: Pair, share: float, *then: Step) -> Script:
    """Give that share of a good answer, and what happens then."""
    if pair[1] == "whole":
        body = whole_of(pair[0], LONG)
        told = head(0, content_type="application/json")
        return [sent(), told, data(0, body[: int(len(body) * share)]), *then]
    found = events_of(pair, LONG)
    shown = [data(0, each) for each in found[: int(len(found) * share)]]
    return [sent(), stream_head(pair[1]), *shown, *then]


def malformed(pair: Pair) -> list[bytes]:
    """Give the events of an answer with one in the middle that is no JSON."""
    found = events_of(pair, LONG)
    middle = len(found) * 2 // 3
    return [*found[:middle], b'data: {"this is": not JSON\n\n', *found[middle:]]


def streams(events: list[bytes], framing: Framing) -> Script:
    return [sent(), stream_head(framing), *(data(0, each) for each in events), end()]


def named(model: str, pair: Pair, usage: vendor.Usage) -> Script:
    """Answer as a model of that name, with that usage."""
    dialect, framing = pair
    if framing == "whole":
        wholes: dict[str, Any] = {
            "chat": vendor.chat_whole,
            "responses": vendor.responses_whole,
            "messages": vendor.messages_whole,
            "gemini": vendor.gemini_whole,
        }
        body = vendor.dumps(wholes[dialect](TEXT, usage, model=model)).encode()
        return [sent(), head(0, content_type="application/json"), data(0, body), end()]
    makers: dict[str, Any] = {
        "chat": vendor.chat_stream,
        "responses": vendor.responses_stream,
        "messages": vendor.messages_stream,
        "gemini": vendor.gemini_stream,
    }
    array = {"array": framing == "array"} if dialect == "gemini" else {}
    return streams(makers[dialect](TEXT, usage, model=model, **array), framing)


def sized(context: int, id: str = vendor.MODEL) -> tuple[Model, ...]:
    """Give a provider's models: one, in which so many tokens fit."""
    return (Model(id=id, context=context),)


def _openai(message: str, code: str) -> bytes:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return json.dumps({"error": error}).encode()


def _anthropic(message: str) -> bytes:
    error = {"type": "invalid_request_error", "message": message}
    return json.dumps({"type": "error", "error": error}).encode()


def _google(message: str) -> bytes:
    error = {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}
    return json.dumps({"error": error}).encode()


_CONTEXT = _openai("This model's maximum context length is 8 tokens.", "context_length_exceeded")
TOO_LONG = {
    "chat": _CONTEXT,
    "responses": _CONTEXT,
    "messages": _anthropic("prompt is too long: 250000 tokens > 200000 maximum"),
    "gemini": _google(
        "The input token count (250000) exceeds the maximum number of tokens allowed (200000)."
    ),
}
_FILTER = _openai("The prompt triggered the content management policy.", "content_filter")
FILTERED = {
    "chat": _FILTER,
    "responses": _FILTER,
    "messages": _anthropic("Output blocked by content filtering policy"),
}
_COUNT = {"promptTokenCount": 7, "totalTokenCount": 7}
BLOCKED = json.dumps(
    {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": _COUNT}
).encode()
