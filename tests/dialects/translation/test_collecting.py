from __future__ import annotations

import pytest

from holdgate.core.dialects.translation.collecting import collect
from holdgate.core.values.neutral import Call, Loss, Reasoning, Refusal, Text
from holdgate.core.values.neutral_reply import (
    Began,
    CallBegan,
    CallDelta,
    CallEnded,
    Ended,
    Event,
    Failed,
    Lost,
    RefusalDelta,
    TextDelta,
    TextSealed,
    ThoughtDelta,
    ThoughtEnded,
    Used,
)
from tests.dialects.translation.conversations import (
    BIG,
    ENCRYPTED,
    REDACTED,
    REPLIES,
    SIGNED,
    STRANGE,
    THOUGHT,
    USAGE,
)

Parts = tuple[Text | Reasoning | Refusal | Call, ...]
PARTS: dict[str, Parts] = {
    "text": (Text("Hello"),),
    "unicode": (Text(STRANGE),),
    "no_usage": (Text("Hello"),),
    "nothing": (),
    "usage_twice": (Text("Hello"),),
    "stop_sequence": (Text("Hello"),),
    "length": (Text("Hel"),),
    "filter": (),
    "refusal": (Refusal("I will not."),),
    "pause": (Text("Wait"),),
    "malformed": (),
    "one_call": (Text("I read."), Call("call_1", "read_file", '{"path":"a"}')),
    "parallel_calls": (Call("call_1", "read_file", BIG), Call("call_2", "list_files", "{}")),
    "interleaved_calls": (
        Call("call_1", "read_file", '{"path":"a"}'),
        Call("call_2", "list_files", '{"a":1}'),
    ),
    "call_then_text": (Call("call_1", "read_file", "{}"), Text("Called.")),
    "custom_call": (Call("call_p", "apply_patch", '*** Begin Patch\n+"é"\n', custom=True),),
    "thoughts": (Reasoning("I think.", (SIGNED,)), Reasoning("", (REDACTED,)), Text("So.")),
    "thoughts_between": (
        Text("First."),
        Reasoning("Hm."),
        Text("Second."),
        Call("call_1", "read_file", "{}"),
        Reasoning("And.", (ENCRYPTED,)),
        Call("call_2", "list_files", "{}"),
    ),
    "sealed_text": (Text("So.", seals=(THOUGHT,)),),
    "sealed_call": (Call("call_1", "read_file", "{}", seals=(THOUGHT,)),),
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_reply_is_collected(name: str) -> None:
    answer = collect(REPLIES[name])
    ended = REPLIES[name][-1]
    assert isinstance(ended, Ended)
    assert answer.parts == PARTS[name]
    assert (answer.why, answer.stop) == (ended.why, ended.stop)
    assert (answer.id, answer.model) == ("vendor-1", "vendor-model")
    used = any(isinstance(event, Used) for event in REPLIES[name])
    assert answer.usage == (USAGE if used else None)


def parts(*events: Event) -> Parts:
    return collect([*events, Ended("stop")]).parts


def test_a_seal_ends_the_text_that_it_belongs_to() -> None:
    assert parts(TextDelta("One."), TextSealed(THOUGHT), TextSealed(SIGNED), TextDelta("Two.")) == (
        Text("One.", seals=(THOUGHT, SIGNED)),
        Text("Two."),
    )


def test_a_seal_without_a_text_is_kept() -> None:
    assert parts(TextSealed(THOUGHT)) == (Text("", seals=(THOUGHT,)),)


def test_thoughts_without_an_end_are_kept() -> None:
    assert parts(ThoughtDelta("I "), ThoughtDelta("think")) == (Reasoning("I think"),)
    assert parts(ThoughtEnded()) == ()


def test_text_and_refusal_are_two() -> None:
    assert parts(TextDelta("I"), RefusalDelta("No")) == (Text("I"), Refusal("No"))


def test_a_cut_call_is_kept_as_it_is() -> None:
    assert parts(CallBegan(0, "c", "f"), CallDelta(0, '{"a')) == (Call("c", "f", '{"a'),)
    assert parts(CallBegan(0, "c", "f", True, "ns")) == (Call("c", "f", "", True, "ns"),)


def test_what_belongs_to_nothing_is_passed_over() -> None:
    assert parts(CallDelta(7, "x"), CallEnded(7), Lost(Loss("", "unreadable"))) == ()


def test_no_end_is_no_answer() -> None:
    with pytest.raises(ValueError, match="did not end"):
        collect([Began(), TextDelta("Hel")])


def test_a_failure_is_no_answer() -> None:
    with pytest.raises(ValueError, match="too busy"):
        collect([Began(), TextDelta("Hel"), Failed("too busy", b"{}"), Ended("stop")])


def test_many_pieces_are_joined() -> None:
    pieces: list[Event] = [TextDelta("a")] * 300_000
    assert parts(*pieces) == (Text("a" * 300_000),)
