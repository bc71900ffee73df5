"""Where opaque values stand in chat messages, and how many thoughts share one text.

A call's is in `extra_content.google.thought_signature`, as Gemini's Chat API has it, and so is a
text's, beside `content`. Thinking has `reasoning_details` (OpenRouter): entries of the type
`reasoning.encrypted`. Chat has one `reasoning_content` for all the thoughts of an answer; so that
each seal comes back with its own thought, the entry's id tells where that thought's text is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from holdgate.core.dialects.reading import member, texts
from holdgate.core.values.neutral import Reasoning, Seal
from holdgate.core.values.seals import unwrap, wrap

# The kinds of seals that chat vendors make.
DETAILS = "reasoning_details"
SIGNATURE = "thought_signature"

_AGENT = "/chat"
_FORMAT = "holdgate-v1"
_SPAN = re.compile(r"rs_([0-9]{1,9})_([0-9]{1,9})")


def seal_in(text: str, kind: str) -> Seal:
    """Give what stands in an agent's slot: a wrapped seal, or one of its own vendor."""
    return unwrap(text) or Seal(_AGENT, kind, text)


def signature_of(value: Any) -> str:
    """Give the signature in the `extra_content` of a call or message, "" if there is none."""
    return texts(member(value, "extra_content", "google", "thought_signature"))


def extra_content(signature: str) -> dict[str, Any]:
    """Give the member `extra_content` with a signature in it."""
    return {"google": {"thought_signature": signature}}


def details_of(seals: Iterable[Seal], index: int, start: int, length: int) -> list[dict[str, Any]]:
    """Give the entries, numbered from `index`, that carry the seals of one thought.

    `start` and `length`: where the thought's text is in all that was thought.
    """
    return [
        {
            "type": "reasoning.encrypted",
            "id": f"rs_{start}_{length}",
            "format": _FORMAT,
            "index": number,
            "data": wrap(seal),
        }
        for number, seal in enumerate(seals, index)
    ]


def thoughts(text: str, details: Any) -> list[Reasoning]:
    """Give the thoughts of an agent's assistant message: its `reasoning_content` and entries."""
    if not isinstance(details, list) or not details:
        return [Reasoning(text)] if text else []
    sealed: dict[tuple[int, int], list[Seal]] = {}
    for entry in details:
        seal, span = (
            unwrap(texts(member(entry, "data"))),
            _SPAN.fullmatch(texts(member(entry, "id"))),
        )
        if seal is None or span is None:
            return _foreign(text, details)
        sealed.setdefault((int(span[1]), int(span[2])), []).append(seal)
    found: list[Reasoning] = []
    at = 0
    for (start, length), seals in sealed.items():
        if start < at or start + length > len(text):
            return _changed(text, sealed.values())
        if start > at:
            found.append(Reasoning(text[at:start]))
        found.append(Reasoning(text[start : start + length], tuple(seals)))
        at = start + length
    return [*found, Reasoning(text[at:])] if at < len(text) else found


def _changed(text: str, sealed: Iterable[list[Seal]]) -> list[Reasoning]:
    """The agent changed the text: a signature of it holds no more, what needs no text does."""
    kept = tuple(seal for seals in sealed for seal in seals if seal.kind != "signature")
    return [Reasoning(text, kept)] if text or kept else []


def _foreign(text: str, details: list[Any]) -> list[Reasoning]:
    """Entries of the agent's own vendor: nobody gets them, but their text may stand for it."""
    text = text or "".join(
        texts(member(entry, "text")) or texts(member(entry, "summary")) for entry in details
    )
    seals = tuple(seal for entry in details if (seal := unwrap(texts(member(entry, "data")))))
    return [Reasoning(text, seals)] if text or seals else []
