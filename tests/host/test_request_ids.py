"""Request ids sort in the order in which they were made, whatever the clock does."""

import random

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.host.assembly import request_ids
from holdgate.core.values.clock import Clock


@given(st.lists(st.floats(0, 1e10), min_size=1, max_size=40), st.integers())
def test_ids_rise_also_within_a_moment_and_when_the_clock_steps_back(
    times: list[float], seed: int
) -> None:
    left = list(times)
    clock = Clock(monotonic=lambda: 0.0, wall=lambda: left.pop(0) if left else times[-1])
    new = request_ids(clock, random.Random(seed))
    ids = [new() for _ in range(60)]
    assert ids == sorted(set(ids))
    assert {len(each) for each in ids} == {len("hg-") + 20}
