"""Opaque values with half a character: they cannot go back unchanged, so they are none."""

from __future__ import annotations

import json
from time import perf_counter
from typing import Any

import pytest

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.table import TRANSLATORS
from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Seal
from holdgate.core.values.neutral_reply import CallEnded, Event, TextSealed, ThoughtEnded

HALF = "Ab\ud800"
CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
GOOGLE = {"google": {"thought_signature": HALF}}


def chat(signed: dict[str, Any]) -> list[Any]:
    return [{"id": "1", "choices": [{"index": 0, "delta": signed, "finish_reason": "stop"}]}]


def messages(*events: dict[str, Any]) -> list[Any]:
    return [{"type": "message_start", "message": {"id": "m"}}, *events, {"type": "message_stop"}]


def gemini(part: dict[str, Any]) -> list[Any]:
    return [{"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}]


def block(**block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": 0, "content_block": block}


def signature(value: str) -> dict[str, Any]:
    delta = {"type": "signature_delta", "signature": value}
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def reasoned(id: str, encrypted: str) -> list[Any]:
    item = {"type": "reasoning", "id": id, "summary": [], "encrypted_content": encrypted}
    return [{"type": "response.completed", "response": {"id": "r", "output": [item]}}]


CASES: list[tuple[DialectName, list[Any]]] = [
    ("chat", chat({"content": "T", "extra_content": GOOGLE})),
    ("chat", chat({"tool_calls": [CALL | {"extra_content": GOOGLE}]})),
    ("responses", reasoned("rs_1", HALF)),
    ("messages", messages(block(type="thinking", thinking="", signature=HALF))),
    ("messages", messages(block(type="thinking", thinking="hm"), signature(HALF))),
    ("messages", messages(block(type="redacted_thinking", data=HALF))),
    ("gemini", gemini({"text": "T", "thoughtSignature": HALF})),
    ("gemini", gemini({"text": "T", "thought": True, "thoughtSignature": HALF})),
    ("gemini", gemini({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": HALF})),
]


def heard(dialect: DialectName, told: list[Any]) -> list[Event]:
    """Give the events of a stream, in which half a character is an escape."""
    reader = TRANSLATORS[dialect].reply_reader(Target("p", dialect, "m"))
    events: list[Event] = []
    for each in told:
        events += reader.feed(b"data: " + json.dumps(each).encode() + b"\n\n")
    return events + reader.close()


def seals_of(events: list[Event]) -> list[Seal]:
    found: list[Seal] = []
    for event in events:
        match event:
            case CallEnded(seals=seals) | ThoughtEnded(seals=seals):
                found += seals
            case TextSealed(seal=seal):
                found.append(seal)
            case _:
                pass
    return found


@pytest.mark.parametrize(("dialect", "told"), CASES)
def test_half_a_character_seals_nothing(dialect: DialectName, told: list[Any]) -> None:
    assert seals_of(heard(dialect, told)) == []
    whole = json.loads(json.dumps(told).replace("\\ud800", "=="))
    assert [seal.value for seal in seals_of(heard(dialect, whole))] == ["Ab=="]


def test_an_item_whose_id_is_no_text_keeps_its_seal() -> None:
    found = seals_of(heard("responses", reasoned(HALF, "abc")))
    assert found == [Seal("p/responses", "encrypted", "abc")]


def test_many_items_of_a_response_take_no_square_of_time() -> None:
    items = [
        {
            "type": "message",
            "id": f"m{n}",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "a"}],
        }
        for n in range(4000)
    ]
    told = [
        {"type": "response.output_item.done", "output_index": n, "item": i}
        for n, i in enumerate(items)
    ]
    told.append({"type": "response.completed", "response": {"id": "r", "output": items}})
    before = perf_counter()
    heard("responses", told)
    assert perf_counter() - before < 1.5  # 5 with a look at every item for each
