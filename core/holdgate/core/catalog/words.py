"""What the catalogue's short names say, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# The forms of the headers in which vendors tell what is left of their limits; traffic.rate_headers
# reads all of them.
RATE_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "openai": "x-ratelimit-remaining-requests and -tokens, with x-ratelimit-reset-...",
        "anthropic": "anthropic-ratelimit-...-remaining, with anthropic-ratelimit-...-reset",
    }
)

# Of a quirk that has a value, `{}` is that.
QUIRK_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "openai": "takes all that OpenAI's own Chat takes",
        "max_completion_tokens": "calls the limit max_completion_tokens",
        "needs_max_tokens": "wants a limit on each answer; {} where nobody says one",
        "no_stream_options": "refuses stream_options; tells usage without, or never",
        "no_parallel_tool_calls": "refuses parallel_tool_calls",
        "no_tool_choice_required": "can be made to call no tool",
        "no_tool_choice_thinking": "can be made to call no tool while it thinks",
        "thinking": "is told how much to think in the way of: {}",
        "fixed_sampling": "takes no temperature for models called {}...",
        "max_temperature": "takes a temperature of {} at most",
        "max_stops": "takes so many stop sequences at most: {}",
        "top_k": "takes top_k",
        "cache_key": "takes prompt_cache_key",
        "late_system": "takes system messages at any place",
        "strict_alternation": "takes no user's message right after a tool's",
        "cache_marks": "takes cache_control for Claude models",
        "reasoning_back": "wants the thoughts of earlier answers back",
        "json_object_only": "answers in JSON, but not by a schema",
        "schema": "takes less of JSON Schema (as {} does)",
    }
)


def quirk_in_words(quirk: str) -> str:
    """Say what a quirk, `name` or `name=value`, is. Raises KeyError for one that is none."""
    name, _, value = quirk.partition("=")
    return QUIRK_WORDS[name].format(value)
