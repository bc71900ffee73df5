"""The events of the control API: snapshots as server-sent events, whenever something changed.

Theory. Nothing tells of each change, and nothing should: a busy minute has thousands. So while
somebody reads, a snapshot is built a few times a second and sent if it differs. Each look is
followed by a short wait, so a reader that left or a gateway that ends is seen at once, and a reader
that is slow is passed over until it has room: no write here ever waits.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from aiohttp import web

from holdgate.core.server.context import App
from holdgate.core.server.sink import HttpSink
from holdgate.core.server.snapshot import snapshot
from holdgate.core.values.inbound import Headers

PATH = "/api/events"
# Seconds between two looks: at most four snapshots a second.
LOOK = 0.25
# Seconds without a change after which a comment shows that all is well.
QUIET = 15.0
# Seconds for which a reader may take nothing in before its connection is closed.
STUCK = 60.0
# Two looks at one moment differ by less: they convert it between clocks anew.
JITTER = 0.5
_BY_TIME = frozenset({"uptime", "eta"})

_HEADERS: Headers = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("x-accel-buffering", "no"),
)


async def events(app: App, request: web.BaseRequest, extra: Headers) -> web.StreamResponse:
    """Stream snapshots until the reader leaves or the gateway shuts down.

    Raises CancelledError when the reader leaves.
    """
    sink = HttpSink(request, extra, app.tasks)
    sink.start(200, _HEADERS)
    clock = app.relay.clock
    shown: dict[str, Any] | None = None
    said_at = clock.monotonic()
    while not app.doors.closing:
        now = clock.monotonic()
        if not request.protocol.writing_paused:
            found = snapshot(app)
            if not _alike(found, shown):
                shown, said_at = found, now
                sink.write(b"data: " + json.dumps(found, ensure_ascii=False).encode() + b"\n\n")
            elif now - said_at >= QUIET:
                said_at = now
                sink.write(b": nothing has changed\n\n")
        elif now - said_at >= STUCK:
            break
        await asyncio.sleep(LOOK)
    if request.protocol.writing_paused:
        sink.abort()  # the end of the body would wait for who reads nothing
    assert sink.response is not None
    return sink.response


def _alike(one: object, other: object) -> bool:
    """Tell whether two snapshots, or parts of them, say the same but for what time alone moves."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _alike(one[name], other[name]) for name in one if name not in _BY_TIME
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) < JITTER
    return one == other
