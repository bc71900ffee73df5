"""Ids of calls on vendors that allow fewer characters than the agent's dialect."""

from __future__ import annotations

import re
from hashlib import sha256

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_DIGEST = 16  # 36 ** 16 is 82 bits


def fit_id(id: str, forbidden: re.Pattern[str], longest: int) -> str:
    """Give an id that the vendor takes: `id` itself if it fits, else one that is made from it.

    The same id gives the same, another one another, in this request and in all others.
    """
    if id and len(id) <= longest and forbidden.search(id) is None:
        return id
    digest = digest_of(id, min(_DIGEST, longest))
    kept = forbidden.sub("", id)[: max(0, longest - len(digest))]
    return forbidden.sub("", kept + digest)


def digest_of(text: str, length: int) -> str:
    """Give `length` small letters and digits that stand for `text`."""
    number = int.from_bytes(sha256(text.encode("utf-8", "surrogatepass")).digest())
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
    return "".join(digits)
