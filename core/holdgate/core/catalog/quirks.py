"""Quirks: what a vendor's Chat API does otherwise than the common denominator, by name.

A quirk is a text, `name` or `name=value`. They are named here and handled where a request is
written; who has none of them gets what all take: `max_tokens`, the role `system`, functions only,
`stream_options`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# What may follow the `=`: a pattern, or None where a quirk has no value.
_NUMBER = r"[0-9]+(?:\.[0-9]+)?"

KNOWN_QUIRKS: Final[Mapping[str, str | None]] = MappingProxyType(
    {
        # All of OpenAI's own reference: role developer at any place, custom tools, allowed tools,
        # strict schemas, `prompt_cache_key`, `verbosity`, `service_tier`, `safety_identifier`, and
        # `max_completion_tokens` for reasoning models.
        "openai": None,
        # The limit is called `max_completion_tokens`, for all models.
        "max_completion_tokens": None,
        # Without a limit the request is refused, or the answer is cut early. The value is the limit
        # where neither the agent nor the catalogue has one.
        "needs_max_tokens": r"[1-9][0-9]*",
        # `stream_options` is refused; usage comes without it, or never.
        "no_stream_options": None,
        # `parallel_tool_calls` is refused.
        "no_parallel_tool_calls": None,
        # `tool_choice` is only ever "auto" or "none": neither "required" nor one function.
        "no_tool_choice_required": None,
        # The same, but only while the model thinks, which it does unless it is told not to.
        "no_tool_choice_thinking": None,
        # How much a model is to think is told by: `reasoning_effort` (effort, also without this
        # quirk); `thinking.type` and `reasoning_effort` low, high or max (deepseek, zai);
        # `thinking.type` alone, and for kimi-k3 `reasoning_effort` (moonshot); `enable_thinking`
        # and `thinking_budget` (qwen); the object `reasoning` (openrouter); never (none).
        "thinking": r"effort|deepseek|zai|moonshot|qwen|openrouter|none",
        # Models whose names begin so take no temperature, `top_p` or penalties.
        "fixed_sampling": r"[a-z0-9.-]+",
        # The highest temperature. Higher ones become this.
        "max_temperature": _NUMBER,
        # How many stop sequences are taken; 4 without this quirk.
        "max_stops": r"[1-9][0-9]*",
        # `top_k` is known.
        "top_k": None,
        # `prompt_cache_key` is known.
        "cache_key": None,
        # System messages are taken at any place; else only the first may be one.
        "late_system": None,
        # No user's message follows a tool's: a text after results goes into the last of them.
        "strict_alternation": None,
        # `cache_control` in content parts, for Claude models (OpenRouter).
        "cache_marks": None,
        # Without the `reasoning_content` of all earlier answers the request is refused while the
        # model thinks.
        "reasoning_back": None,
        # Answers in JSON are known, answers by a schema are not.
        "json_object_only": None,
        # What of JSON Schema is refused: `type` beside `anyOf`, and `$schema` (moonshot).
        "schema": r"moonshot",
    }
)


def is_known(quirk: str) -> bool:
    """Tell whether `quirk` is one of these, with a value that it may have."""
    name, equals, value = quirk.partition("=")
    if name not in KNOWN_QUIRKS:
        return False
    pattern = KNOWN_QUIRKS[name]
    if pattern is None:
        return not equals
    return re.fullmatch(pattern, value) is not None
