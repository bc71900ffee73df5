"""Seals on their way through an agent that speaks `responses`, and back to their maker."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.dialects.translation.responses.carriers import Carried, Place, carried, carry
from holdgate.core.values.neutral import Call, Message, Reasoning, Request, Seal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
)
from holdgate.core.values.seals import wrap
from tests.dialects.translation.any_text import ANY_TEXT
from tests.dialects.translation.responses import vendor_replies as vendor
from tests.dialects.translation.responses.responses_feeding import (
    OURS,
    THINKER,
    answered,
    bodies,
    heard,
    read,
    sse,
    telling,
    write,
)

ONE, TWO = Seal("g/gemini", "thought", "one"), Seal("a/messages", "signature", "two", "x")
EVENTS: list[Event] = [
    Began(),
    ThoughtDelta("hm"),
    ThoughtEnded((TWO,)),
    ThoughtEnded((ONE, TWO)),
    TextDelta("signed"),
    TextSealed(ONE),
    TextSealed(TWO),
    TextDelta("not signed"),
    CallBegan(0, "a", "f"),
    CallDelta(0, "{}"),
    CallEnded(0, (ONE,)),
    CallBegan(1, "b", "f"),
    CallDelta(1, "{}"),
    CallEnded(1),
    CallBegan(2, "c", "p", custom=True),
    CallDelta(2, "x"),
    CallEnded(2, (ONE, TWO)),
    Ended("tool"),
]
PARTS = (
    Reasoning("hm", (TWO,)),
    Reasoning("", (ONE, TWO)),
    Text("signed", seals=(ONE, TWO)),
    Text("not signed"),
    Call("a", "f", "{}", seals=(ONE,)),
    Call("b", "f", "{}"),
    Call("c", "p", "x", custom=True, seals=(ONE, TWO)),
)


def streamed(pieces: list[list[Event]]) -> list[dict[str, Any]]:
    writer = OURS.reply_writer(telling())
    found = bodies(b"".join(map(writer.tell, pieces)))
    output: list[dict[str, Any]] = found[-1]["response"]["output"]
    return output


@pytest.mark.parametrize("pieces", [[EVENTS], [[event] for event in EVENTS]])
def test_seals_come_back_to_their_places(pieces: list[list[Event]]) -> None:
    output = streamed(pieces)
    assert read(input=output).messages == (Message("assistant", PARTS),)


def test_seals_of_a_whole_reply_come_back_too() -> None:
    output = answered(collect(EVENTS))["output"]
    assert read(input=output).messages == (Message("assistant", PARTS),)


def test_agents_that_keep_neither_ids_nor_status() -> None:
    output = streamed([EVENTS])
    kept = [
        {name: value for name, value in item.items() if name not in ("id", "status")}
        for item in output
    ]
    assert read(input=kept).messages == (Message("assistant", PARTS),)


def test_seals_of_a_known_call_come_before_it() -> None:
    call = EVENTS[8:11]
    kinds = [item["type"] for item in streamed([[Began(), *call, Ended("tool")]])]
    assert kinds == ["reasoning", "function_call"]


def test_the_vendors_own_reasoning_returns_as_it_was() -> None:
    parts = collect(heard(sse(*vendor.by_the_reference()), OURS.reply_reader(THINKER))).parts
    body, _ = write(Request("messages", "m", (Message("assistant", parts),)), THINKER)
    item = body["input"][0]
    assert item["encrypted_content"] == vendor.THOUGHT["encrypted_content"]
    assert item["id"] == vendor.THOUGHT["id"]
    assert [each["type"] for each in body["input"]] == [
        "reasoning",
        "message",
        "function_call",
        "custom_tool_call",
    ]


def test_reasoning_that_comes_after_what_followed_it_is_out_of_its_place() -> None:
    told = [body for body in vendor.by_the_reference() if not body["type"].endswith("item.done")]
    assert [e for e in heard(sse(*told)) if isinstance(e, ThoughtEnded)] == [ThoughtEnded()]
    told = [body for body in told if body.get("output_index") != 0]
    assert [e for e in heard(sse(*told)) if isinstance(e, ThoughtEnded)] == [ThoughtEnded()]


seals = st.builds(Seal, *[st.text(max_size=5)] * 4)


@given(
    st.lists(seals, min_size=1).map(tuple),
    st.sampled_from(["thought", "call", "text"]),
    st.text(max_size=5),
)
def test_carriers_carry(found: tuple[Seal, ...], place: Place, call_id: str) -> None:
    call_id = "" if place == "thought" else call_id
    assert carried(carry(found, place, call_id)) == Carried(found, place, call_id)


@given(ANY_TEXT)
def test_whatever_else_is_in_the_slot_is_the_agents_own_vendors(text: str) -> None:
    assert carried(text, "id") == Carried((Seal("/responses", "encrypted", text, "id"),))


def test_a_carrier_that_was_changed_carries_nothing() -> None:
    assert carried(wrap(Seal("", "seals of a call", "[1]", "c"))) == Carried((), "call", "c")
    for place in ("call", "text"):
        lost = wrap(Seal("", f"seals of a {place}", json.dumps([["a", "b", "c", "d"]])))
        item = {"type": "reasoning", "summary": [], "encrypted_content": lost}
        assert read(input=[{"role": "user", "content": "hi"}, item]).messages == read().messages
    assert carry((), "thought") == ""


def test_agents_that_put_reasoning_first() -> None:
    output = streamed([EVENTS[:1] + EVENTS[8:]])
    first = sorted(output, key=lambda item: item["type"] != "reasoning")
    assert read(input=first).messages == (Message("assistant", PARTS[4:]),)


def test_a_call_without_an_id_has_its_seals_too() -> None:
    events: list[Event] = [CallBegan(0, "", "f"), CallEnded(0, (ONE,))]
    for output in (
        streamed([[Began(), *events, Ended("tool")]]),
        streamed([[Began()], [events[0]], [events[1]], [Ended("tool")]]),
        answered(collect([Began(), *events, Ended("tool")]))["output"],
    ):
        (call,) = read(input=output).messages[0].parts
        assert isinstance(call, Call)
        assert call.id.startswith("call_")
        assert call.seals == (ONE,)
