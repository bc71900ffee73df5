"""Requests of other dialects, as chat vendors take them: always streamed, quirks as data.

Who is not known to do better gets the common denominator. The messages stand last, so that the
body of a longer conversation begins as that of the shorter one.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.chat.message_writer import MessageWriter
from holdgate.core.dialects.translation.chat.quirks import Quirks, quirks_of
from holdgate.core.dialects.translation.chat.thinking import thinking
from holdgate.core.dialects.translation.chat.tool_writer import ToolWriter
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.values.neutral import Format, Loss, Message, Request, Text

# What the answer can do without if the vendor refuses it; only what the gateway added or renamed.
_OPTIONAL = frozenset(
    {
        "enable_thinking",
        "frequency_penalty",
        "max_completion_tokens",
        "max_tokens",
        "parallel_tool_calls",
        "presence_penalty",
        "prompt_cache_key",
        "reasoning",
        "reasoning_effort",
        "seed",
        "service_tier",
        "stream_options",
        "temperature",
        "thinking",
        "thinking_budget",
        "top_k",
        "top_p",
        "user",
        "verbosity",
    }
)
_FORBIDDEN_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_TIERS = ("auto", "default", "flex", "priority", "scale")
_LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


def write_request(request: Request, target: Target) -> Written:
    """Render a request of another dialect. Raises nothing: what cannot be said is a loss."""
    quirks = quirks_of(target)
    settled, moved = settle(request.messages)
    tools = ToolWriter(request, quirks, target.hosted)
    messages = MessageWriter(tools.names, quirks, target.origin)
    losses: list[Loss] = [*request.losses, *moved]
    body: dict[str, Any] = {"model": target.model, "stream": target.streamed}
    if target.streamed and not quirks.no_stream_options:
        body["stream_options"] = {"include_usage": True}
    body |= _limit(request, target, quirks, losses)
    body |= _sampling(request, target.model, quirks, losses)
    body |= thinking(request.effort, target.model, quirks.thinking)
    body |= _format(request.format, quirks)
    body |= _rest(request, quirks, losses)
    body |= tools.write()
    body = _without(body, target.without)
    body["messages"] = messages.write(_with_schema(settled, request.format, quirks))
    losses += [*tools.losses, *messages.losses, *_unknown(request)]
    return Written(dumps(body), tuple(losses), tools.names.refs, _OPTIONAL.intersection(body))


def _limit(request: Request, target: Target, quirks: Quirks, losses: list[Loss]) -> Json:
    limit = request.max_output or (
        quirks.needs_max_tokens and (target.output or quirks.needs_max_tokens)
    )
    if target.output and limit > target.output:
        losses.append(Loss("max_tokens", f"this model's longest reply is {target.output} tokens"))
        limit = target.output
    if not limit:
        return {}
    name = quirks.limit_name
    return {_LIMITS[name] if name in target.without else name: limit}


def _sampling(request: Request, model: str, quirks: Quirks, losses: list[Loss]) -> Json:
    told = request.sampling
    found: dict[str, Any] = {
        "temperature": told.temperature,
        "top_p": told.top_p,
        "top_k": told.top_k,
        "presence_penalty": told.presence_penalty,
        "frequency_penalty": told.frequency_penalty,
        "seed": told.seed,
        "stop": list(told.stops) or None,
    }
    found = {name: value for name, value in found.items() if value is not None}
    if found.get("temperature", 0) > quirks.max_temperature:
        losses.append(Loss("temperature", f"at most {quirks.max_temperature:g} here"))
        found["temperature"] = quirks.max_temperature
    if len(told.stops) > quirks.max_stops:
        losses.append(Loss("stop", f"only the first {quirks.max_stops} are taken here"))
        found["stop"] = list(told.stops[: quirks.max_stops])
    refused = set() if quirks.top_k else {"top_k"}
    if quirks.fixes_sampling(model):
        refused |= found.keys() - ({"seed"} if quirks.reasons else {"seed", "stop"})
    for name in sorted(refused & found.keys()):
        losses.append(Loss(name, "not known to this vendor's model"))
        del found[name]
    return found


def _format(format: Format | None, quirks: Quirks) -> Json:
    if format is None:
        return {}
    if not format.schema or quirks.json_object_only:
        return {"response_format": {"type": "json_object"}}
    name = _FORBIDDEN_IN_NAME.sub("_", format.name)[:64] or "answer"
    schema: dict[str, Any] = {"name": name}
    if format.description:
        schema["description"] = format.description
    if format.strict is not None:
        schema["strict"] = format.strict
    schema["schema"] = msgspec.Raw(format.schema)
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def _with_schema(
    messages: tuple[Message, ...], format: Format | None, quirks: Quirks
) -> tuple[Message, ...]:
    """Tell the schema in words where the vendor only knows that JSON is wanted."""
    if format is None or not format.schema or not quirks.json_object_only:
        return messages
    schema = format.schema.decode("utf-8", "replace")
    words = f"Answer with JSON only, by this JSON Schema:\n{schema}"
    return (Message("system", (Text(words),)), *messages)


def _rest(request: Request, quirks: Quirks, losses: list[Loss]) -> Json:
    found: dict[str, Any] = {}
    if request.cache_key and quirks.cache_key:
        found["prompt_cache_key"] = request.cache_key
    if request.verbosity:
        if quirks.openai:
            found["verbosity"] = request.verbosity
        else:
            losses.append(Loss("verbosity", "not known to this vendor"))
    if quirks.openai and request.service_tier in _TIERS:
        found["service_tier"] = request.service_tier
    elif request.service_tier not in ("", "auto", "default"):
        losses.append(Loss("service_tier", "not known to this vendor"))
    if quirks.openai and 0 < len(request.user) <= 64:
        found["user"] = request.user
    if request.previous_id:
        losses.append(Loss("previous_response_id", "chat keeps no answers", grave=True))
    return found


def _without(body: dict[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    """Leave out what this vendor refused before, if the answer can do without."""
    left_out = refused & _OPTIONAL
    return {name: value for name, value in body.items() if name not in left_out}


def _unknown(request: Request) -> list[Loss]:
    return [Loss(name, "not known to chat") for name in request.extra]
