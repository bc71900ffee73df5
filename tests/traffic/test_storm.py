"""The storm: whatever happens to a gate, in any order, it lets too many go never and all once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from holdgate.core.traffic.gate import Gate
from holdgate.core.traffic.lane import ADAPTED_FOR, LINGER, Lane, Limits
from holdgate.core.traffic.line import BACKGROUND_SHARE
from holdgate.core.traffic.ticket import LaneId, Stand, Ticket
from tests.traffic.queueing import ONE, THREE, TWO, ticket_of

LANES = (ONE, TWO, THREE)
NEAR = 1e-9
SPAN = 60.25
KEEP = 90.0
LIMITS = st.builds(
    Limits,
    concurrency=st.integers(0, 3),
    rpm=st.integers(0, 4),
    tpm=st.sampled_from([0, 0, 100]),
    length=st.sampled_from([0, 0, 4]),
    wait=st.sampled_from([0.0, 0.0, 100.0]),
)
STEPS = st.one_of(
    st.sampled_from([0.05, LINGER, 0.25, 1.0, 2.0, 10.0, 59.9, 60.0, SPAN, 60.5, 300.0]),
    st.floats(min_value=0.001, max_value=100),
)
TICKETS = st.fixed_dictionaries(
    {
        "caller": st.sampled_from("abc"),
        "conversation": st.sampled_from("xy"),
        "body": st.sampled_from("123456"),
        "background": st.sampled_from([False, False, True]),
        "tokens": st.sampled_from([0, 10, 80, 150]),
        "wait": st.sampled_from([None, None, 0.0, 30.0]),
    }
)


class Vendor:
    """One key at a vendor, as it would count: an account that shares nothing with the gate's."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.most = [limits.rpm]
        self.running: list[Ticket] = []
        self.unsent: list[Ticket] = []
        self.unanswered: list[Ticket] = []
        self.sent: list[tuple[float, str]] = []  # when, and a name for its tokens
        self.tokens: dict[str, int] = {}
        self.lingering: list[float] = []
        self.paused_until = self.rests_until = 0.0
        self.probing = False
        self.probe: Ticket | None = None
        self.found, self.found_at, self.answers = 0, -math.inf, 0
        self.people_in_a_row = 0

    def has_room(self, tokens: int, now: float, *, surely: bool = False) -> bool:
        """Whether one more is allowed; `surely`: not only by a rounding error."""
        slack = -NEAR if surely else NEAR
        if max(self.paused_until, self.rests_until) > now + slack:
            return False
        if self.probing and self.probe is not None:
            return False
        concurrency, rpm, tpm = self.limits.concurrency, self.limits.rpm, self.limits.tpm
        if concurrency == 0 and self.found_at + ADAPTED_FOR > now + slack:
            concurrency = self.found
        lingering = sum(until > now + slack for until in self.lingering)
        recent = [self.tokens[name] for at, name in self.sent if at + SPAN > now + slack]
        recent += [ticket.tokens for ticket in self.unsent]
        return (
            (concurrency == 0 or len(self.running) + lingering < concurrency)
            and (rpm == 0 or len(recent) < rpm)
            and (tpm == 0 or sum(recent) + min(tokens, tpm) <= tpm)
        )

    def moments(self) -> Iterator[float]:
        """Give all moments at which it may have more room."""
        yield from self.lingering
        yield from (at + SPAN for at, _ in self.sent)
        yield from (self.paused_until, self.rests_until, self.found_at + ADAPTED_FOR)

    def start(self, ticket: Ticket) -> None:
        self.running.append(ticket)
        self.unsent.append(ticket)
        if self.probing:
            self.probe = ticket

    def send(self, ticket: Ticket, now: float) -> None:
        self.unsent.remove(ticket)
        self.unanswered.append(ticket)
        self.sent.append((now, name_of(ticket)))
        self.tokens[name_of(ticket)] = ticket.tokens

    def answer(self, ticket: Ticket, tokens: int | None) -> None:
        self.unanswered.remove(ticket)
        if tokens is not None:
            self.tokens[name_of(ticket)] = tokens
        if self.probe is ticket:
            self.probe = None
        if ticket.granted_at >= self.rests_until:
            self.probing = False
        self.answers += 1
        if self.answers >= self.found:
            self.found, self.answers = self.found + 1, 0

    def release(self, ticket: Ticket, now: float, *, aborted: bool) -> None:
        self.running.remove(ticket)
        if ticket in self.unsent:
            self.unsent.remove(ticket)
        elif aborted:
            self.lingering.append(now + LINGER)
        if ticket in self.unanswered:
            self.unanswered.remove(ticket)
        if self.probe is ticket:
            self.probe = None

    def narrow(self, now: float) -> None:
        if self.limits.concurrency == 0:
            self.found, self.found_at, self.answers = max(1, len(self.running) // 2), now, 0


def name_of(ticket: Ticket) -> str:
    """Name one departure of a ticket: it may leave again after it was served in vain."""
    return f"{ticket.id} {ticket.granted_at} {ticket.lane}"


class Storm(RuleBasedStateMachine):
    """Arrivals, hang-ups, rests, pauses, aborts, limits and time in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = Gate()
        self.now = 0.0
        self.vendors: dict[LaneId, Vendor] = {}
        self.pauses: dict[str | None, float] = {}
        self.waiting: list[Ticket] = []
        self.turned: list[Ticket] = []
        self.gone: list[Ticket] = []
        self.absent: list[Ticket] = []
        self.front: set[Ticket] = set()
        self.passed: dict[tuple[LaneId, Ticket], Counter[str]] = {}
        self.count = 0

    @initialize(limits=st.tuples(LIMITS, LIMITS, LIMITS))
    def begin(self, limits: tuple[Limits, ...]) -> None:
        self.vendors = {id: Vendor(limit) for id, limit in zip(LANES, limits, strict=True)}
        self.gate.configure({id: vendor.limits for id, vendor in self.vendors.items()})

    @rule(
        lanes=st.permutations(LANES),
        most=st.integers(1, 3),
        later=st.sampled_from([0.0, 2.0]),
        what=TICKETS,
    )
    def enter(self, lanes: list[LaneId], most: int, later: float, what: dict[str, str]) -> None:
        stands = [Stand(id, later if place else 0.0) for place, id in enumerate(lanes[:most])]
        ticket = ticket_of(str(self.count), *stands, **what)  # type: ignore[arg-type]
        self.count += 1
        self.waiting.append(ticket)
        old = self.place_of(ticket)
        self.let_in(ticket, front=False)
        if old is not None:
            assert old.state == "gone"
            assert ticket.rank == old.rank
        self.advance()

    @precondition(lambda self: self.unsent)
    @rule(data=st.data())
    def send(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.unsent))
        self.gate.sent(ticket, self.now)
        self.vendor(ticket).send(ticket, self.now)

    @precondition(lambda self: self.unanswered)
    @rule(data=st.data(), tokens=st.sampled_from([None, 5, 120]))
    def answer(self, data: st.DataObject, tokens: int | None) -> None:
        ticket = data.draw(st.sampled_from(self.unanswered))
        self.gate.answered(ticket, self.now, tokens)
        self.vendor(ticket).answer(ticket, tokens)
        self.advance()

    @precondition(lambda self: self.running)
    @rule(data=st.data(), aborted=st.booleans())
    def finish(self, data: st.DataObject, aborted: bool) -> None:
        ticket = data.draw(st.sampled_from(self.running))
        self.vendor(ticket).release(ticket, self.now, aborted=aborted)
        self.gate.leave(ticket, self.now, aborted=aborted)
        self.gone.append(ticket)
        self.advance()

    @precondition(lambda self: self.unanswered)
    @rule(data=st.data(), seconds=st.sampled_from([None, 1.0, 20.0, 400.0]))
    def meet_a_429(self, data: st.DataObject, seconds: float | None) -> None:
        """The lane rests, or narrows, and the request stands at the front again."""
        ticket = data.draw(st.sampled_from(self.unanswered))
        vendor = self.vendor(ticket)
        assert ticket.lane is not None
        if seconds is None:
            self.gate.narrow(ticket.lane, self.now)
            vendor.narrow(self.now)
        rest = seconds or 2.0
        self.gate.close(ticket.lane, self.now + rest, "it rests", self.now)
        vendor.rests_until = max(vendor.rests_until, self.now + rest)
        vendor.probing = True
        vendor.release(ticket, self.now, aborted=False)
        self.gate.leave(ticket, self.now)
        self.waiting.append(ticket)
        self.front.add(ticket)
        self.advance()
        self.let_in(ticket, front=True)
        self.advance()

    @precondition(lambda self: self.waiting or self.turned)
    @rule(data=st.data(), keep=st.sampled_from([0.0, KEEP]))
    def hang_up(self, data: st.DataObject, keep: float) -> None:
        ticket = data.draw(st.sampled_from(self.waiting + self.turned))
        (self.waiting if ticket in self.waiting else self.turned).remove(ticket)
        self.gate.leave(ticket, self.now, keep=keep)
        (self.absent if keep else self.gone).append(ticket)
        self.advance()

    @precondition(lambda self: self.gone)
    @rule(data=st.data(), aborted=st.booleans(), keep=st.sampled_from([0.0, KEEP]))
    def say_it_again(self, data: st.DataObject, aborted: bool, keep: float) -> None:
        ticket = data.draw(st.sampled_from(self.gone))
        if ticket.state == "gone":
            self.gate.sent(ticket, self.now)
            self.gate.leave(ticket, self.now, aborted=aborted, keep=keep)
            self.advance()

    @rule(id=st.sampled_from(LANES), limits=LIMITS)
    def change(self, id: LaneId, limits: Limits) -> None:
        self.vendors[id].limits = limits
        self.vendors[id].most.append(limits.rpm)
        self.gate.configure({id: vendor.limits for id, vendor in self.vendors.items()})
        self.advance()

    @rule(
        provider=st.sampled_from([None, "one", "two"]),
        seconds=st.sampled_from([5.0, 100.0, math.inf]),
    )
    def pause(self, provider: str | None, seconds: float) -> None:
        self.pauses[provider] = self.now + seconds
        self.gate.pause(provider, self.now + seconds)
        self.note_pauses()

    @rule(provider=st.sampled_from([None, "one", "two"]))
    def resume(self, provider: str | None) -> None:
        if provider is None:
            self.pauses.clear()
        self.pauses.pop(provider, None)
        self.gate.resume(provider)
        self.note_pauses()

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def put_first(self, data: st.DataObject) -> None:
        ticket = data.draw(st.sampled_from(self.waiting))
        self.front.add(ticket)
        self.gate.first(ticket)
        self.advance()

    @rule(seconds=STEPS)
    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while (at := self.gate.wake_at(self.now)) is not None and at <= until:
            assert at > self.now
            self.now = at
            self.advance()
        self.now = until

    @rule(seconds=STEPS, lanes=st.permutations(LANES), what=TICKETS)
    def wake_late(self, seconds: float, lanes: list[LaneId], what: dict[str, str]) -> None:
        """The loop was busy: somebody arrives before the timer rings."""
        self.now += seconds
        self.enter(lanes, 2, 2.0, what)

    def note_pauses(self) -> None:
        for (provider, _), vendor in self.vendors.items():
            vendor.paused_until = max(self.pauses.get(None, 0.0), self.pauses.get(provider, 0.0))
        self.advance()

    def place_of(self, ticket: Ticket) -> Ticket | None:
        """Give the kept place that a newcomer comes back to."""
        kept = [t for t in self.absent if t.state == "absent" and t.caller == ticket.caller]
        own = [t for t in kept if t.body == ticket.body] or [
            t for t in kept if t.conversation == ticket.conversation
        ]
        return min(own, key=lambda old: old.rank, default=None)

    def let_in(self, ticket: Ticket, *, front: bool) -> None:
        unlined = {lane.id for lane in self.gate.lanes() if lane.line.is_empty}
        self.gate.enter(ticket, self.now, front=front)
        self.note(ticket, unlined)

    def advance(self) -> None:
        for ticket in self.gate.advance(self.now):
            assert ticket.state != "waiting"
            self.note(ticket)

    def note(self, ticket: Ticket, unlined: set[LaneId] | None = None) -> None:
        if ticket.state == "waiting":
            return
        self.waiting.remove(ticket)
        if ticket.state == "turned":
            assert {refusal.lane for refusal in ticket.refusals} <= {s.lane for s in ticket.stands}
            assert all(1 <= refusal.retry_after <= 60 for refusal in ticket.refusals)
            assert ticket.refusals
            self.turned.append(ticket)
        else:
            self.start(ticket, unlined or set())

    def start(self, ticket: Ticket, unlined: set[LaneId]) -> None:
        """Take note of a start, after looking whether it was right."""
        assert ticket.state == "running"
        assert ticket.lane in {stand.lane for stand in ticket.stands}
        vendor = self.vendor(ticket)
        assert vendor.has_room(ticket.tokens, self.now), "more than the vendor allows"
        if ticket in self.front:
            # In a lane that it joined later it started by turns.
            self.front.remove(ticket)
            vendor.people_in_a_row += not ticket.background
            for (id, other), passed in self.passed.items():
                if id == ticket.lane and (ticket.background or other.caller == ticket.caller):
                    passed.clear()
        else:
            assert ticket.lane is not None
            self.look_at_turns(ticket, ticket.lane)
            if not ticket.background:
                vendor.people_in_a_row += 1
            elif ticket.lane not in unlined:
                vendor.people_in_a_row = 0
        vendor.start(ticket)

    def look_at_turns(self, ticket: Ticket, id: LaneId) -> None:
        """No caller waits while another starts twice; the background has its share, no more."""
        others = [t for t in self.waiting if id in t.standing and t not in self.front]
        people_wait = any(not other.background for other in others)
        if ticket.background and people_wait:
            assert self.vendors[id].people_in_a_row >= BACKGROUND_SHARE - 1
        for other in others:
            passed = self.passed.setdefault((id, other), Counter())
            if ticket.background:
                passed["people"] = 0
            if other.background == ticket.background:
                if other.caller == ticket.caller:
                    passed.clear()
                    earlier = other.conversation == ticket.conversation and other.rank < ticket.rank
                    assert not earlier, "overtaken in its conversation"
                else:
                    passed[ticket.caller] += 1
                    assert passed[ticket.caller] <= 1, "another's second turn before its first"
            elif other.background:
                passed["people"] += 1
                assert passed["people"] <= BACKGROUND_SHARE - 1, "the background has no share"

    def vendor(self, ticket: Ticket) -> Vendor:
        assert ticket.lane is not None
        return self.vendors[ticket.lane]

    @property
    def running(self) -> list[Ticket]:
        return [ticket for vendor in self.vendors.values() for ticket in vendor.running]

    @property
    def unsent(self) -> list[Ticket]:
        return [ticket for vendor in self.vendors.values() for ticket in vendor.unsent]

    @property
    def unanswered(self) -> list[Ticket]:
        return [ticket for vendor in self.vendors.values() for ticket in vendor.unanswered]

    def crowded(self) -> Iterator[tuple[Lane, Vendor, int]]:
        """Give the lanes that somebody waits for, and the tokens of who is next."""
        for lane in self.gate.lanes():
            if any(lane.id in ticket.standing for ticket in self.waiting):
                head = lane.line.head()
                assert head in self.waiting
                assert head is not None
                yield lane, self.vendors[lane.id], head.tokens

    @invariant()
    def nobody_waits_for_what_is_free(self) -> None:
        self.advance()
        for _, vendor, tokens in self.crowded():
            assert not vendor.has_room(tokens, self.now, surely=True)

    @invariant()
    def it_asks_to_be_woken_in_time(self) -> None:
        moments = [
            at
            for _, vendor, tokens in self.crowded()
            for at in vendor.moments()
            if self.now < at < math.inf and vendor.has_room(tokens, at)
        ]
        moments += [t.since + t.wait for t in self.waiting if t.wait and t.standing]
        if moments:
            at = self.gate.wake_at(self.now)
            assert at is not None
            assert at <= min(moments) + 1e-6

    @invariant()
    def a_ticket_is_in_one_state(self) -> None:
        assert all(ticket.state == "waiting" for ticket in self.waiting)
        assert all(ticket.state == "running" for ticket in self.running)
        assert all(ticket.state == "turned" for ticket in self.turned)
        assert all(ticket.state in ("absent", "gone") for ticket in self.absent)
        assert all(ticket.state in ("gone", "turned") for ticket in self.gone)
        tickets = [*self.waiting, *self.running, *self.turned, *self.absent, *self.gone]
        assert len({*tickets}) == len(tickets) == self.count
        for lane in self.gate.lanes():
            assert lane.running == {*self.vendors[lane.id].running}
            standing = [ticket for ticket in self.waiting if lane.id in ticket.standing]
            assert len(lane.line) == len(standing)
            assert Counter(lane.line.order()) == Counter(standing)
        for ticket in self.waiting:
            assert not ticket.stands_nowhere
            if ticket.wait and ticket.standing:
                assert self.now <= ticket.since + ticket.wait

    @invariant()
    def no_window_holds_too_many(self) -> None:
        """The margin is for requests that travel at different speed: up to it late or early."""
        for vendor in self.vendors.values():
            most, sent = max(vendor.most), [at for at, _ in vendor.sent]
            if 0 not in vendor.most:
                for first, last in zip(sent, sent[most:], strict=False):
                    assert last - first >= SPAN - NEAR

    def teardown(self) -> None:
        """Without new arrivals everybody is served, and nothing is left behind."""
        self.resume(None)
        for provider in ("one", "two"):
            self.resume(provider)
        for _ in range(2 * len(self.waiting) + 20):
            self.serve_all()
            self.wait(100)
        self.serve_all()
        assert self.waiting == []
        self.wait(700)
        assert self.gate.wake_at(self.now) is None
        assert all(ticket.state == "gone" for ticket in self.absent)
        for lane in self.gate.lanes():
            assert (len(lane.running), lane.line.is_empty) == (0, True)
            assert lane.window.used(self.now - SPAN) == 0
            assert lane.opens_at(self.now, 10) == self.now

    def serve_all(self) -> None:
        for ticket in self.unsent:
            self.gate.sent(ticket, self.now)
            self.vendor(ticket).send(ticket, self.now)
        for ticket in self.unanswered:
            self.gate.answered(ticket, self.now, None)
            self.vendor(ticket).answer(ticket, None)
        for ticket in self.running:
            self.vendor(ticket).release(ticket, self.now, aborted=False)
            self.gate.leave(ticket, self.now)
            self.gone.append(ticket)
        self.advance()


Storm.TestCase.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)
TestStorm = Storm.TestCase
