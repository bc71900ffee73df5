"""Chat requests, as agents write them, in the neutral form.

Source: OpenAI API reference, Create chat completion; OpenRouter's `reasoning`, `top_k` and
`cache_control`, and the `thinking` of Z.ai and DeepSeek are understood as well.
"""

from __future__ import annotations

from math import isfinite
from types import MappingProxyType
from typing import Any

from holdgate.core.dialects.raw_events import Members, members
from holdgate.core.dialects.reading import member, texts
from holdgate.core.dialects.translation.chat.content_reader import refuse
from holdgate.core.dialects.translation.chat.message_reader import MessageReader
from holdgate.core.dialects.translation.chat.tolerant_members import request_members
from holdgate.core.dialects.translation.chat.tool_reader import choice_in, tools_in
from holdgate.core.dialects.translation.efforts import LEVELS
from holdgate.core.dialects.translation.json_texts import loads
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import Effort, Format, Loss, Request, Sampling

# Members that say nothing about the answer: who asks, what is kept, how it is told and counted.
_NOISE = frozenset(
    {
        "metadata",
        "model",
        "prompt_cache_options",
        "prompt_cache_retention",
        "provider",
        "safety_identifier",
        "session_id",
        "store",
        "stream",
        "stream_options",
        "transforms",
        "usage",
        "user_id",
        "request_id",
    }
)
_KNOWN = _NOISE | {
    "enable_thinking",
    "frequency_penalty",
    "function_call",
    "functions",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "modalities",
    "n",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "seed",
    "service_tier",
    "stop",
    "temperature",
    "thinking",
    "thinking_budget",
    "tool_choice",
    "tools",
    "top_k",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
}


def read_request(body: bytes, model: str) -> Request:
    """Understand an agent's request. Raises Fault(REQUEST)."""
    try:
        return _read(_decoded(body), model)
    except RecursionError as error:
        raise Fault(FaultKind.REQUEST, "the body is nested too deeply") from error
    except ValueError as error:  # such as a number of thousands of digits
        raise Fault(FaultKind.REQUEST, f"the body cannot be read: {error}") from error


def _decoded(body: bytes) -> Members:
    found = request_members(body)
    if found is None:
        raise Fault(FaultKind.REQUEST, "the body must be exactly one JSON object")
    return found


def _read(found: Members, model: str) -> Request:
    told = _Told(found)
    reader = MessageReader()
    messages = reader.read(told.value("messages"))
    return Request(
        dialect="chat",
        model=model,
        messages=messages,
        tools=tuple(tools_in(found)),
        choice=choice_in(told.value("tool_choice"), told.value("function_call")),
        parallel=told.flag("parallel_tool_calls"),
        format=_format(found),
        effort=_effort(told),
        sampling=_sampling(told),
        max_output=told.count("max_completion_tokens") or told.count("max_tokens"),
        user=told.text("user"),
        cache_key=told.text("prompt_cache_key"),
        verbosity=told.text("verbosity"),
        service_tier=told.text("service_tier"),
        include_usage=member(told.value("stream_options"), "include_usage") is True,
        extra=MappingProxyType(_extra(found)),
        losses=(*_losses(told), *reader.losses),
    )


class _Told:
    """The request's members, by what they ought to be; null is the same as missing."""

    __slots__ = ("_found",)

    def __init__(self, found: Members) -> None:
        self._found = found

    def value(self, name: str) -> Any:
        raw = self._found.get(name)
        if raw is None:
            return None
        try:
            return loads(bytes(raw))
        except ValueError as error:
            raise Fault(FaultKind.REQUEST, f"{name}: {error}") from error

    def text(self, name: str) -> str:
        return texts(self.value(name))

    def flag(self, name: str) -> bool | None:
        value = self.value(name)
        if value is None or isinstance(value, bool):
            return value
        raise refuse(name, "true or false")

    def number(self, name: str) -> float | None:
        value = self.value(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise refuse(name, "a number")
        return value

    def count(self, name: str) -> int:
        value = self.number(name)
        if value is not None and (value != int(value) or value < 0):
            raise refuse(name, "a whole number from 0")
        return int(value or 0)


def _sampling(told: _Told) -> Sampling:
    top_k, seed = told.number("top_k"), told.number("seed")
    return Sampling(
        temperature=told.number("temperature"),
        top_p=told.number("top_p"),
        top_k=None if top_k is None else int(top_k),
        presence_penalty=told.number("presence_penalty"),
        frequency_penalty=told.number("frequency_penalty"),
        seed=None if seed is None else int(seed),
        stops=_stops(told.value("stop")),
    )


def _stops(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(stop, str) for stop in listed):
        raise refuse("stop", "a text or a list of texts")
    return tuple(stop for stop in listed if stop)


def _format(found: Members) -> Format | None:
    format = members(found.get("response_format"))
    kind = _decode(format, "type")
    if format is None or kind == "text":
        return None
    if kind == "json_object":
        return Format()
    inner = members(format.get("json_schema"))
    if kind != "json_schema" or inner is None:
        raise refuse("response_format", "text, json_object or json_schema with its schema")
    strict = _decode(inner, "strict")
    return Format(
        schema=bytes(inner.get("schema", b"")),
        name=texts(_decode(inner, "name")),
        description=texts(_decode(inner, "description")),
        strict=strict if isinstance(strict, bool) else None,
    )


def _decode(found: Members | None, name: str) -> Any:
    raw = (found or {}).get(name)
    return None if raw is None else loads(bytes(raw))


def _effort(told: _Told) -> Effort | None:
    """Give how much the model is to think, in whatever way it is said."""
    object = told.value("reasoning")
    level = told.text("reasoning_effort") or texts(member(object, "effort"))
    budget = member(object, "max_tokens")
    shown = False if member(object, "exclude") is True else None
    switch = texts(member(told.value("thinking"), "type"))
    if switch == "disabled" or told.value("enable_thinking") is False:
        return Effort(level="none", shown=shown)
    if member(object, "enabled") is False:
        return Effort(level="none", shown=shown)
    budget = budget or member(told.value("thinking"), "budget_tokens")
    budget = budget or told.value("thinking_budget")
    effort = Effort(
        level=level if level in LEVELS else "",
        budget=budget if isinstance(budget, int) and not isinstance(budget, bool) else 0,
        adaptive=switch in ("enabled", "adaptive") and not level and not budget,
        shown=shown,
    )
    return None if effort == Effort() else effort


def _losses(told: _Told) -> list[Loss]:
    losses = []
    if told.count("n") > 1:
        losses.append(Loss("n", "there is one answer to a request", grave=True))
    losses += [
        Loss(name, "no other dialect tells probabilities of tokens")
        for name in ("logprobs", "top_logprobs")
        if told.value(name)
    ]
    modalities = told.value("modalities")
    if isinstance(modalities, list) and set(map(str, modalities)) - {"text"}:
        losses.append(Loss("modalities", "answers are text", grave=True))
    level = told.text("reasoning_effort")
    if level and level not in LEVELS:
        losses.append(Loss("reasoning_effort", "no such level"))
    return losses


def _extra(found: Members) -> dict[str, bytes]:
    """Give the members that mean something to chat vendors only; null says nothing."""
    nothing = (b"null", b"{}", b"[]")
    return {
        name: bytes(raw)
        for name, raw in found.items()
        if name not in _KNOWN and bytes(raw) not in nothing
    }
