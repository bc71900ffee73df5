from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import ToolRef
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.restoring import Restorer
from holdgate.core.values.neutral_reply import (
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    TextDelta,
)
from tests.dialects.translation.conversations import REPLIES, called

NAMES = {
    "files_read": ToolRef("files.read"),
    "calendar__now": ToolRef("now", "calendar"),
    "apply_patch": ToolRef("apply_patch", custom=True),
}


def test_nothing_to_restore_costs_nothing() -> None:
    for events in REPLIES.values():
        assert Restorer({}).restore(events) is events
        if not any(isinstance(event, CallBegan) for event in events):
            assert Restorer(NAMES).restore(events) == events


def test_names_are_the_agents() -> None:
    events = [
        *called(0, "call_1", "files_read", '{"a"', ":1}"),
        *called(1, "call_2", "calendar__now", "{}"),
        *called(2, "call_3", "unknown", "{}"),
        Ended("tool"),
    ]
    assert Restorer(NAMES).restore(events) == [
        *called(0, "call_1", "files.read", '{"a"', ":1}"),
        *called(1, "call_2", "now", "{}", namespace="calendar"),
        *called(2, "call_3", "unknown", "{}"),
        Ended("tool"),
    ]


def test_a_vendors_own_namespaces_pass() -> None:
    events = called(0, "call_1", "files_read", "{}", namespace="its own")
    assert Restorer(NAMES).restore(events) == events


def test_a_custom_tools_text_is_told_as_it_comes() -> None:
    restorer = Restorer(NAMES)
    began = CallBegan(0, "call_1", "apply_patch")
    assert restorer.restore([began]) == [CallBegan(0, "call_1", "apply_patch", custom=True)]
    assert restorer.restore([CallDelta(0, '{"inp')]) == []
    assert restorer.restore([CallDelta(0, 'ut":"a')]) == [CallDelta(0, "a")]
    assert restorer.restore([TextDelta("b"), CallDelta(0, '\\n"}')]) == [
        TextDelta("b"),
        CallDelta(0, "\n"),
    ]
    assert restorer.restore([CallEnded(0)]) == [CallEnded(0)]


def test_other_arguments_are_told_at_the_end() -> None:
    events = called(0, "call_1", "apply_patch", "*** Begin", " Patch")
    assert Restorer(NAMES).restore(events) == called(
        0, "call_1", "apply_patch", "*** Begin Patch", custom=True
    )


def test_a_custom_tool_that_is_told_as_such_is_only_renamed() -> None:
    events = called(0, "call_1", "apply_patch", '{"input":"a"}', custom=True)
    assert Restorer(NAMES).restore(events) == events


def test_calls_that_come_together_are_kept_apart() -> None:
    events: list[Event] = [
        CallBegan(0, "call_1", "apply_patch"),
        CallBegan(1, "call_2", "apply_patch"),
        CallDelta(0, '{"input":"a'),
        CallDelta(1, '{"input":"b'),
        CallDelta(0, 'c"}'),
        CallEnded(0),
        CallEnded(1),
    ]
    told = Restorer(NAMES).restore(events)
    assert [event for event in told if isinstance(event, CallDelta)] == [
        CallDelta(0, "a"),
        CallDelta(1, "b"),
        CallDelta(0, "c"),
    ]


@given(st.text(), st.lists(st.integers(0, 60)))
def test_any_pieces_give_the_text(text: str, cuts: list[int]) -> None:
    arguments, at = as_arguments(text), 0
    pieces = []
    for cut in sorted(cuts):
        pieces.append(arguments[at:cut])
        at = max(at, cut)
    events = called(0, "call_1", "apply_patch", *pieces, arguments[at:])
    told = Restorer(NAMES).restore(events)
    assert "".join(event.text for event in told if isinstance(event, CallDelta)) == text
    assert all(event.text for event in told if isinstance(event, CallDelta))
