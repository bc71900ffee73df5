"""The timer wheel: never early, late by a turn at most, one timer of the loop for all."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.relay.wheel import TURN, Wheel
from tests.virtual_loop import START, run

Heard = list[tuple[str, float]]


def turning(
    scene: Callable[[Wheel, Callable[[str], Callable[[], None]]], Awaitable[None]],
) -> Heard:
    """Play `scene` with a wheel and a maker of bells; give what rang, and when."""
    heard: Heard = []

    async def play() -> None:
        loop = asyncio.get_running_loop()

        def bell(name: str) -> Callable[[], None]:
            return lambda: heard.append((name, loop.time() - START))

        await scene(Wheel(loop), bell)

    run(play())
    return heard


Bell = Callable[[str], Callable[[], None]]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0, 3)), max_size=12))
def test_never_early_and_late_by_a_turn_at_most(waits: list[tuple[float, float]]) -> None:
    due: dict[str, float] = {}

    async def scene(wheel: Wheel, bell: Bell) -> None:
        loop = asyncio.get_running_loop()
        for number, (seconds, pause) in enumerate(waits):
            due[str(number)] = loop.time() - START + seconds
            wheel.after(seconds, bell(str(number)))
            await asyncio.sleep(pause)
        await asyncio.sleep(60)

    heard = turning(scene)
    assert sorted(name for name, _ in heard) == sorted(due)
    assert [at for _, at in heard] == sorted(at for _, at in heard)
    for name, at in heard:
        assert due[name] - 1e-6 <= at <= due[name] + TURN + 1e-6


def test_moments_are_rounded_up_to_a_turn() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        for seconds in (15, 0.3, 0.25, 0.01):
            wheel.after(seconds, bell(f"{seconds}"))
        await asyncio.sleep(20)

    heard = dict(turning(scene))
    assert heard == {"15": 15, "0.3": 0.5, "0.25": 0.25, "0.01": 0.25}


def test_what_is_cancelled_does_not_ring() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        timers = [wheel.after(seconds, bell(f"{seconds}")) for seconds in (1, 1, 2)]
        timers[0].cancel()
        timers[2].cancel()
        timers[2].cancel()
        await asyncio.sleep(5)
        timers[1].cancel()

    assert turning(scene) == [("1", 1)]


def test_one_that_rings_may_cancel_another_of_its_turn() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        def ring(own: int) -> None:
            bell(f"{own}")()
            timers[1 - own].cancel()

        timers = [wheel.after(1, lambda own=own: ring(own)) for own in (0, 1)]  # type: ignore[misc]
        await asyncio.sleep(5)

    assert len(turning(scene)) == 1


def test_one_that_rings_may_set_the_next() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        def ring() -> None:
            bell("x")()
            wheel.after(15, ring)

        ring()
        await asyncio.sleep(46)
        wheel.close()

    assert turning(scene) == [("x", 0), ("x", 15), ("x", 30), ("x", 45)]


def test_at_once_is_at_once_or_a_turn_later() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        wheel.after(0, bell("a"))
        await asyncio.sleep(0.1)
        wheel.after(0, bell("b"))
        await asyncio.sleep(1)

    assert turning(scene) == [("a", 0), ("b", 0.25)]


def test_an_earlier_timer_goes_before_a_later_one() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        wheel.after(600, bell("late"))
        await asyncio.sleep(1)
        wheel.after(1, bell("soon"))
        await asyncio.sleep(700)

    assert turning(scene) == [("soon", 2), ("late", 600)]


def test_after_a_close_nothing_rings() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        wheel.after(1, bell("a"))
        wheel.close()
        wheel.close()
        await asyncio.sleep(5)

    assert turning(scene) == []


def test_one_that_rings_may_close_the_wheel() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        def ring() -> None:
            bell("x")()
            wheel.close()

        wheel.after(1, ring)
        wheel.after(1, ring)
        wheel.after(2, ring)
        await asyncio.sleep(5)

    assert turning(scene) == [("x", 1)]


def test_one_that_raises_does_not_silence_the_others() -> None:
    errors: list[object] = []

    async def scene(wheel: Wheel, bell: Bell) -> None:
        def fail() -> None:
            bell("bad")()
            raise LookupError

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: errors.append(context["exception"]))
        for number in range(4):
            wheel.after(1, fail if number == 0 else bell("good"))
        wheel.after(2, bell("later"))
        await asyncio.sleep(5)

    heard = turning(scene)
    assert sorted(heard) == [("bad", 1), ("good", 1), ("good", 1), ("good", 1), ("later", 2)]
    assert [type(error) for error in errors] == [LookupError]


def test_thousands_cost_one_timer_of_the_loop_a_turn() -> None:
    class Counting(asyncio.SelectorEventLoop):
        calls = 0

        def call_at(self, *args: object, **more: object) -> asyncio.TimerHandle:
            Counting.calls += 1
            return super().call_at(*args, **more)  # type: ignore[arg-type]

    loop = Counting()
    wheel = Wheel(loop)
    for _ in range(5000):
        wheel.after(15, lambda: None)
    wheel.close()
    loop.close()
    assert Counting.calls == pytest.approx(1, abs=math.ceil(1 / TURN))


def test_one_that_sets_itself_again_does_not_delay_the_others() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        def again() -> None:
            bell("again")()
            wheel.after(10, lambda: None)

        wheel.after(1, again)
        wheel.after(2, bell("other"))
        await asyncio.sleep(5)

    assert turning(scene) == [("again", 1), ("other", 2)]


def test_a_bell_that_sets_a_later_timer_does_not_delay_the_earlier_ones() -> None:
    async def scene(wheel: Wheel, bell: Bell) -> None:
        def first() -> None:
            bell("first")()
            wheel.after(20, bell("last"))

        wheel.after(10, first)
        wheel.after(15, bell("between"))
        await asyncio.sleep(60)

    assert turning(scene) == [("first", 10), ("between", 15), ("last", 30)]
