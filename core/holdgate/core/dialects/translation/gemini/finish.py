"""Why an answer ended, and what it used: Gemini's words for both, and back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.values.neutral_reply import Why
from holdgate.core.values.usage import Usage

# Google, FinishReason (November 2026). What is not here is an end without a reason that is known.
WHYS: Mapping[str, Why] = MappingProxyType(
    {
        "STOP": "stop",
        "MAX_TOKENS": "length",
        "CONTINUATION": "length",
        "TOO_MANY_TOOL_CALLS": "length",
        "MALFORMED_FUNCTION_CALL": "malformed",
        "UNEXPECTED_TOOL_CALL": "malformed",
        "MALFORMED_RESPONSE": "malformed",
        "SAFETY": "filter",
        "RECITATION": "filter",
        "LANGUAGE": "filter",
        "BLOCKLIST": "filter",
        "PROHIBITED_CONTENT": "filter",
        "SPII": "filter",
        "IMAGE_SAFETY": "filter",
        "IMAGE_PROHIBITED_CONTENT": "filter",
        "IMAGE_RECITATION": "filter",
        "ESCALATION": "filter",
        "PUP_LIMITED_DISABLED": "filter",
        "MODEL_ARMOR": "filter",
    }
)
REASONS: Mapping[Why, str] = MappingProxyType(
    {
        "stop": "STOP",
        "tool": "STOP",
        "length": "MAX_TOKENS",
        "filter": "SAFETY",
        "refusal": "SAFETY",
        # Gemini knows no such end; agents tell this one to the person.
        "pause": "OTHER",
        "malformed": "MALFORMED_FUNCTION_CALL",
    }
)
# Ends that are the request's fault and no answer.
FAILURES = frozenset({"MISSING_THOUGHT_SIGNATURE"})


def usage_metadata(usage: Usage) -> dict[str, object]:
    """Give Google's `usageMetadata`: thoughts stand outside of the candidates' tokens."""
    prompt = usage.input + usage.cache_read + usage.cache_write
    told: dict[str, object] = {
        "promptTokenCount": prompt,
        "candidatesTokenCount": max(0, usage.output - usage.reasoning),
        "totalTokenCount": prompt + max(usage.output, usage.reasoning),
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
    }
    if usage.cache_read:
        told["cachedContentTokenCount"] = usage.cache_read
    if usage.reasoning:
        told["thoughtsTokenCount"] = usage.reasoning
    return told
