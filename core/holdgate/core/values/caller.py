"""Who is asking."""

from __future__ import annotations

from dataclasses import dataclass

UNKNOWN_AGENT = "unknown"


@dataclass(frozen=True, slots=True)
class Caller:
    """The agent, the gateway key it used (its name, if any) and the address it came from."""

    agent: str = UNKNOWN_AGENT
    key: str | None = None
    address: str = "127.0.0.1"
