"""Every kind of fault in every dialect, before and after the stream began."""

from __future__ import annotations

import json
from typing import Any

import pytest

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DIALECT_NAMES, DialectName
from holdgate.core.wire.sse import Event, Splitter, parse_event

# What an agent is told, by kind: status, T of the OpenAI dialects and messages, C of the OpenAI
# dialects, S of gemini.
RATE = (429, "rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED")
BROKEN = (502, "api_error", None, "UNAVAILABLE")
LATE = (504, "timeout_error", None, "DEADLINE_EXCEEDED")
INVALID = "invalid_request_error"
TOLD: dict[FaultKind, tuple[int, str, str | None, str]] = {
    FaultKind.CREDIT: (402, "billing_error", "insufficient_quota", "INTERNAL"),
    FaultKind.WINDOW: RATE,
    FaultKind.RATE: RATE,
    FaultKind.QUEUE: RATE,
    FaultKind.LOCKED: RATE,
    FaultKind.OVERLOADED: (529, "overloaded_error", None, "UNAVAILABLE"),
    FaultKind.SERVER: BROKEN,
    FaultKind.NETWORK: BROKEN,
    FaultKind.UNREADABLE: BROKEN,
    FaultKind.CUT: BROKEN,
    FaultKind.AUTH: BROKEN,
    FaultKind.FORBIDDEN: BROKEN,
    FaultKind.TIMEOUT: LATE,
    FaultKind.STALLED: LATE,
    FaultKind.SLOW: LATE,
    FaultKind.READER: LATE,
    FaultKind.MODEL: (404, "not_found_error", "model_not_found", "NOT_FOUND"),
    FaultKind.NOT_FOUND: (404, "not_found_error", None, "NOT_FOUND"),
    FaultKind.CONTEXT: (400, INVALID, "context_length_exceeded", "INVALID_ARGUMENT"),
    FaultKind.FILTERED: (400, INVALID, "content_filter", "INVALID_ARGUMENT"),
    FaultKind.REQUEST: (400, INVALID, None, "INVALID_ARGUMENT"),
    FaultKind.LOSS: (400, INVALID, None, "INVALID_ARGUMENT"),
    FaultKind.CANCELLED: (400, INVALID, "cancelled", "INVALID_ARGUMENT"),
    FaultKind.TOO_LARGE: (413, "request_too_large", None, "INVALID_ARGUMENT"),
    FaultKind.METHOD: (405, "api_error", None, "INTERNAL"),
    FaultKind.UPGRADE: (426, "api_error", None, "INTERNAL"),
    FaultKind.MEDIA: (415, "api_error", None, "INTERNAL"),
    FaultKind.LOGIN: (401, "authentication_error", None, "UNAUTHENTICATED"),
    FaultKind.DENIED: (403, "permission_error", None, "PERMISSION_DENIED"),
    FaultKind.SHUTDOWN: (503, "api_error", None, "UNAVAILABLE"),
    FaultKind.INTERNAL: (500, "api_error", None, "INTERNAL"),
}
MESSAGE = 'deepseek: waited 2m for a place, "4" requests at once is its limit: größer'
SENT = Opening(True, "req_1", "coder", 1_767_225_600, sequence=7)
UNSENT = Opening(False, "req_1", "coder", 1_767_225_600)

every_kind = pytest.mark.parametrize("kind", FaultKind, ids=lambda kind: kind.name)
every_opening = pytest.mark.parametrize("opening", [SENT, UNSENT], ids=["sent", "unsent"])


def test_no_kind_is_forgotten() -> None:
    assert set(TOLD) == set(FaultKind)


def body(dialect: DialectName, kind: FaultKind) -> Any:
    return json.loads(DIALECTS[dialect].error_body(Fault(kind, MESSAGE), "req_1"))


def closing(dialect: DialectName, fault: Fault, opening: Opening) -> list[Event]:
    """Give the events that a failed stream ends with; there is nothing beside them."""
    told = DIALECTS[dialect].stream_error(fault, opening)
    assert not told.cut
    splitter = Splitter()
    events = [parse_event(raw) for raw in splitter.feed(told.data)]
    assert splitter.close() == b""
    return events


def data(event: Event) -> Any:
    return json.loads(event.data or b"")


@every_kind
def test_statuses(kind: FaultKind) -> None:
    assert Fault(kind, MESSAGE).status == TOLD[kind][0]


@every_kind
@pytest.mark.parametrize("dialect", ["chat", "responses"])
def test_bodies_of_the_openai_dialects(dialect: DialectName, kind: FaultKind) -> None:
    _, type, code, _ = TOLD[kind]
    told = {"message": MESSAGE, "type": type, "code": code, "param": None}
    assert body(dialect, kind) == {"error": told}


def in_messages(kind: FaultKind) -> str:
    """Claude Code compacts when it reads these words, whatever the vendor's were."""
    who, _, rest = MESSAGE.partition(": ")
    return f"{who}: prompt is too long: {rest}" if kind is FaultKind.CONTEXT else MESSAGE


@every_kind
def test_bodies_of_messages(kind: FaultKind) -> None:
    told = {"type": TOLD[kind][1], "message": in_messages(kind)}
    assert body("messages", kind) == {"type": "error", "error": told, "request_id": "req_1"}


@every_kind
def test_bodies_of_gemini(kind: FaultKind) -> None:
    status, _, _, word = TOLD[kind]
    told = {"code": status, "message": MESSAGE, "status": word}
    assert body("gemini", kind) == {"error": told}


@every_kind
@every_opening
def test_a_stream_of_chat(kind: FaultKind, opening: Opening) -> None:
    *lead, last = closing("chat", Fault(kind, MESSAGE), opening)
    _, type, code, _ = TOLD[kind]
    assert last.name == ""
    assert data(last) == {"error": {"message": MESSAGE, "type": type, "code": code}}
    assert len(lead) == (0 if opening.sent else 1)
    for event in lead:
        chunk = data(event)
        assert chunk["object"] == "chat.completion.chunk"
        assert (chunk["id"], chunk["model"], chunk["created"]) == ("req_1", "coder", 1_767_225_600)
        (choice,) = chunk["choices"]
        assert choice["delta"]["role"] == "assistant"
        assert not choice["delta"]["content"]
        assert choice["finish_reason"] is None


@every_kind
@every_opening
def test_a_stream_of_responses(kind: FaultKind, opening: Opening) -> None:
    events = closing("responses", Fault(kind, MESSAGE), opening)
    names = ["response.created", "response.in_progress", "response.failed"]
    names = names[2:] if opening.sent else names
    told = [data(event) for event in events]
    assert [event.name for event in events] == [each["type"] for each in told] == names
    numbers = [each["sequence_number"] for each in told]
    assert numbers == list(range(opening.sequence, opening.sequence + len(told)))
    for each in told:
        response = each["response"]
        assert (response["id"], response["model"]) == ("req_1", "coder")
        assert (response["object"], response["created_at"]) == ("response", 1_767_225_600)
    *lead, failed = (each["response"] for each in told)
    assert all((each["status"], each["error"]) == ("in_progress", None) for each in lead)
    assert failed["status"] == "failed"
    assert failed["error"] == {"code": TOLD[kind][2] or "server_error", "message": MESSAGE}


@every_kind
@every_opening
def test_a_stream_of_messages(kind: FaultKind, opening: Opening) -> None:
    *lead, last = closing("messages", Fault(kind, MESSAGE), opening)
    assert last.name == "error"
    error = {"type": TOLD[kind][1], "message": in_messages(kind)}
    assert data(last) == {"type": "error", "error": error}
    assert [event.name for event in lead] == ([] if opening.sent else ["message_start"])
    for event in lead:
        start = data(event)
        assert start["type"] == "message_start"
        message = start["message"]
        assert (message["id"], message["model"]) == ("req_1", "coder")
        assert (message["type"], message["role"]) == ("message", "assistant")
        assert (message["content"], message["stop_reason"]) == ([], None)
        assert set(message["usage"]) >= {"input_tokens", "output_tokens"}


@every_kind
@every_opening
def test_a_stream_of_gemini_is_bare_json_and_a_cut(kind: FaultKind, opening: Opening) -> None:
    told = DIALECTS["gemini"].stream_error(Fault(kind, MESSAGE), opening)
    status, _, _, word = TOLD[kind]
    assert told.cut
    assert json.loads(told.data) == {"error": {"code": status, "message": MESSAGE, "status": word}}
    assert told.data.startswith(b"{")


@every_opening
@pytest.mark.parametrize("kind", [FaultKind.RATE, FaultKind.QUEUE])
@pytest.mark.parametrize(
    ("seconds", "words"), [(8, "8s"), (7.2, "8s"), (0, "1s"), (0.2, "1s"), (59.0001, "60s")]
)
def test_responses_says_in_words_when_to_try_again(
    opening: Opening, kind: FaultKind, seconds: float, words: str
) -> None:
    for sentence in ("deepseek: too many", "deepseek: too many."):
        fault = Fault(kind, sentence, retry_after=seconds)
        *_, last = closing("responses", fault, opening)
        error = data(last)["response"]["error"]
        assert error["code"] == "rate_limit_exceeded"
        assert error["message"] == f"deepseek: too many. Please try again in {words}."


@every_kind
@pytest.mark.parametrize("dialect", ["chat", "messages", "gemini"])
def test_nobody_else_does(dialect: DialectName, kind: FaultKind) -> None:
    told = DIALECTS[dialect].stream_error(Fault(kind, "busy", retry_after=8), SENT)
    assert b"try again" not in told.data


@every_kind
def test_only_a_limit_does(kind: FaultKind) -> None:
    told = DIALECTS["responses"].stream_error(Fault(kind, "busy", retry_after=8), SENT)
    if TOLD[kind][2] != "rate_limit_exceeded":
        assert b"try again" not in told.data


@every_kind
@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_a_message_can_not_break_out_of_its_event(dialect: DialectName, kind: FaultKind) -> None:
    nasty = "a\n\ndata: [DONE]\r\n\r\nevent: x\r\r\u2028"
    told = DIALECTS[dialect].stream_error(Fault(kind, nasty), SENT)
    assert len(Splitter().feed(told.data + b"\n\n")) <= 2
    assert b"\r" not in told.data
    assert b"DONE]\n" not in told.data


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_a_dialect_reads_its_own_errors(dialect: DialectName) -> None:
    fault = Fault(FaultKind.OVERLOADED, MESSAGE)
    spoken = DIALECTS[dialect]
    assert spoken.error_words(spoken.error_body(fault, "req_1")) == MESSAGE
    assert spoken.whole(spoken.error_body(fault, "req_1")).failed
