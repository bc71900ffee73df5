"""A Gemini stream that the gateway opened: what its clients can bear, and the array."""

from __future__ import annotations

import json

from holdgate.core.dialects.base import Opening
from holdgate.core.dialects.table import DIALECTS
from tests.dialects.opened_feeding import Json, fed, opened, whole
from tests.dialects.streams import sse


def test_gemini_never_sends_what_breaks_its_clients() -> None:
    ours = opened("gemini")
    assert ours.feed(b": busy\n\n") == b"\n"
    assert ours.feed(b"\r\n\r\n") == b"\n"
    told = ours.feed(b': busy\r\nid: 7\r\ndata: {"candidates":\r\ndata: []}\r\n\r\n')
    assert told == (
        b'data: {"candidates":[],"modelVersion":"model-asked-for","responseId":"ours-1"}\n\n'
    )
    assert ours.feed(b"data: nonsense\n\n") == b""


def test_gemini_passes_a_bare_error() -> None:
    error = b'{\n  "error": {\n    "code": 503\n  }\n}\n'
    ours = opened("gemini")
    assert ours.feed(error) == b""
    assert ours.close() == error
    (told,) = fed("gemini", sse({"error": {"code": 503}}))
    assert told == {"error": {"code": 503}}


def test_gemini_whole_has_a_reason_to_end() -> None:
    candidate: Json = {"content": {"parts": [{"text": "a"}]}}
    (told,) = whole("gemini", {"candidates": [candidate, candidate | {"finishReason": "SAFETY"}]})
    assert [c["finishReason"] for c in told["candidates"]] == ["STOP", "SAFETY"]
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    ids = {"modelVersion": "model-asked-for", "responseId": "ours-1"}
    assert whole("gemini", blocked) == [blocked | ids]


def test_a_gemini_array_is_closed_once() -> None:
    ours = DIALECTS["gemini"].opened(Opening(False, "ours-1", "m", 1, "array"))
    told = ours.open() + ours.nothing() + ours.feed(b"[]") + ours.close() + ours.close()
    assert len(json.loads(told)) == 2
    unopened = DIALECTS["gemini"].opened(Opening(False, "ours-1", "m", 1, "array"))
    assert unopened.close() == b"[]"


def test_a_gemini_array_passes_whole_objects_only() -> None:
    ours = opened("gemini", "array")
    assert ours.feed(b'[{"candidates": [') == b""
    assert ours.feed(b']}, {"candidates": nonsense}, {"cand').startswith(b',\n{"candidates":[]')
    assert ours.close() == b"]"
