"""The top-level members of a request: read, repeated in the reply, lost, or mere noise."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_READ = frozenset(
    {
        "input",
        "instructions",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "text",
        "reasoning",
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "max_output_tokens",
        "user",
        "safety_identifier",
        "prompt_cache_key",
        "service_tier",
        "previous_response_id",
        "include",
    }
)
# Say nothing to another vendor: how the reply is framed and kept, and what the agent notes.
_NOISE = frozenset(
    {
        "model",
        "stream",
        "stream_options",
        "store",
        "metadata",
        "client_metadata",
        "prompt_cache_retention",
        "prompt_cache_options",
        "context_management",
        "moderation",
    }
)
# What is lost with a member: why, whether it changes what is meant, and values that lose nothing.
LOST: Mapping[str, tuple[str, bool, tuple[object, ...]]] = MappingProxyType(
    {
        "conversation": ("a conversation that only its vendor has stored", True, ()),
        "prompt": ("a template that only its vendor has stored", True, ()),
        "background": ("the reply is given in the foreground", False, (False,)),
        "truncation": ("a vendor that cuts a too long input", False, ("disabled",)),
        "max_tool_calls": ("a limit on calls of hosted tools", False, ()),
        "top_logprobs": ("probabilities of tokens", False, (0,)),
    }
)
# What a response repeats of its request; `store` says whether the agent takes it for stored.
ECHOED = frozenset(
    {
        "instructions",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "text",
        "reasoning",
        "temperature",
        "top_p",
        "presence_penalty",
        "frequency_penalty",
        "top_logprobs",
        "max_output_tokens",
        "max_tool_calls",
        "user",
        "safety_identifier",
        "prompt_cache_key",
        "previous_response_id",
        "metadata",
        "store",
    }
)


def known(name: str) -> bool:
    """Tell whether a member is one of the dialect's."""
    return name in _READ or name in _NOISE or name in LOST
