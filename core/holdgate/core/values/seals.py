"""Seals on their way through an agent: wrapped into one text that fits every dialect's slot.

Agents give such texts back unread. The form is base64 (Gemini's agents decode and encode theirs)
of a mark and a JSON array; whatever else stands in a slot is the agent's own vendor's.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

import msgspec

from holdgate.core.values.neutral import Seal

# 12 bytes, so that all wrapped texts begin with the same 16 characters.
_MARK = b"holdgate1\0\0\0"
MARK = b64encode(_MARK).decode()


def wrap(seal: Seal) -> str:
    """Give the text that rides in an agent's slot."""
    fields = (seal.origin, seal.kind, seal.value, seal.id)
    return b64encode(_MARK + msgspec.json.encode(fields)).decode()


def unwrap(text: str) -> Seal | None:
    """Give the seal in a text of an agent's slot, None if it is not one that was wrapped here."""
    if not text.startswith(MARK):
        return None
    try:
        found = b64decode(text, validate=True)[len(_MARK) :]
        origin, kind, value, id = msgspec.json.decode(found, type=tuple[str, str, str, str])
    except ValueError:
        return None
    return Seal(origin, kind, value, id)
