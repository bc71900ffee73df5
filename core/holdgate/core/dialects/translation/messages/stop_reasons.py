"""Why an answer ended, in the words of Messages and in the neutral ones."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.values.neutral_reply import Why

# Vendors that imitate the dialect let OpenAI's words slip through.
_WHYS: Mapping[str, Why] = MappingProxyType(
    {
        "end_turn": "stop",
        "stop_sequence": "stop",
        "stop": "stop",
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "length": "length",
        "tool_use": "tool",
        "tool_calls": "tool",
        "pause_turn": "pause",
        "refusal": "refusal",
        "content_filter": "filter",
    }
)
_REASONS: Mapping[Why, str] = MappingProxyType(
    {
        "stop": "end_turn",
        "length": "max_tokens",
        "tool": "tool_use",
        "filter": "refusal",
        "refusal": "refusal",
        "pause": "pause_turn",
        "malformed": "end_turn",
    }
)


def why_of(reason: str, calls: int) -> Why:
    """Give why an answer with so many calls ended; agents go by the reason, not by the calls."""
    why = _WHYS.get(reason, "stop")
    if why in ("stop", "tool"):
        return "tool" if calls else "stop"
    return why


def reason_of(why: Why, stop: str, calls: int) -> str:
    """Give the `stop_reason`."""
    if stop and why == "stop":
        return "stop_sequence"
    if calls and why in ("stop", "malformed"):
        return "tool_use"
    return _REASONS[why]
