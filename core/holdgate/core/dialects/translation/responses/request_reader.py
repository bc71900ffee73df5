"""An agent's request in the dialect `responses`, understood.

Source: OpenAI API reference, Responses, create.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import msgspec

from holdgate.core.dialects.raw_events import Members, is_empty, members
from holdgate.core.dialects.reading import Json, member, texts
from holdgate.core.dialects.translation.efforts import LEVELS
from holdgate.core.dialects.translation.json_texts import dumps, loads
from holdgate.core.dialects.translation.responses.content_reader import fault
from holdgate.core.dialects.translation.responses.item_reader import read_items
from holdgate.core.dialects.translation.responses.request_members import ECHOED, LOST, known
from holdgate.core.dialects.translation.responses.tool_reader import read_choice, read_tools
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.neutral import (
    Effort,
    Format,
    Loss,
    Message,
    Request,
    Sampling,
    Text,
)


def read_request(body: bytes, model: str) -> Request:
    """See Translator.read_request."""
    try:
        return _read(body, model)
    except RecursionError as error:
        raise Fault(FaultKind.REQUEST, "the body is nested too deeply") from error
    except (ValueError, OverflowError) as error:
        raise Fault(FaultKind.REQUEST, f"the request is not as expected: {error}") from error


def _read(body: bytes, model: str) -> Request:
    found, losses = _members_of(body), list[Loss]()
    messages, more_tools = read_items(_value(found, "input"), losses)
    text, reasoning = _object(found, "text"), _object(found, "reasoning")
    _lose(found, losses)
    return Request(
        dialect="responses",
        model=model,
        messages=_instructed(found) + messages,
        tools=read_tools(_joined(found, more_tools), "tools", losses),
        choice=read_choice(_value(found, "tool_choice"), losses),
        parallel=_flag(found, "parallel_tool_calls"),
        format=_format(found, text, losses),
        effort=_effort(reasoning, losses),
        sampling=_sampling(found),
        max_output=int(_number(found, "max_output_tokens") or 0),
        user=_text(found, "user") or _text(found, "safety_identifier"),
        cache_key=_text(found, "prompt_cache_key"),
        verbosity=texts(text.get("verbosity")),
        service_tier=_text(found, "service_tier"),
        previous_id=_text(found, "previous_response_id"),
        include_usage=True,
        extra={name: bytes(raw) for name, raw in found.items() if not known(name)},
        losses=tuple(losses),
        echo={name: bytes(raw) for name, raw in found.items() if name in ECHOED},
    )


def _members_of(body: bytes) -> Members:
    """Give the members that say something. Raises Fault if `body` is no JSON object."""
    found = members(body)
    if found is None:
        # Rare: halves of characters, which only the slower reader takes.
        try:
            value = loads(body)
        except ValueError as error:
            raise Fault(FaultKind.REQUEST, f"the body must be one JSON object: {error}") from error
        if not isinstance(value, dict):
            raise Fault(FaultKind.REQUEST, "the body must be one JSON object")
        found = {name: msgspec.Raw(dumps(inner)) for name, inner in value.items()}
    return {name: raw for name, raw in found.items() if bytes(raw) != b"null"}


def _instructed(found: Members) -> tuple[Message, ...]:
    """Give the message that `instructions` make."""
    value = _value(found, "instructions")
    if isinstance(value, list):
        # As a response repeats them: items.
        return read_items(value, [])[0]
    if value is not None and not isinstance(value, str):
        raise fault("instructions", "must be a text")
    return (Message("system", (Text(value),)),) if value else ()


def _joined(found: Members, more: list[object]) -> bytes:
    """Give the tools, with those that items brought along."""
    tools = bytes(found.get("tools", b""))
    if not more:
        return tools
    added = dumps(more)
    if is_empty(found.get("tools")):
        return added
    return tools.rstrip().removesuffix(b"]") + b"," + added[1:]


def _lose(found: Members, losses: list[Loss]) -> None:
    """Tell what the members say that can be said nowhere else."""
    for name, (why, grave, harmless) in LOST.items():
        if name in found and _value(found, name) not in harmless:
            losses.append(Loss(name, why, grave))
    include = _value(found, "include") or []
    if not isinstance(include, list):
        raise fault("include", "must be a list")
    losses += (
        Loss("include", f"{wanted} in the reply")
        for wanted in include
        if wanted != "reasoning.encrypted_content"
    )


def _format(found: Members, text: Json, losses: list[Loss]) -> Format | None:
    told = text.get("format")
    match member(told, "type"):
        case "json_object":
            return Format()
        case "json_schema":
            strict = member(told, "strict")
            return Format(
                _schema(found["text"]),
                texts(member(told, "name")),
                texts(member(told, "description")),
                strict if isinstance(strict, bool) else None,
            )
        case None | "text":
            return None
    losses.append(Loss("text.format", "a format that only its vendor knows", grave=True))
    return None


def _schema(text: msgspec.Raw) -> bytes:
    """Give the schema as it was written."""
    told = members((members(text) or {}).get("format")) or {}
    schema = told.get("schema", msgspec.Raw(b""))
    return b"" if members(schema) is None else bytes(schema)


def _effort(reasoning: Json, losses: list[Loss]) -> Effort | None:
    level = texts(reasoning.get("effort"))
    if level and level not in LEVELS:
        losses.append(Loss("reasoning.effort", f"{level} is no effort that is known"))
        level = ""
    summary = texts(reasoning.get("summary")) or texts(reasoning.get("generate_summary"))
    losses += (
        Loss(f"reasoning.{name}", "only its vendor knows it")
        for name in ("context", "mode")
        if reasoning.get(name) not in (None, "auto", "standard")
    )
    if not level and not summary:
        return None
    return Effort(level=level, shown=True if summary else None, summary=summary)


def _sampling(found: Members) -> Sampling:
    return Sampling(
        temperature=_number(found, "temperature"),
        top_p=_number(found, "top_p"),
        presence_penalty=_number(found, "presence_penalty"),
        frequency_penalty=_number(found, "frequency_penalty"),
    )


def _value(found: Members, name: str) -> Any:
    return loads(bytes(found[name])) if name in found else None


def _object(found: Members, name: str) -> Json:
    value = _value(found, name)
    if value is None or isinstance(value, dict):
        return value or {}
    raise fault(name, "must be an object")


def _text(found: Members, name: str) -> str:
    value = _value(found, name)
    if value is None or isinstance(value, str):
        return value or ""
    raise fault(name, "must be a text")


def _flag(found: Members, name: str) -> bool | None:
    value = _value(found, name)
    if value is None or isinstance(value, bool):
        return value
    raise fault(name, "must be true or false")


def _number(found: Members, name: str) -> float | None:
    value = _value(found, name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise fault(name, "must be a number")
    return value
