"""What replies in chat are made of, streamed or whole: their envelope and their usage."""

from __future__ import annotations

from typing import Any, Final

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.values.usage import Usage

# Both are members of the reference that agents compare, but take no conclusions from.
_TIER: Final = "default"
_FINGERPRINT: Final = "fp_holdgate"


def envelope(telling: Telling, object: str) -> dict[str, Any]:
    """Give the members that every chunk, or a whole reply, bears."""
    return {
        "id": f"chatcmpl-{telling.id}",
        "object": object,
        "created": telling.created,
        "model": telling.model,
        "service_tier": _TIER,
        "system_fingerprint": _FINGERPRINT,
    }


def usage_json(usage: Usage | None) -> Json:
    """Give `usage`: prompt tokens include what the cache served and took."""
    told = usage or Usage()
    prompt = told.input + told.cache_read + told.cache_write
    return {
        "prompt_tokens": prompt,
        "completion_tokens": told.output,
        "total_tokens": prompt + told.output,
        "prompt_tokens_details": {
            "cached_tokens": told.cache_read,
            "cache_write_tokens": told.cache_write,
            "audio_tokens": 0,
        },
        "completion_tokens_details": {
            "reasoning_tokens": told.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }
