"""Kept places: of agents that hung up in the queue, or were turned away, and may ask again."""

from __future__ import annotations

from holdgate.core.traffic.ticket import Ticket


class KeptPlaces:
    """The absent tickets, found by what comes again: the same body, else the same conversation."""

    __slots__ = ("_by_body", "_by_conversation")

    def __init__(self) -> None:
        """Start with none."""
        self._by_body: dict[tuple[str, str], dict[Ticket, None]] = {}
        self._by_conversation: dict[tuple[str, str], dict[Ticket, None]] = {}

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._by_body)

    def keep(self, ticket: Ticket) -> None:
        """Keep an absent ticket's place."""
        self._by_body.setdefault((ticket.caller, ticket.body), {})[ticket] = None
        self._by_conversation.setdefault((ticket.caller, ticket.conversation), {})[ticket] = None

    def forget(self, ticket: Ticket) -> None:
        """Keep it no longer; saying it again changes nothing."""
        for table, key in (
            (self._by_body, (ticket.caller, ticket.body)),
            (self._by_conversation, (ticket.caller, ticket.conversation)),
        ):
            if kept := table.get(key):
                kept.pop(ticket, None)
                if not kept:
                    del table[key]

    def claim(self, ticket: Ticket) -> Ticket | None:
        """Give the place that a new ticket comes back to: of the same body, else the oldest."""
        kept = self._by_body.get((ticket.caller, ticket.body)) or self._by_conversation.get(
            (ticket.caller, ticket.conversation)
        )
        return min(kept, key=lambda old: old.rank) if kept else None
