"""Writes how the next token is drawn, as far as this model lets anybody choose."""

from __future__ import annotations

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.messages.claude_models import Traits
from holdgate.core.values.neutral import Loss, Sampling

# With thinking, `top_p` may not be below.
_LEAST_TOP_P = 0.95


def write_sampling(sampling: Sampling, traits: Traits, losses: list[Loss], *, thinks: bool) -> Json:
    """Give temperature, top_p, top_k and stop sequences."""
    losses += [
        Loss(name, "not known to messages")
        for name in ("presence_penalty", "frequency_penalty", "seed")
        if getattr(sampling, name) is not None
    ]
    told = _temperature(sampling, losses) | _tops(sampling)
    if "temperature" in told and "top_p" in told and traits.either:
        losses.append(Loss("top_p", "not beside a temperature"))
        del told["top_p"]
    for name in [name for name in told if not _accepted(name, told[name], traits, thinks=thinks)]:
        losses.append(Loss(name, "not accepted by a model that thinks, or by this one"))
        del told[name]
    return told | _stops(sampling, losses)


def _temperature(sampling: Sampling, losses: list[Loss]) -> Json:
    value = sampling.temperature
    if value is None:
        return {}
    clipped = min(1.0, max(0.0, value))
    if clipped != value:
        losses.append(Loss("temperature", "at most 1"))
    return {"temperature": clipped}


def _tops(sampling: Sampling) -> Json:
    told: Json = {}
    if sampling.top_p is not None:
        told["top_p"] = sampling.top_p
    if sampling.top_k is not None:
        told["top_k"] = sampling.top_k
    return told


def _accepted(name: str, value: float, traits: Traits, *, thinks: bool) -> bool:
    """The default is accepted everywhere."""
    if traits.sampling and not thinks:
        return True
    if name == "top_p":
        return value == 1 or (traits.sampling and value >= _LEAST_TOP_P)
    return name == "temperature" and value == 1


def _stops(sampling: Sampling, losses: list[Loss]) -> Json:
    stops = [stop for stop in sampling.stops if stop.strip()]
    if len(stops) < len(sampling.stops):
        losses.append(Loss("stop", "white space is no stop sequence there"))
    return {"stop_sequences": stops} if stops else {}
