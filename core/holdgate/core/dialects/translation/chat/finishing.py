"""Why an answer ended, in the words of chat vendors and of the neutral form."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from holdgate.core.values.neutral_reply import Why

# Vendors' words beside the reference's five: Anthropic's, Gemini's and TGI's in relays, Z.ai's,
# DeepSeek's, MiniMax's and MiMo's own.
REASONS: Final[Mapping[str, Why]] = MappingProxyType(
    {
        "stop": "stop",
        "eos": "stop",
        "eos_token": "stop",
        "end_turn": "stop",
        "stop_sequence": "stop",
        "completed": "stop",
        "length": "length",
        "max_tokens": "length",
        "max_output_tokens": "length",
        "model_length": "length",
        "model_context_window_exceeded": "length",
        "context_length_exceeded": "length",
        "repetition": "length",
        "repetition_truncation": "length",
        "tool_calls": "tool",
        "tool_call": "tool",
        "tool_use": "tool",
        "function_call": "tool",
        "content_filter": "filter",
        "sensitive": "filter",
        "safety": "filter",
        "recitation": "filter",
        "blocklist": "filter",
        "prohibited_content": "filter",
        "spii": "filter",
        "refusal": "refusal",
        "pause_turn": "pause",
        "malformed_function_call": "malformed",
    }
)

# The vendor gave up: what came is no whole answer.
FAILURES: Final = frozenset(
    {
        "error",
        "network_error",
        "insufficient_system_resource",
        "model_error",
        "server_error",
        "internal_error",
        "abort",
        "aborted",
        "cancelled",
        "timeout",
        "overloaded",
    }
)

# Chat has five words. Who paused or called a tool in an unreadable way says no more than "stop".
WORDS: Final[Mapping[Why, str]] = MappingProxyType(
    {
        "stop": "stop",
        "length": "length",
        "tool": "tool_calls",
        "filter": "content_filter",
        "refusal": "content_filter",
        "pause": "stop",
        "malformed": "stop",
    }
)


def why(word: str, has_calls: bool) -> Why | None:
    """Give what a vendor's finish reason means; None for an unknown word.

    Whoever called a tool wants its result, whatever word it ended with; whoever called none does
    not.
    """
    found = REASONS.get(word.lower())
    if found in ("stop", "tool", None) and has_calls:
        return "tool"
    return "stop" if found == "tool" else found
