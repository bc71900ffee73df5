"""The virtual loop: timers cost nothing, sockets and threads are waited for, hanging is told."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.virtual_loop import EPOCH, START, Deadlock, clock_of, run


def test_an_hour_costs_nothing() -> None:
    async def scene() -> list[float]:
        loop = asyncio.get_running_loop()
        moments = []
        for _ in range(60):
            await asyncio.sleep(60)
            moments.append(loop.time() - START)
        return moments

    before = time.perf_counter()
    assert run(scene()) == [60.0 * minute for minute in range(1, 61)]
    assert time.perf_counter() - before < 2


def test_timers_ring_in_their_order() -> None:
    async def scene() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        heard: list[tuple[str, float]] = []

        def ring(name: str) -> None:
            heard.append((name, loop.time() - START))

        for name, after in (("c", 30.5), ("a", 0.25), ("b", 7)):
            loop.call_later(after, ring, name)
        loop.call_later(8, ring, "never").cancel()
        await asyncio.sleep(31)
        return heard

    assert run(scene()) == [("a", 0.25), ("b", 7), ("c", 30.5)]


def test_a_timeout_ends_a_wait() -> None:
    async def scene() -> float:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 285)
        return asyncio.get_running_loop().time() - START

    assert run(scene()) == 285


def test_both_faces_of_the_clock_move() -> None:
    async def scene() -> tuple[float, float]:
        clock = clock_of(asyncio.get_running_loop())
        await asyncio.sleep(90)
        return clock.monotonic(), clock.wall()

    assert run(scene()) == (START + 90, EPOCH + 90)


def test_real_sockets_answer_before_the_clock_jumps() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            await asyncio.sleep(600)
            writer.write(line.upper())
        writer.close()

    async def scene() -> list[tuple[bytes, float]]:
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        heard = []
        async with server:
            # Were the clock to jump while bytes are on their way, a second would be over at once.
            reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), 1)
            for word in (b"one\n", b"two\n"):
                writer.write(word)
                line = await asyncio.wait_for(reader.readline(), 601)
                heard.append((line, loop.time() - START))
            writer.close()
            await writer.wait_closed()
        return heard

    assert run(scene()) == [(b"ONE\n", 600), (b"TWO\n", 1200)]


def test_the_clock_stands_while_a_thread_works() -> None:
    async def scene() -> tuple[int, float]:
        work = asyncio.to_thread(sum, range(3_000_000))
        total = await asyncio.wait_for(work, 0.001)
        return total, asyncio.get_running_loop().time() - START

    assert run(scene()) == (4_499_998_500_000, 0)


def test_a_thread_that_raises_does_not_stop_the_clock_for_ever() -> None:
    async def scene() -> float:
        with pytest.raises(ValueError, match="invalid literal"):
            await asyncio.to_thread(int, "no number")
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time() - START

    before = time.perf_counter()
    assert run(scene()) == 3600
    assert time.perf_counter() - before < 2


def test_waiting_for_nothing_is_told() -> None:
    async def scene() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Deadlock, match="no timer is set"):
        run(scene(), patience=0.01)


def test_what_the_scene_raises_comes_out() -> None:
    async def scene() -> None:
        await asyncio.sleep(1)
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run(scene())
