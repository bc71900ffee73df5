"""A request of another dialect, written for a vendor that speaks `responses`.

Source: OpenAI API reference, Responses, create.
"""

from __future__ import annotations

import re

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.call_ids import fit_id
from holdgate.core.dialects.translation.efforts import level_of
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.responses.content_writer import foreign_files
from holdgate.core.dialects.translation.responses.item_writer import ItemWriter
from holdgate.core.dialects.translation.responses.model_names import thinks
from holdgate.core.dialects.translation.responses.tool_writer import written_choice, written_tools
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import Format, Loss, Message, Request, Sampling, Text

_FORBIDDEN_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64
_LONGEST_KEY = 64  # of `user` and `prompt_cache_key`
_ANYTHING = re.compile(r"(?!)")
_LEAST_OUTPUT = 16
_TIERS = frozenset({"auto", "default", "flex", "priority", "scale"})
_VERBOSITIES = frozenset({"low", "medium", "high"})
# Members that an answer is as good without.
_OPTIONAL = frozenset(
    {
        "include",
        "store",
        "reasoning",
        "parallel_tool_calls",
        "temperature",
        "top_p",
        "prompt_cache_key",
        "user",
        "service_tier",
        "max_output_tokens",
    }
)


def write_request(request: Request, target: Target) -> Written:
    """See Translator.write_request."""
    names = ToolNames(
        request.tools,
        forbidden=_FORBIDDEN_IN_NAME,
        longest=_LONGEST_NAME,
        custom=True,
        namespaces=True,
    )
    messages, moved = settle(request.messages)
    writer = ItemWriter(target, names)
    losses = writer.losses
    losses += (*request.losses, *moved, *foreign_files(request))
    leading = _leading(messages)
    body: Json = {"model": target.model}
    if instructions := _instructions(messages[:leading]):
        body["instructions"] = instructions
    body["input"] = list(writer.items(messages[leading:], leading))
    if tools := list(written_tools(request.tools, target, names, losses)):
        body["tools"] = tools
        body |= _calling(request, target, names, losses)
    body |= _thinking(request, target)
    body |= _sampling(request.sampling, "reasoning" in body or thinks(target.model), losses)
    body |= _text(request)
    body |= _limits(request, target, losses)
    body |= _keys(request, losses)
    losses += (Loss(name, "not known to responses") for name in request.extra)
    for name in target.without & _OPTIONAL & body.keys():
        del body[name]
    body |= {"stream": target.streamed}
    optional = _OPTIONAL & body.keys() | ({"text"} if _is_dispensable(request) else set())
    return Written(dumps(body), tuple(losses), names.refs, optional & body.keys())


def _leading(messages: tuple[Message, ...]) -> int:
    """Give how many system messages stand before anything else; 0 if there is nothing else."""
    for number, message in enumerate(messages):
        if message.role != "system":
            return number
    return 0


def _instructions(messages: tuple[Message, ...]) -> str:
    texts = (part.text for each in messages for part in each.parts if isinstance(part, Text))
    return "\n\n".join(filter(None, texts))


def _calling(request: Request, target: Target, names: ToolNames, losses: list[Loss]) -> Json:
    said: Json = {}
    if request.choice is not None:
        said["tool_choice"] = written_choice(request, request.choice, target, names, losses)
    if request.parallel is not None:
        said["parallel_tool_calls"] = request.parallel
    return said


def _thinking(request: Request, target: Target) -> Json:
    """Ask for the reasoning in the form in which it can be given back: nothing is stored."""
    said: Json = {"store": False}
    effort = request.effort
    wanted = thinks(target.model)
    if effort is not None:
        level = level_of(effort)
        asked = {"effort": level} if level else {}
        if summary := effort.summary or ("auto" if effort.shown else ""):
            asked["summary"] = summary
        if asked:
            said["reasoning"] = asked
        wanted = wanted or level not in ("", "none")
    if wanted:
        said["include"] = ["reasoning.encrypted_content"]
    return said


def _sampling(sampling: Sampling, thinking: bool, losses: list[Loss]) -> Json:
    said: Json = {}
    for name, value, highest in (
        ("temperature", sampling.temperature, 2.0),
        ("top_p", sampling.top_p, 1.0),
    ):
        if value is None:
            continue
        if thinking:
            if value != 1:
                losses.append(Loss(name, "models that reason take none"))
            continue
        said[name] = min(max(value, 0), highest)
        if said[name] != value:
            losses.append(Loss(name, f"{value} is out of range"))
    losses += (
        Loss(name, "not known to responses")
        for name in ("top_k", "presence_penalty", "frequency_penalty", "seed", "stops")
        if getattr(sampling, name)
    )
    return said


def _text(request: Request) -> Json:
    said: Json = {}
    if request.format is not None:
        said["format"] = _format(request.format)
    if request.verbosity in _VERBOSITIES:
        said["verbosity"] = request.verbosity
    return {"text": said} if said else {}


def _is_dispensable(request: Request) -> bool:
    return request.format is None


def _format(format: Format) -> Json:
    if not format.schema:
        return {"type": "json_object"}
    said: Json = {"type": "json_schema", "name": _schema_name(format.name)}
    if format.description:
        said["description"] = format.description
    said["schema"] = msgspec.Raw(format.schema)
    if format.strict is not None:
        said["strict"] = format.strict
    return said


def _schema_name(name: str) -> str:
    return _FORBIDDEN_IN_NAME.sub("_", name)[:_LONGEST_NAME] or "answer"


def _limits(request: Request, target: Target, losses: list[Loss]) -> Json:
    most = request.max_output
    if most <= 0:
        return {}
    if target.output:
        most = min(most, target.output)
    if most < _LEAST_OUTPUT:
        losses.append(Loss("max_output", f"raised to {_LEAST_OUTPUT}, the least"))
    return {"max_output_tokens": max(most, _LEAST_OUTPUT)}


def _keys(request: Request, losses: list[Loss]) -> Json:
    said: Json = {}
    if request.cache_key:
        said["prompt_cache_key"] = fit_id(request.cache_key, _ANYTHING, _LONGEST_KEY)
    if request.user:
        said["user"] = fit_id(request.user, _ANYTHING, _LONGEST_KEY)
    if request.service_tier in _TIERS:
        said["service_tier"] = request.service_tier
    elif request.service_tier:
        losses.append(Loss("service_tier", f"no tier {request.service_tier}"))
    return said
