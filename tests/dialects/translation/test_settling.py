from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.settling import settle
from holdgate.core.values.neutral import (
    CacheMark,
    Call,
    Image,
    Loss,
    Message,
    Part,
    Reasoning,
    Refusal,
    Result,
    Text,
)
from tests.dialects.translation.conversations import (
    PIXEL,
    REQUESTS,
    THOUGHT,
    assistant,
    call,
    result,
    said,
    turns,
    user,
)

PICTURE = Image("image/png", data=PIXEL)
MENDED = {"orphan_result", "unanswered_call", "late_result"}


def settled(*messages: Message) -> list[Message]:
    return list(settle(messages)[0])


def lost(*messages: Message) -> list[Loss]:
    return list(settle(messages)[1])


def missing(id: str, name: str = "read_file") -> Result:
    return Result(id, (Text("no result"),), name, is_error=True)


def found(id: str, text: str) -> Result:
    return result(id, text, name="read_file")


@pytest.mark.parametrize("name", sorted(set(REQUESTS) - MENDED))
def test_what_is_in_order_loses_nothing(name: str) -> None:
    messages, losses = settle(REQUESTS[name].messages)
    assert losses == ()
    assert [message.role for message in messages] == [m.role for m in REQUESTS[name].messages]
    assert settle(messages) == (messages, ())


def test_results_come_in_the_order_of_their_calls_before_all_else() -> None:
    assert settled(
        assistant(call("a"), call("b")), user("Now.", result("b", "2"), PICTURE, result("a", "1"))
    ) == [
        assistant(call("a"), call("b")),
        user(found("a", "1"), found("b", "2"), "Now.", PICTURE),
    ]


def test_calls_and_results_of_many_messages_are_merged() -> None:
    assert settled(
        assistant(Reasoning("Hm."), call("a")),
        assistant(call("b")),
        assistant("Both."),
        user(result("b", "2")),
        user(result("a", "1")),
        user("Go on."),
    ) == [
        assistant(Reasoning("Hm."), call("a"), call("b"), "Both."),
        user(found("a", "1"), found("b", "2"), "Go on."),
    ]


def test_turns_of_calls_are_not_merged() -> None:
    messages = [
        assistant(call("a")),
        user(found("a", "1")),
        assistant(call("b")),
        user(found("b", "2")),
        assistant("Done."),
    ]
    assert settled(*messages) == messages


def test_a_late_result_moves_to_its_call() -> None:
    messages = (
        assistant(call("a")),
        user("Wait."),
        assistant("I wait."),
        user(result("a", "1"), "So?"),
    )
    assert settled(*messages) == [
        assistant(call("a")),
        user(found("a", "1"), "Wait."),
        assistant("I wait."),
        user("So?"),
    ]
    assert lost(*messages) == [Loss("messages[3].parts[0]", "a late result, moved behind its call")]


def test_a_system_message_stands_behind_the_results() -> None:
    for role in ("system", "developer"):
        between = said(role, "Be brief.")
        assert settled(assistant(call("a")), between, user(result("a", "1"), "So?")) == [
            assistant(call("a")),
            user(found("a", "1")),
            between,
            user("So?"),
        ]


def test_system_messages_are_not_merged() -> None:
    messages = [said("system", "A"), said("system", "B"), said("developer", "C"), user("D")]
    assert settled(*messages) == messages


def test_a_call_without_a_result_is_answered() -> None:
    messages = (assistant(call("a"), call("b")), user("Stop.", result("b", "2")), assistant("Ok."))
    assert settled(*messages) == [
        assistant(call("a"), call("b")),
        user(missing("a"), found("b", "2"), "Stop."),
        assistant("Ok."),
    ]
    assert lost(*messages) == [
        Loss("messages[0].parts[0]", "a call without a result, answered as an error")
    ]


def test_the_last_messages_calls_are_still_open() -> None:
    messages = (user("Read."), assistant(call("a")))
    assert settle(messages) == (messages, ())


def test_a_result_in_the_message_of_its_call_is_kept() -> None:
    assert settled(assistant(call("a"), result("a", "1"))) == [
        assistant(call("a")),
        user(found("a", "1")),
    ]


def test_a_result_without_a_call_is_told_as_text() -> None:
    mark = CacheMark("1h")
    messages = (user(result("gone", "old", PICTURE, "too", cache=mark), "And now?"),)
    told = Text("[result of an unknown tool call]\nold\ntoo")
    marked = Image("image/png", data=PIXEL, cache=mark)
    assert settled(*messages) == [user(told, marked, "And now?")]
    assert lost(*messages) == [
        Loss("messages[0].parts[0]", "a result without a call, told as text")
    ]


def test_a_result_before_its_call_is_none() -> None:
    assert settled(user(result("a", "1")), assistant(call("a")), user("So?")) == [
        user("[result of an unknown tool call]\n1"),
        assistant(call("a")),
        user(missing("a"), "So?"),
    ]


def test_the_first_of_two_results_counts() -> None:
    messages = (assistant(call("a")), user(result("a", "1"), result("a", "2")))
    assert settled(*messages) == [
        assistant(call("a")),
        user(found("a", "1"), "[another result of the same tool call]\n2"),
    ]
    assert [loss.why for loss in lost(*messages)] == ["a second result of one call, told as text"]


def test_ids_that_are_counted_anew_each_turn_become_unique() -> None:
    messages = (
        assistant(call("a")),
        user(result("a", "1")),
        assistant(call("a")),
        user(result("a", "2")),
        assistant(call("a"), call("a")),
        user(result("a", "3"), result("a", "4")),
    )
    assert settled(*messages) == [
        assistant(call("a")),
        user(found("a", "1")),
        assistant(call("a_2")),
        user(found("a_2", "2")),
        assistant(call("a_3"), call("a_4")),
        user(found("a_3", "3"), found("a_4", "4")),
    ]
    assert {loss.why for loss in lost(*messages)} == {"the id of an earlier call, changed"}


def test_a_new_call_with_an_old_id_leaves_the_old_one_unanswered() -> None:
    assert settled(
        assistant(call("a")), user("No."), assistant(call("a")), user(result("a", "2"))
    ) == [
        assistant(call("a")),
        user(missing("a"), "No."),
        assistant(call("a_2")),
        user(found("a_2", "2")),
    ]


def test_a_result_has_its_calls_name_and_kind() -> None:
    patch = call("a", "apply_patch", "*** Begin Patch", custom=True)
    assert settled(assistant(patch), user(result("a", "1", name="other"))) == [
        assistant(patch),
        user(result("a", "1", name="apply_patch", custom=True)),
    ]


def test_what_is_empty_is_left_out() -> None:
    assert settled(
        said("system", ""),
        user("", "Hello"),
        assistant("", Reasoning(), Refusal("")),
        user(Text("", CacheMark())),
        user(),
        assistant(call("a"), Text("", seals=(THOUGHT,))),
        user(result("a", "", "1", "")),
    ) == [
        user("Hello"),
        assistant(call("a"), Reasoning(seals=(THOUGHT,))),
        user(found("a", "1")),
    ]


def test_a_name_survives_a_merge() -> None:
    messages = (assistant(call("a")), user(result("a", "1")), said("user", "Hello", name="bob"))
    assert settled(*messages)[1] == said("user", found("a", "1"), "Hello", name="bob")


IDS = st.sampled_from("abc")
TEXTS = st.sampled_from(["", "x", "y"])
TEXT_PARTS: st.SearchStrategy[Part] = st.builds(Text, TEXTS)
RESULTS: st.SearchStrategy[Part] = st.builds(result, IDS, TEXTS)
CALLS: st.SearchStrategy[Part] = st.builds(call, IDS)
USERS = st.lists(TEXT_PARTS | RESULTS, max_size=4).map(lambda parts: user(*parts))
ASSISTANTS = st.lists(TEXT_PARTS | CALLS, max_size=4).map(lambda parts: assistant(*parts))
SYSTEMS = st.lists(TEXT_PARTS, max_size=2).map(lambda parts: said("system", *parts))
CONVERSATIONS = st.lists(USERS | ASSISTANTS | SYSTEMS, max_size=8).map(tuple)


@given(CONVERSATIONS)
def test_any_conversation_comes_out_in_order(messages: tuple[Message, ...]) -> None:
    told, losses = settle(messages)
    assert not any(loss.grave for loss in losses)
    ids: list[str] = []
    for number, message in enumerate(told):
        assert message.parts
        assert Text("") not in message.parts
        calls = [part.id for part in message.parts if isinstance(part, Call)]
        ids += calls
        results = [part for part in message.parts if isinstance(part, Result)]
        assert list(message.parts[: len(results)]) == results
        before = told[number - 1].parts if number else ()
        assert [r.call_id for r in results] == [p.id for p in before if isinstance(p, Call)]
        if calls and number + 1 < len(told):
            assert told[number + 1].role == "user"
            assert isinstance(told[number + 1].parts[0], Result)
        if number and message.role != "system":
            assert told[number - 1].role != message.role
    assert len(set(ids)) == len(ids)
    assert settle(told) == (told, ())


@given(CONVERSATIONS)
def test_every_text_is_kept(messages: tuple[Message, ...]) -> None:
    told, _ = settle(messages)
    before, after = words(messages), words(told)
    for letter in "xy":
        assert after.count(letter) == before.count(letter)


@given(CONVERSATIONS, CONVERSATIONS)
def test_more_turns_do_not_change_the_earlier(
    earlier: tuple[Message, ...], later: tuple[Message, ...]
) -> None:
    if passed_over(earlier):
        later = tuple(message for message in later if not has_results(message))
    short = settle(earlier)[0][:-1]
    assert settle((*earlier, *later))[0][: len(short)] == short


def test_an_agents_conversation_grows_at_its_end() -> None:
    told = [settle(request.messages)[0] for request in turns()]
    for short, long in pairwise(told):
        assert long[: len(short) - 1] == short[:-1]
        assert long[len(short) - 1].parts[: len(short[-1].parts)] == short[-1].parts


def test_a_long_conversation_takes_no_time() -> None:
    turn = (assistant(call("a")), user(result("a", "1"), "Go on."))
    told, _ = settle(turn * 3000)
    assert len(told) == 6000


def passed_over(messages: tuple[Message, ...]) -> bool:
    """Tell whether a call is answered that no result came for: a later result would move."""
    return Text("no result") in [
        part
        for message in settle(messages)[0]
        for result in message.parts
        if isinstance(result, Result)
        for part in result.parts
    ]


def has_results(message: Message) -> bool:
    return any(isinstance(part, Result) for part in message.parts)


def words(messages: tuple[Message, ...]) -> str:
    told = []
    for message in messages:
        for part in message.parts:
            inner = part.parts if isinstance(part, Result) else (part,)
            texts = [p.text for p in inner if isinstance(p, Text)]
            told += [text.rpartition("\n")[2] for text in texts]
    return " ".join(told)
