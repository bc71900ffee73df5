"""A line: the tickets that wait in front of one lane, in fair order.

Theory. Whoever asks most must not wait least. So the order is by turns: foreground before
background (but background gets one start in five), then round robin between callers, inside a
caller between its conversations, and first come first served inside one conversation. A turn is
taken when a ticket *starts*; who has just started goes to the end of its round, both as a
conversation and as a caller. A ticket whose agent is away for a moment is absent: it is passed over
but keeps its place, and its conversation and caller keep their turn.
"""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Iterator

from holdgate.core.traffic.ticket import Ticket

# Background gets at least one start in so many.
BACKGROUND_SHARE = 5


class Round:
    """Callers taking turns, and inside each its conversations."""

    __slots__ = ("_callers", "present")

    def __init__(self) -> None:
        """Start with nobody."""
        self._callers: OrderedDict[str, OrderedDict[str, list[Ticket]]] = OrderedDict()
        self.present = 0

    def __bool__(self) -> bool:
        """Whether anybody is in it, absent ones too."""
        return bool(self._callers)

    def add(self, ticket: Ticket) -> None:
        """Take a ticket in, by its rank within its conversation."""
        conversations = self._callers.setdefault(ticket.caller, OrderedDict())
        insort(conversations.setdefault(ticket.conversation, []), ticket, key=_rank)
        self.present += ticket.present

    def remove(self, ticket: Ticket) -> None:
        """Take a ticket out; the turns stay as they are."""
        conversations = self._callers[ticket.caller]
        tickets = conversations[ticket.conversation]
        tickets.remove(ticket)
        self.present -= ticket.present
        if not tickets:
            del conversations[ticket.conversation]
        if not conversations:
            del self._callers[ticket.caller]

    def take(self, ticket: Ticket) -> None:
        """Take out a ticket that starts: its conversation and its caller have had their turn."""
        self.remove(ticket)
        conversations = self._callers.get(ticket.caller)
        if conversations is None:
            return
        self._callers.move_to_end(ticket.caller)
        if ticket.conversation in conversations:
            conversations.move_to_end(ticket.conversation)

    def head(self) -> Ticket | None:
        """Give the ticket whose turn it is; absent ones are passed over."""
        if self.present == 0:
            return None
        for conversations in self._callers.values():
            for tickets in conversations.values():
                for ticket in tickets:
                    if ticket.present:
                        return ticket
        return None

    def order(self) -> Iterator[Ticket]:
        """Give the present tickets in the order in which they would start."""
        callers = [
            [[t for t in tickets if t.present] for tickets in conversations.values()]
            for conversations in self._callers.values()
        ]
        while callers:
            for conversations in callers:
                conversations[:] = [tickets for tickets in conversations if tickets]
                if conversations:
                    tickets = conversations.pop(0)
                    yield tickets.pop(0)
                    conversations.append(tickets)
            callers = [c for c in callers if any(c)]


class Line:
    """The tickets that wait in front of one lane."""

    __slots__ = ("_background", "_foreground", "_front", "_run")

    def __init__(self) -> None:
        """Start empty."""
        self._front: dict[Ticket, None] = {}
        self._foreground, self._background = Round(), Round()
        self._run = 0  # foreground starts since the last background one

    def __len__(self) -> int:
        """Count the tickets whose agents are there."""
        return (
            sum(ticket.present for ticket in self._front)
            + self._foreground.present
            + self._background.present
        )

    @property
    def is_empty(self) -> bool:
        """Whether nobody stands here, nor is missed."""
        return not (self._front or self._foreground or self._background)

    def add(self, ticket: Ticket) -> None:
        """Take a ticket in."""
        self._round(ticket).add(ticket)

    def to_front(self, ticket: Ticket) -> None:
        """Move a ticket to the very front, before all that were moved there earlier."""
        self.remove(ticket)
        self._front = {ticket: None, **self._front}

    def remove(self, ticket: Ticket) -> None:
        """Take a ticket out that does not start here."""
        if ticket in self._front:
            del self._front[ticket]
        else:
            self._round(ticket).remove(ticket)

    def miss(self, ticket: Ticket) -> None:
        """Note that a ticket here is absent from now on; its place and the turns stay."""
        if ticket not in self._front:
            self._round(ticket).present -= 1

    def put_first(self, ticket: Ticket) -> None:
        """Take a ticket in at the very front: it was served already, in vain."""
        self._front = {ticket: None, **self._front}

    def take(self, ticket: Ticket) -> None:
        """Take out a ticket that starts."""
        if ticket in self._front:
            del self._front[ticket]
            return
        self._round(ticket).take(ticket)
        self._run = 0 if ticket.background else self._run + 1

    def head(self) -> Ticket | None:
        """Give the ticket whose turn it is, None if nobody is there."""
        for ticket in self._front:
            if ticket.present:
                return ticket
        due = self._run >= BACKGROUND_SHARE - 1
        first, second = (
            (self._background, self._foreground) if due else (self._foreground, self._background)
        )
        return first.head() or second.head()

    def order(self) -> Iterator[Ticket]:
        """Give the present tickets in the order in which they would start, none arriving."""
        yield from (ticket for ticket in self._front if ticket.present)
        foreground, background = self._foreground.order(), self._background.order()
        run = self._run
        while True:
            due = run >= BACKGROUND_SHARE - 1
            ticket = next(background if due else foreground, None)
            if ticket is None:
                yield from foreground if due else background
                return
            run = 0 if ticket.background else run + 1
            yield ticket

    def _round(self, ticket: Ticket) -> Round:
        return self._background if ticket.background else self._foreground


def _rank(ticket: Ticket) -> tuple[float, int]:
    return ticket.rank
