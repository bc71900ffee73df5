"""The tokens of an answer as Messages counts them, both ways."""

from __future__ import annotations

from msgspec.structs import replace

from holdgate.core.dialects import messages_stream
from holdgate.core.dialects.reading import Json, number
from holdgate.core.values.usage import Usage


def read_usage(found: object, before: Usage | None) -> Usage | None:
    """Give the usage so far: the figures of a later event are totals that replace earlier ones."""
    if not isinstance(found, dict):
        return before
    told = {name: _figure(value) for name, value in found.items()}
    usage = messages_stream.usage(told, before)
    if usage is None:
        return None
    hour = number(told, "cache_creation", "ephemeral_1h_input_tokens")
    minutes = number(told, "cache_creation", "ephemeral_5m_input_tokens")
    if hour or minutes:
        written = max(hour + minutes, number(told, "cache_creation_input_tokens"))
        usage = replace(usage, cache_write=written, cache_write_1h=hour)
    if reasoning := number(told, "output_tokens_details", "thinking_tokens"):
        usage = replace(usage, reasoning=reasoning)
    return usage


def delta_usage(usage: Usage | None) -> Json:
    """Give the usage of the closing `message_delta`: all of it, since agents read the last."""
    told = usage or Usage()
    return {
        "input_tokens": told.input,
        "cache_creation_input_tokens": told.cache_write,
        "cache_read_input_tokens": told.cache_read,
        "output_tokens": told.output,
        "output_tokens_details": {"thinking_tokens": told.reasoning},
        "server_tool_use": None,
    }


def message_usage(usage: Usage | None) -> Json:
    """Give the usage of a message."""
    told = usage or Usage()
    return delta_usage(usage) | {
        "cache_creation": {
            "ephemeral_1h_input_tokens": told.cache_write_1h,
            "ephemeral_5m_input_tokens": max(0, told.cache_write - told.cache_write_1h),
        },
        "inference_geo": None,
        "service_tier": None,
        "speed": None,
    }


def _figure(value: object) -> object:
    """Give a figure that was told as a text as the number that it is."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        return int(value)
    if isinstance(value, dict):
        return {name: _figure(inner) for name, inner in value.items()}
    return value
