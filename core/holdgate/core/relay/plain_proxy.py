"""Plain requests through an HTTP proxy: what it answers itself must not be taken for the vendor's.

With CONNECT a proxy's answer is told apart by when it comes. A plain request and its answer pass
through the proxy's hands, and only a 407 can come from nobody else (RFC 9110, 15.5.8).
"""

from __future__ import annotations

from holdgate.core.relay.dialing import Origin, Progress
from holdgate.core.relay.ports import Feed, Head
from holdgate.core.relay.reasons import unreachable
from holdgate.core.relay.tunnels import ProxyRefused
from holdgate.core.values.errors import Fault, FaultKind

_WANTS_LOGIN = 407


def is_plain(origin: Origin) -> bool:
    """Tell whether a proxy sees the requests to an origin themselves."""
    return origin.scheme == "http" and origin.proxy.startswith("http")


class PlainFeed:
    """A feed of such a request: a 407 becomes the fault that CONNECT would have given."""

    __slots__ = ("_feed", "_origin", "_over")

    def __init__(self, feed: Feed, origin: Origin) -> None:
        """Take who hears the rest."""
        self._feed, self._origin = feed, origin
        self._over = False

    def on_sent(self) -> None:
        """See ports.Feed."""
        self._feed.on_sent()

    def on_head(self, head: Head) -> None:
        """See ports.Feed."""
        if head.status != _WANTS_LOGIN:
            self._feed.on_head(head)
            return
        self._over = True
        words = unreachable(self._origin, ProxyRefused(_WANTS_LOGIN, ""), Progress(), 0.0)
        self._feed.on_fault(Fault(FaultKind.NETWORK, words), lost=False)

    def on_bytes(self, data: bytes) -> None:
        """See ports.Feed."""
        if not self._over:
            self._feed.on_bytes(data)

    def on_end(self) -> None:
        """See ports.Feed."""
        if not self._over:
            self._feed.on_end()

    def on_fault(self, fault: Fault, *, lost: bool) -> None:
        """See ports.Feed."""
        if not self._over:
            self._feed.on_fault(fault, lost=lost)
