"""Pings: what a vendor is tested with: tiny requests, and the models that are asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from holdgate.core.dialects.table import DIALECTS
from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.chat.quirks import quirks_of
from holdgate.core.relay.answers import likely_models
from holdgate.core.values.names import DialectName

# Whose models are the likelier ones where a vendor serves several dialects.
_FAMILIES: Final[Mapping[DialectName, str]] = {"messages": "claude", "gemini": "gemini"}
# Asked for where no model is known: that it is unknown tells as much of who answers.
NO_MODEL: Final = "gpt-4o-mini"
_OTHER: Final = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}


def limit_name(dialect: DialectName, model: str, quirks: Iterable[str]) -> str:
    """Give what a vendor with `quirks` calls the limit of a reply; see Dialect.tiny_request."""
    return quirks_of(Target("", dialect, model, frozenset(quirks))).limit_name


def other_limit(dialect: DialectName, sent: str, status: int | None, reply: bytes) -> str:
    """Give the other name of the limit where a reply refuses the one that was sent, else "".

    OpenAI's newer models refuse `max_tokens`, older servers know nothing else; which it is cannot
    be told by a model's name where that is the person's own, as with deployments in Azure.
    """
    if dialect != "chat" or status not in (400, 422):
        return ""
    words = DIALECTS[dialect].error_words(reply) or reply.decode(errors="replace")
    return _OTHER[sent] if any(name in words for name in _OTHER) else ""


def models_for(dialect: DialectName, models: Iterable[str]) -> tuple[str, ...]:
    """Give the few that probably answer in a dialect, the likeliest first."""
    return likely_models(tuple(models), _FAMILIES.get(dialect, ""))
