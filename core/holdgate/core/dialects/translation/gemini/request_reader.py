"""A Gemini agent's request in the neutral form.

Source: Gemini API reference, GenerateContentRequest. Safety settings and labels mean something to
Google only and are no loss: they say nothing about the answer that is wanted.
"""

from __future__ import annotations

from holdgate.core.dialects.translation.gemini.content_reader import ContentReader
from holdgate.core.dialects.translation.gemini.looking import Members, members, text_at, whole
from holdgate.core.dialects.translation.gemini.settings_reader import Settings, read_settings
from holdgate.core.dialects.translation.gemini.tools_reader import read_choice, read_tools
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Loss, Message, Request

_READ = frozenset(
    {
        "contents",
        "systemInstruction",
        "tools",
        "toolConfig",
        "generationConfig",
        "cachedContent",
        "serviceTier",
    }
)
# They carry no meaning elsewhere.
_QUIET = frozenset(
    {"model", "safetySettings", "labels", "store", "stream", "generateContentRequest"}
)


def read_request(body: bytes, model: str) -> Request:
    """Understand a request; the model is in its path. Raises Fault(REQUEST)."""
    found = whole(body)
    if "contents" not in found and "generateContentRequest" in found:
        # So count_tokens wraps it.
        found = members(found["generateContentRequest"], "generateContentRequest")
    if "contents" not in found:
        raise Fault(FaultKind.REQUEST, "contents: it is missing")
    settings = (
        read_settings(found["generationConfig"]) if "generationConfig" in found else Settings()
    )
    choice, losses = read_choice(found["toolConfig"]) if "toolConfig" in found else (None, ())
    reader = ContentReader()
    messages = _messages(reader, found)
    return Request(
        dialect="gemini",
        model=model,
        messages=messages,
        tools=read_tools(found["tools"]) if "tools" in found else (),
        choice=choice,
        format=settings.format,
        effort=settings.effort,
        sampling=settings.sampling,
        max_output=settings.max_output,
        service_tier=text_at(found, "serviceTier", "request").lower(),
        include_usage=True,
        extra=_extra(found),
        losses=(*losses, *settings.losses, *reader.losses, *_cached(found)),
    )


def _messages(reader: ContentReader, found: Members) -> tuple[Message, ...]:
    system = reader.system(found["systemInstruction"]) if "systemInstruction" in found else None
    told = reader.messages(found["contents"])
    if not told and not any(loss.grave for loss in reader.losses):
        raise Fault(FaultKind.REQUEST, "contents: it must not be empty")
    return (system, *told) if system is not None else tuple(told)


def _extra(found: Members) -> dict[str, bytes]:
    return {
        name: bytes(raw) for name, raw in found.items() if name not in _READ and name not in _QUIET
    }


def _cached(found: Members) -> tuple[Loss, ...]:
    if "cachedContent" not in found:
        return ()
    return (Loss("cachedContent", "a part of the conversation that only Google has", grave=True),)
