"""A line: whose turn it is."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.traffic.line import BACKGROUND_SHARE, Line
from holdgate.core.traffic.ticket import Ticket
from tests.traffic.queueing import ticket_of


def ticket(number: int, caller: str, conversation: str, *, background: bool = False) -> Ticket:
    made = ticket_of(
        f"{caller}{conversation}{number}",
        caller=caller,
        conversation=conversation,
        background=background,
    )
    made.rank = (number, number)
    return made


def line_of(tickets: Iterable[Ticket]) -> Line:
    line = Line()
    for each in tickets:
        line.add(each)
    return line


def line_in(words: str) -> tuple[Line, dict[str, Ticket]]:
    """Give a line of words of a caller and a conversation, in order of arrival."""
    made = [ticket(number, word[0], word[1]) for number, word in enumerate(words.split())]
    return line_of(made), {each.id: each for each in made}


def taken(line: Line, most: int = 1000) -> list[str]:
    """Take heads until nobody is there."""
    ids: list[str] = []
    while (head := line.head()) is not None and len(ids) < most:
        line.take(head)
        ids.append(head.id)
    return ids


def ordered(line: Line) -> list[str]:
    return [each.id for each in line.order()]


def miss(line: Line, absent: Ticket) -> None:
    absent.present = False
    line.miss(absent)


def test_who_asks_most_waits_no_less() -> None:
    line, _ = line_in("ax ax ax ax bx cx")
    assert taken(line) == ["ax0", "bx4", "cx5", "ax1", "ax2", "ax3"]


def test_inside_a_caller_conversations_take_turns() -> None:
    line, _ = line_in("ax ax ay ax az bx")
    assert taken(line) == ["ax0", "bx5", "ay2", "az4", "ax1", "ax3"]


def test_inside_a_conversation_the_first_come_is_the_first_served() -> None:
    line = line_of(ticket(number, "a", "x") for number in (3, 1, 2))
    assert taken(line) == ["ax1", "ax2", "ax3"]


def test_who_has_just_started_goes_to_the_end() -> None:
    line, _ = line_in("ax ax bx bx")
    assert taken(line, 1) == ["ax0"]
    line.add(ticket(9, "c", "x"))
    assert taken(line) == ["bx2", "ax1", "cx9", "bx3"]


def test_leaving_without_a_start_costs_no_turn() -> None:
    line, tickets = line_in("ax ax bx")
    line.remove(tickets["ax0"])
    assert taken(line) == ["ax1", "bx2"]


def test_one_start_in_five_is_for_the_background() -> None:
    people = [ticket(number, "a", "x") for number in range(12)]
    nightly = [ticket(100 + number, "b", "x", background=True) for number in range(3)]
    line = line_of([*nightly, *people])
    starts = [id[0] for id in taken(line)]
    assert starts == list("aaaab" * 2 + "aaaab")
    assert BACKGROUND_SHARE == 5


def test_the_background_goes_when_nobody_else_is_there() -> None:
    line = line_of(ticket(number, "b", "x", background=True) for number in range(3))
    assert taken(line) == ["bx0", "bx1", "bx2"]


def test_the_background_waits_its_share_after_its_own_start() -> None:
    line = line_of([ticket(0, "b", "x", background=True)])
    assert taken(line) == ["bx0"]
    line = line_of([ticket(1, "b", "x", background=True), ticket(2, "a", "x")])
    assert taken(line) == ["ax2", "bx1"]


def test_the_absent_are_passed_over() -> None:
    line, tickets = line_in("ax ax bx")
    miss(line, tickets["ax0"])
    assert len(line) == 2
    assert ordered(line) == ["ax1", "bx2"]
    assert taken(line) == ["ax1", "bx2"]
    assert not line.is_empty


def test_the_absent_keep_their_rank_and_turn() -> None:
    line, tickets = line_in("ax bx bx cx")
    miss(line, tickets["ax0"])
    assert taken(line, 1) == ["bx1"]
    back = ticket(0, "a", "x")
    line.add(back)
    line.remove(tickets["ax0"])
    assert taken(line) == ["ax0", "cx3", "bx2"]


def test_the_absent_keep_their_rank_in_a_conversation() -> None:
    line, tickets = line_in("ax ax ax")
    miss(line, tickets["ax0"])
    assert taken(line, 1) == ["ax1"]
    line.add(ticket(0, "a", "x"))
    line.remove(tickets["ax0"])
    assert taken(line) == ["ax0", "ax2"]


def test_an_absent_conversation_keeps_its_turn() -> None:
    line, tickets = line_in("ax ay ay")
    miss(line, tickets["ax0"])
    assert taken(line, 1) == ["ay1"]
    line.add(ticket(0, "a", "x"))
    line.remove(tickets["ax0"])
    assert taken(line) == ["ax0", "ay2"]


def test_a_line_of_absent_ones_has_no_head() -> None:
    line, tickets = line_in("ax")
    miss(line, tickets["ax0"])
    assert (line.head(), len(line), line.is_empty) == (None, 0, False)
    line.remove(tickets["ax0"])
    assert (len(line), line.is_empty) == (0, True)


def test_moved_to_the_front_it_goes_before_all_others() -> None:
    line, tickets = line_in("ax bx cx dx")
    line.to_front(tickets["cx2"])
    line.to_front(tickets["dx3"])
    assert ordered(line) == ["dx3", "cx2", "ax0", "bx1"]
    assert taken(line) == ["dx3", "cx2", "ax0", "bx1"]


def test_served_in_vain_it_goes_first_and_costs_no_turn() -> None:
    line, _ = line_in("ax ax bx")
    line.put_first(ticket(9, "a", "y"))
    assert taken(line) == ["ay9", "ax0", "bx2", "ax1"]


def test_the_front_may_be_absent_and_may_leave() -> None:
    line, tickets = line_in("ax bx cx")
    line.to_front(tickets["cx2"])
    miss(line, tickets["cx2"])
    assert (len(line), ordered(line)) == (2, ["ax0", "bx1"])
    line.remove(tickets["cx2"])
    assert taken(line) == ["ax0", "bx1"]
    assert line.is_empty


MEMBERS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.booleans(), st.booleans()),
    max_size=24,
)


@given(MEMBERS, st.integers(0, 12), st.data())
def test_the_order_is_what_taking_heads_gives(
    members: list[tuple[str, str, bool, bool]], before: int, data: st.DataObject
) -> None:
    tickets = [
        ticket(number, caller, conversation, background=background)
        for number, (caller, conversation, background, _) in enumerate(members)
    ]
    line = line_of(tickets)
    gone = set(taken(line, before))
    left = [each for each in tickets if each.id not in gone]
    for each in left:
        if data.draw(st.integers(0, 5)) == 0:
            line.to_front(each)
        if members[each.rank[1]][3]:
            miss(line, each)
    expected = ordered(line)
    assert len(line) == len(expected) == sum(each.present for each in left)
    assert taken(line) == expected
    assert line.is_empty is all(each.present for each in left)
