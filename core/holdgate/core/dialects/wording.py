"""Words that all dialects' errors are made of (contract 3, "Errors")."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from holdgate.core.values.errors import Fault

TYPES: Mapping[int, str] = MappingProxyType(
    {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        529: "overloaded_error",
    }
)


def type_of(fault: Fault) -> str:
    """Give the `type` of an error in the OpenAI and Anthropic dialects."""
    return TYPES.get(fault.status, "api_error")


def retry_after(fault: Fault) -> int | None:
    """Give the seconds of a Retry-After: rounded up, at least 1; None where no time is known."""
    if fault.retry_after is None:
        return None
    return max(1, math.ceil(fault.retry_after))
