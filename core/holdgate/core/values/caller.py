"""Who is asking."""

from __future__ import annotations

import msgspec

UNKNOWN_AGENT = "unknown"


class Caller(msgspec.Struct, frozen=True, gc=False):
    """The agent, the gateway key it used (its name, if any) and the address it came from."""

    agent: str = UNKNOWN_AGENT
    key: str | None = None
    address: str = "127.0.0.1"
