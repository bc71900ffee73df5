"""What holds a lane back besides its limits: pauses, a vendor's rest, and what 429s found."""

from __future__ import annotations

import math

import pytest

from holdgate.core.traffic.lane import ADAPTED_FOR, LINGER, Limits
from tests.traffic.queueing import ONE, TWO, Queue

OTHER_KEY = ("one", "second")


def pause(queue: Queue, provider: str | None, until: float) -> None:
    queue.gate.pause(provider, until)
    queue.advance()


def resume(queue: Queue, provider: str | None) -> None:
    queue.gate.resume(provider)
    queue.advance()


def test_a_paused_lane_starts_nothing() -> None:
    queue = Queue({ONE: Limits(), OTHER_KEY: Limits(), TWO: Limits()})
    pause(queue, "one", math.inf)
    queue.enter("a", ONE)
    queue.enter("b", OTHER_KEY)
    queue.enter("c", TWO)
    assert queue.order == ["c"]
    assert queue.gate.wake_at(0) is None
    queue.until(10_000)
    assert queue.order == ["c"]
    resume(queue, "one")
    assert queue.order == ["c", "a", "b"]


def test_what_runs_goes_on_through_a_pause() -> None:
    queue = Queue({ONE: Limits(1)})
    queue.enter("a")
    pause(queue, None, math.inf)
    assert queue.tickets["a"].state == "running"
    queue.enter("b")
    queue.leave("a")
    assert queue.order == ["a"]


def test_a_pause_ends_by_itself() -> None:
    queue = Queue({ONE: Limits()})
    pause(queue, "one", 1800)
    queue.enter("a")
    assert queue.gate.wake_at(0) == 1800
    queue.until(2000)
    assert queue.started == [(1800, "a", "one")]


def test_both_pauses_must_be_over() -> None:
    queue = Queue({ONE: Limits()})
    pause(queue, "one", 100)
    pause(queue, None, 200)
    assert (queue.gate.paused_until("one"), queue.gate.paused_until(None)) == (100, 200)
    assert queue.gate.paused_until("two") == 0
    queue.enter("a")
    queue.until(300)
    assert queue.started == [(200, "a", "one")]


def test_resuming_all_ends_every_pause() -> None:
    queue = Queue({ONE: Limits()})
    pause(queue, "one", math.inf)
    queue.enter("a")
    resume(queue, None)
    assert queue.order == ["a"]


def test_resuming_one_leaves_the_pause_of_all() -> None:
    queue = Queue({ONE: Limits()})
    pause(queue, None, math.inf)
    queue.enter("a")
    resume(queue, "one")
    assert queue.order == []


def test_a_lane_that_comes_later_is_paused_too() -> None:
    queue = Queue({})
    pause(queue, "one", math.inf)
    queue.configure({ONE: Limits()})
    queue.enter("a")
    assert queue.order == []


def test_paused_in_one_lane_it_starts_in_the_other() -> None:
    queue = Queue({ONE: Limits(), TWO: Limits()})
    pause(queue, "one", math.inf)
    queue.enter("a", ONE, TWO)
    assert queue.started == [(0, "a", "two")]


def test_who_gives_up_in_a_pause_is_told_of_it() -> None:
    queue = Queue({ONE: Limits(wait=30)})
    pause(queue, "one", math.inf)
    queue.enter("a")
    queue.until(30)
    assert queue.reasons("a") == ["waited 30s for a place, it is paused"]


def resting() -> Queue:
    """Let a lane rest till 20, with a, b and c in its line."""
    queue = Queue({ONE: Limits(concurrency=3)})
    queue.close(ONE, 20)
    for id in "abc":
        queue.enter(id)
    assert queue.order == []
    queue.until(20)
    return queue


def test_after_a_rest_only_one_goes_until_it_is_answered() -> None:
    queue = resting()
    queue.sent("a")
    queue.until(500)
    assert queue.started == [(20, "a", "one")]
    queue.answered("a")
    assert queue.started[1:] == [(500, "b", "one"), (500, "c", "one")]


def test_an_aborted_probe_lets_the_next_one_probe() -> None:
    queue = resting()
    queue.sent("a")
    queue.until(30)
    queue.leave("a", aborted=True)
    assert queue.started[1:] == [(30, "b", "one")]
    queue.until(50)
    assert queue.order == ["a", "b"]
    queue.answered("b")
    assert queue.order == ["a", "b", "c"]


def test_a_probe_that_meets_a_429_lets_the_lane_rest_again() -> None:
    queue = resting()
    queue.close(ONE, 60)
    queue.leave("a")
    queue.again("a")
    queue.until(100)
    assert queue.started == [(20, "a", "one"), (60, "a", "one")]


def test_an_answer_from_before_the_rest_is_no_probe() -> None:
    queue = Queue({ONE: Limits()})
    queue.enter("old")
    queue.close(ONE, 20)
    queue.enter("a")
    queue.enter("b")
    queue.until(20)
    queue.answered("old")
    assert queue.order == ["old", "a"]
    queue.answered("a")
    assert queue.order == ["old", "a", "b"]


def test_a_probe_that_still_streams_does_not_bar_the_next_rests_probe() -> None:
    queue = resting()
    queue.answered("a")
    queue.enter("d")
    queue.close(ONE, 40)
    queue.leave("b", "c")
    queue.until(40)
    assert queue.started[3:] == [(40, "d", "one")]


def test_a_shorter_rest_does_not_shorten_the_longer() -> None:
    queue = Queue({ONE: Limits()})
    queue.close(ONE, 50, "the long one")
    queue.close(ONE, 20, "the short one")
    assert (queue.lane().closed_until, queue.lane().closed_why) == (50, "the long one")
    queue.enter("a")
    assert queue.gate.wake_at(0) == 50


def test_a_resting_lane_leaves_the_others_open() -> None:
    queue = Queue({ONE: Limits(), TWO: Limits()})
    queue.close(ONE, 50)
    queue.enter("a", ONE, TWO)
    assert queue.started == [(0, "a", "two")]


def narrowed(under_way: int, concurrency: int = 0) -> Queue:
    queue = Queue({ONE: Limits(concurrency)})
    for number in range(under_way):
        queue.enter(f"{number}")
    queue.gate.narrow(ONE, queue.now)
    return queue


@pytest.mark.parametrize(("under_way", "most"), [(0, 1), (1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
def test_a_429_without_a_time_halves_what_may_go_at_once(under_way: int, most: int) -> None:
    queue = narrowed(under_way)
    assert queue.lane().concurrency(0) == most
    queue.enter("x")
    assert queue.tickets["x"].state == ("running" if under_way < most else "waiting")
    queue.leave(*[f"{number}" for number in range(under_way)])
    assert queue.order[-1] == "x"


def test_it_grows_by_one_after_as_many_answers() -> None:
    queue = narrowed(4)
    grown = []
    for number in (0, 1, 2, 3, 0, 1):
        queue.answered(f"{number}")
        grown.append(queue.lane().allowed)
    assert grown == [2, 3, 3, 3, 4, 4]


def test_growing_lets_the_next_one_go() -> None:
    queue = narrowed(2)
    queue.leave("0")
    queue.enter("x")
    assert queue.tickets["x"].state == "waiting"
    queue.answered("1")
    assert queue.order == ["0", "1", "x"]


def test_what_was_found_is_forgotten_after_ten_minutes() -> None:
    queue = narrowed(2)
    queue.enter("x")
    queue.enter("y")
    assert queue.gate.wake_at(0) == ADAPTED_FOR == 600
    queue.until(599)
    assert queue.order == ["0", "1"]
    queue.until(700)
    assert queue.started[2:] == [(600, "x", "one"), (600, "y", "one")]
    assert queue.lane().concurrency(700) == 0


def test_a_number_that_the_person_named_stays() -> None:
    queue = narrowed(4, concurrency=4)
    assert queue.lane().concurrency(0) == 4
    queue.leave("0")
    queue.enter("x")
    assert queue.order[-1] == "x"


def test_a_number_named_later_replaces_what_was_found() -> None:
    queue = narrowed(4)
    queue.enter("x")
    queue.configure({ONE: Limits(concurrency=5)})
    assert queue.order[-1] == "x"


def test_a_found_number_counts_slots_that_linger() -> None:
    queue = narrowed(2)
    queue.sent("0", "1")
    queue.enter("x")
    queue.until(5)
    queue.leave("0", "1", aborted=True)
    queue.until(6)
    assert queue.started[2:] == [(5 + LINGER, "x", "one")]


def test_tokens_are_estimated_then_corrected() -> None:
    queue = Queue({ONE: Limits(tpm=100)})
    queue.enter("a", tokens=80)
    queue.sent("a")
    queue.enter("b", tokens=50)
    assert queue.gate.wake_at(0) == 60.25
    queue.until(5)
    queue.answered("a", tokens=50)
    assert queue.started[1:] == [(5, "b", "one")]


def test_a_correction_may_be_upwards() -> None:
    queue = Queue({ONE: Limits(tpm=100)})
    queue.enter("a", tokens=10)
    queue.sent("a")
    queue.answered("a", tokens=90)
    queue.enter("b", tokens=20)
    queue.until(100)
    assert queue.started[1:] == [(60.25, "b", "one")]


def test_more_tokens_than_the_limit_go_alone() -> None:
    queue = Queue({ONE: Limits(tpm=100)})
    queue.enter("a", tokens=500)
    queue.sent("a")
    queue.enter("b", tokens=1)
    queue.until(30)
    assert queue.order == ["a"]
    queue.until(60.25)
    queue.sent("b")
    queue.enter("c", tokens=500)
    queue.until(200)
    assert queue.started == [(0, "a", "one"), (60.25, "b", "one"), (120.5, "c", "one")]


def test_a_change_of_tokens_lets_go() -> None:
    queue = Queue({ONE: Limits(tpm=100)})
    queue.enter("a", tokens=80)
    queue.enter("b", tokens=50)
    queue.configure({ONE: Limits(tpm=130)})
    assert queue.order == ["a", "b"]


def test_the_limit_is_named_with_its_number() -> None:
    queue = Queue({ONE: Limits(tpm=4000, window=10)})
    queue.enter("a", tokens=4000)
    assert queue.lane().limit_words(0) == "4000 tokens in 10s is its limit"
