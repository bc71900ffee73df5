"""Answers: what came from a vendor that nothing is known of yet, and what can be read off it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdgate.core.relay.listed_models import entries_of
from holdgate.core.values.errors import Fault

# A page instead of an API: portals of networks, firewalls, documentation.
_PAGE = re.compile(rb"\s*(?:<!doctype html|<html|<head|<\?xml)", re.IGNORECASE)
MODELS_TRIED = 3
# No chat answers from models with such names.
_NO_CHAT = re.compile(
    r"embed|whisper|tts|dall-e|moderation|image|rerank|audio|realtime|transcri|ocr|sora|veo|imagen"
    r"|babbage|davinci|speech|guard|video|aqa|turbo-instruct|deep-research|computer-use",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of one request.

    `status` is None if nothing did, and `fault` says why. `kind` is the content type, `location`
    where a redirect leads to; `ms` how long it took.
    """

    status: int | None
    kind: str = ""
    body: bytes = b""
    location: str = ""
    fault: Fault | None = None
    ms: int = 0

    @property
    def is_page(self) -> bool:
        """Whether it is a web page."""
        return "html" in self.kind.lower() or bool(_PAGE.match(self.body))

    @property
    def redirects(self) -> bool:
        """Whether it leads elsewhere; the gateway follows no redirect with a key."""
        return self.status is not None and 300 <= self.status < 400


def listed_models(answer: Answer) -> tuple[str, ...] | None:
    """Give the ids in a list of models, or None if the answer is no such list.

    OpenAI and Anthropic wrap it as `data`, Gemini as `models`; Together gives the bare list.
    """
    if answer.status != 200 or answer.is_page:
        return None
    try:
        entries = entries_of(answer.body)
    except (ValueError, RecursionError):
        return None
    return tuple(dict.fromkeys(e.called for e in entries if e.generates and e.called))


def likely_models(models: tuple[str, ...], family: str) -> tuple[str, ...]:
    """Give at most MODELS_TRIED models that probably chat, the likeliest first.

    Those of a `family` ("" for any) come first. Lists are sorted by all kinds of things, so that
    the others are from its end and its middle.
    """
    chatting = [each for each in models if not _NO_CHAT.search(each)]
    fitting = [each for each in chatting if family and family in each.lower()]
    some = fitting or chatting or list(models)
    spread = (some[0], some[-1], some[len(some) // 2]) if some else ()
    return tuple(dict.fromkeys(spread))[:MODELS_TRIED]
