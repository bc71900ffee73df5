"""The settings of a Gemini agent's request: `generationConfig`."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.translation.gemini.looking import (
    Members,
    Raw,
    as_text,
    items,
    members,
    number,
    text,
    text_at,
    whole_number,
)
from holdgate.core.dialects.translation.gemini.schema_reader import read_schema
from holdgate.core.dialects.translation.gemini.thinking import read_thinking
from holdgate.core.values.neutral import Effort, Format, Loss, Sampling

_PATH = "generationConfig"
_JSON = "application/json"
_READ = frozenset(
    {
        "temperature",
        "topP",
        "topK",
        "presencePenalty",
        "frequencyPenalty",
        "seed",
        "stopSequences",
        "maxOutputTokens",
        "candidateCount",
        "responseMimeType",
        "responseSchema",
        "responseJsonSchema",
        "_responseJsonSchema",
        "thinkingConfig",
        "responseModalities",
    }
)


class Settings(msgspec.Struct, frozen=True):
    """What `generationConfig` says."""

    sampling: Sampling = Sampling()
    max_output: int = 0
    format: Format | None = None
    effort: Effort | None = None
    losses: tuple[Loss, ...] = ()


def read_settings(raw: Raw) -> Settings:
    """Give the settings in `generationConfig`."""
    found = members(raw, _PATH)
    format, losses = _format(found)
    return Settings(
        sampling=_sampling(found),
        max_output=max(0, _whole(found, "maxOutputTokens") or 0),
        format=format,
        effort=read_thinking(found["thinkingConfig"], f"{_PATH}.thinkingConfig")
        if "thinkingConfig" in found
        else None,
        losses=(*losses, *_losses(found)),
    )


def _sampling(found: Members) -> Sampling:
    stops = items(found.get("stopSequences", Raw(b"[]")), f"{_PATH}.stopSequences")
    return Sampling(
        temperature=_number(found, "temperature"),
        top_p=_number(found, "topP"),
        top_k=_whole(found, "topK"),
        presence_penalty=_number(found, "presencePenalty"),
        frequency_penalty=_number(found, "frequencyPenalty"),
        seed=_whole(found, "seed"),
        stops=tuple(text(stop, f"{_PATH}.stopSequences") for stop in stops),
    )


def _format(found: Members) -> tuple[Format | None, tuple[Loss, ...]]:
    kind = text_at(found, "responseMimeType", _PATH).lower()
    if kind not in ("", "text/plain", _JSON):
        return None, (Loss(f"{_PATH}.responseMimeType", f"{kind} is known to Gemini only"),)
    for name in ("responseJsonSchema", "_responseJsonSchema"):
        if name in found:
            return Format(schema=bytes(found[name])), ()
    if "responseSchema" in found:
        path = f"{_PATH}.responseSchema"
        return Format(schema=read_schema(found["responseSchema"], path)), ()
    return (Format() if kind == _JSON else None), ()


def _losses(found: Members) -> list[Loss]:
    losses = [
        Loss(f"{_PATH}.{name}", "means something only to Gemini")
        for name, raw in found.items()
        if name not in _READ and bytes(raw) not in (b"false", b"{}", b"[]", b'""')
    ]
    if (_whole(found, "candidateCount") or 1) > 1:
        losses.append(Loss(f"{_PATH}.candidateCount", "one answer is given", grave=True))
    modalities = items(found.get("responseModalities", Raw(b"[]")), f"{_PATH}.responseModalities")
    kinds = {as_text(kind).strip('"').upper() for kind in modalities}
    if kinds and "TEXT" not in kinds:
        losses.append(Loss(f"{_PATH}.responseModalities", "an answer without text", grave=True))
    elif kinds - {"TEXT"}:
        losses.append(Loss(f"{_PATH}.responseModalities", "answers are text", grave=True))
    return losses


def _number(found: Members, name: str) -> float | None:
    return number(found[name], f"{_PATH}.{name}") if name in found else None


def _whole(found: Members, name: str) -> int | None:
    return whole_number(found[name], f"{_PATH}.{name}") if name in found else None
