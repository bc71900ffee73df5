"""Chaining: a Responses request that goes on from a reply whose id was the gateway's own.

Behind a stream that the gateway opened stands a vendor's reply with another id. A request that
names ours as `previous_response_id` gets the vendor's again and goes to the key that made it; any
other key knows nothing of it (contract 3.4).
"""

from __future__ import annotations

import re
import sqlite3

import msgspec

from holdgate.core.relay.served import Served
from holdgate.core.traffic.routing import Plan
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.records import Behind

# Within a text the quotes would be escaped, so this is a member.
_OURS = re.compile(rb'"previous_response_id"\s*:\s*"(hg-[0-9a-f]{20})"')


async def chained(served: Served, made: Plan) -> Plan:
    """Give the plan of a request that may go on from an earlier reply; its body is put right.

    Raises Fault(REQUEST) if that reply's key is not among the plan's candidates, or not known.
    """
    found = _OURS.search(served.inbound.body)
    if found is None:
        return made
    id = found[1].decode()
    behind = await _behind(served, id)
    choices = tuple(
        choice
        for choice in made.choices
        if behind is not None
        and choice.candidate.lane == behind.lane
        and choice.candidate.dialect == "responses"
    )
    if behind is None or not choices:
        raise Fault(
            FaultKind.REQUEST,
            f"previous_response_id {id}: no vendor that {made.name} may go to knows that reply; "
            "send the whole conversation as input instead",
        )
    start, end = found.span(1)
    body = served.inbound.body
    body = body[:start] + msgspec.json.encode(behind.id)[1:-1] + body[end:]
    served.inbound = msgspec.structs.replace(served.inbound, body=body)
    return Plan(made.name, choices, made.order, "off")


async def _behind(served: Served, id: str) -> Behind | None:
    """Look for what stood behind one of our ids: among the latest requests, else in the ledger."""
    for record in served.relay.live.recent():
        if record.id == id:
            return record.behind
    try:
        return await served.relay.loop.run_in_executor(None, served.relay.live.book.behind, id)
    except sqlite3.Error:
        return None
