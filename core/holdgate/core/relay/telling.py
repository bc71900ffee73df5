"""Telling a fault while nothing was sent: the status, headers and body that the agent gets."""

from __future__ import annotations

from holdgate.core.dialects.base import Dialect
from holdgate.core.dialects.wording import retry_after
from holdgate.core.relay.headers import merged
from holdgate.core.relay.ports import Sink
from holdgate.core.traffic.ticket import Ticket
from holdgate.core.values.errors import Fault, FaultKind, VendorReply
from holdgate.core.values.inbound import Headers

# These are told in the gateway's own words, whatever the vendor said: agents take a 401 for their
# own login, and go on asking after a 429 of spent credit (contract 3).
_OWN_WORDS = frozenset({FaultKind.AUTH, FaultKind.FORBIDDEN, FaultKind.CREDIT})
_LOGIN_STATUSES = frozenset({401, 403, 407})


def tell_plainly(sink: Sink, dialect: Dialect, fault: Fault, request_id: str) -> int:
    """Answer with the fault. A vendor's own error keeps its status and body. Gives the status."""
    reply = fault.reply
    if reply is not None and _may_be_shown(reply, dialect) and fault.kind not in _OWN_WORDS:
        headers = merged(
            _retry_header(fault),  # the vendor's own replaces it
            reply.headers,
            (("x-holdgate-request", request_id),),
        )
        sink.answer(reply.status, headers, reply.body)
        return reply.status
    sink.answer(
        fault.status, error_headers(fault, request_id), dialect.error_body(fault, request_id)
    )
    return fault.status


def _may_be_shown(reply: VendorReply, dialect: Dialect) -> bool:
    known = reply.dialect in ("", dialect.name)
    return known and reply.status >= 400 and reply.status not in _LOGIN_STATUSES


class NoRoom(Exception):
    """A ticket would have to wait for what is not worth it."""


class TurnedAway(Exception):
    """A ticket stands in no lane any more; `fault` is what there is to tell of that."""

    def __init__(self, fault: Fault) -> None:
        """Take the fault, which is told only if nothing worse happened before."""
        super().__init__(fault.message)
        self.fault = fault


def turned_away(ticket: Ticket) -> Fault:
    """Give the fault of a ticket that stands in no lane any more.

    The last lane's reason, and the smallest of the times after which it could go. A rest that is
    not waited for is told as the fault that it comes from.
    """
    last = ticket.refusals[-1]
    return Fault(
        last.kind,
        f"{last.lane[0]}: {last.why}",
        retry_after=min(refusal.retry_after for refusal in ticket.refusals),
    )


def error_headers(fault: Fault, request_id: str) -> Headers:
    """Give the headers of an error in the gateway's own words."""
    return merged(
        (("content-type", "application/json"), ("x-holdgate-request", request_id)),
        _retry_header(fault),
        fault.headers,
    )


def _retry_header(fault: Fault) -> Headers:
    seconds = retry_after(fault)
    return () if seconds is None else (("retry-after", str(seconds)),)
