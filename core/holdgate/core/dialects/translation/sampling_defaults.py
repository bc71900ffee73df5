"""Sampling that says nothing: agents write out what their own vendor does anyway.

To leave it out is no loss. Gemini CLI and Qwen Code send Gemini's defaults with each request
(ai.google.dev, models: topP, topK), Copilot CLI sends penalties of 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from holdgate.core.values.names import DialectName
from holdgate.core.values.neutral import Loss, Request

_EVERYWHERE: Mapping[str, float] = MappingProxyType(
    {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
)
_OF_AGENTS: Mapping[DialectName, Mapping[str, float]] = MappingProxyType(
    {"gemini": MappingProxyType({"top_p": 0.95, "top_k": 64})}
)


def telling_losses(request: Request, losses: Iterable[Loss]) -> tuple[Loss, ...]:
    """Give the losses that mean something, each once."""
    return tuple(dict.fromkeys(loss for loss in losses if not _says_nothing(request, loss.path)))


def _says_nothing(request: Request, name: str) -> bool:
    """Tell whether a member of the request's sampling is a default."""
    own = _OF_AGENTS.get(request.dialect, {})
    if name not in _EVERYWHERE and name not in own:
        return False
    value = getattr(request.sampling, name)
    return value is not None and value in (_EVERYWHERE.get(name), own.get(name))
