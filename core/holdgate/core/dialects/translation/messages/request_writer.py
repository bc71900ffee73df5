"""Writes a neutral request for a Messages vendor, always streamed."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.messages.block_writer import BlockWriter
from holdgate.core.dialects.translation.messages.cache_marks import mark
from holdgate.core.dialects.translation.messages.claude_models import Traits, traits_of
from holdgate.core.dialects.translation.messages.conversation_writer import (
    Conversation,
    write_conversation,
)
from holdgate.core.dialects.translation.messages.output_schema import answer_schema
from holdgate.core.dialects.translation.messages.sampling_writer import write_sampling
from holdgate.core.dialects.translation.messages.thinking_writer import Thought, write_thinking
from holdgate.core.dialects.translation.messages.tool_writer import (
    names_of,
    stand_ins,
    write_choice,
    write_tools,
)
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.values.neutral import Format, Loss, Request

# `max_tokens` is required. Where the agent says none it is the model's longest reply, but no more
# than this: on older models prompt and limit must fit into the context together. (Claude Code asks
# for as much, so that vendors of this dialect take it.)
_MAX_TOKENS = 32_000
_OPTIONAL = frozenset({"thinking", "temperature", "top_p", "top_k", "metadata"})
_LONGEST_USER = 256


def write_request(request: Request, target: Target) -> Written:
    """See base.Translator."""
    traits = traits_of(target.model)
    messages, settling = settle(request.messages)
    losses = [*request.losses, *settling]
    names = names_of(request)
    writer = BlockWriter(names, target.origin, losses)
    tools = write_tools(request, target, names, losses)
    choice = write_choice(request, names, tools, losses)
    if not tools and (tools := stand_ins(messages, names)):
        choice = {"type": "none"}
    told = write_conversation(messages, writer, losses, prefill=_prefills(request, traits))
    thought = _thought(request, target, traits, told, losses)
    body: Json = {"model": target.model, "max_tokens": thought.max_tokens}
    _instruct(request.format, traits, told, losses)
    mark(tools, told.system, told.turns)
    if told.system:
        body["system"] = told.system
    body["messages"] = told.turns
    if tools:
        body["tools"] = tools
    body |= _choice(choice, traits, thought, losses)
    body |= _thinking(request, traits, thought)
    body |= write_sampling(request.sampling, traits, losses, thinks=thought.on)
    if request.user and len(request.user) <= _LONGEST_USER:
        body["metadata"] = {"user_id": request.user}
    body["stream"] = target.streamed
    losses += _unsaid(request)
    return Written(
        dumps({name: value for name, value in body.items() if name not in target.without}),
        tuple(losses),
        names.refs,
        _optional(body),
    )


def _prefills(request: Request, traits: Traits) -> bool:
    """The assistant's last message may be gone on with, but not by a model that thinks."""
    return traits.prefill and (request.effort is None or request.effort.level == "none")


def _thought(
    request: Request, target: Target, traits: Traits, told: Conversation, losses: list[Loss]
) -> Thought:
    most = target.output or traits.output
    said = request.max_output
    if most and said > most:
        losses.append(Loss("max_tokens", f"the model's longest reply is {most}"))
        said = most
    limit = said or min(_MAX_TOKENS, most or _MAX_TOKENS)
    # What the agent said is not raised.
    raisable = said or most or 2 * _MAX_TOKENS
    return write_thinking(request.effort, traits, told, limit, most=raisable, losses=losses)


def _choice(choice: Json | None, traits: Traits, thought: Thought, losses: list[Loss]) -> Json:
    """A tool cannot be forced on a model that thinks."""
    if choice is None:
        return {}
    if choice["type"] not in ("any", "tool"):
        return {"tool_choice": choice}
    if thought.thinking is None and traits.forced:
        return {"tool_choice": choice} | _silenced(traits)
    if thought.thinking is not None and not thought.on:
        return {"tool_choice": choice}
    losses.append(Loss("tool_choice", "a model that thinks is not forced to call a tool"))
    parallel = {k: v for k, v in choice.items() if k == "disable_parallel_tool_use"}
    return {"tool_choice": {"type": "auto"} | parallel}


def _silenced(traits: Traits) -> Json:
    """A model that thinks although nobody asked it to does not where a tool is forced."""
    return {"thinking": {"type": traits.off}} if traits.thinks else {}


def _thinking(request: Request, traits: Traits, thought: Thought) -> Json:
    told: Json = {}
    if thought.thinking is not None:
        told["thinking"] = thought.thinking
    config: Json = {}
    if thought.effort:
        config["effort"] = thought.effort
    if request.format is not None and request.format.schema and traits.formats:
        schema = msgspec.Raw(answer_schema(request.format.schema))
        config["format"] = {"type": "json_schema", "schema": schema}
    if config:
        told["output_config"] = config
    return told


def _instruct(
    format: Format | None, traits: Traits, told: Conversation, losses: list[Loss]
) -> None:
    """Ask in words for JSON where it cannot be demanded."""
    if format is None or (format.schema and traits.formats):
        return
    losses.append(Loss("format", "JSON is asked for in words only"))
    words = "Answer with one JSON object and nothing else."
    if format.schema:
        schema = format.schema.decode("utf-8", "replace")
        words += f" It must match this JSON Schema:\n{schema}"
    told.system.append({"type": "text", "text": words})


def _optional(body: Json) -> frozenset[str]:
    config = body.get("output_config")
    effort = {"output_config"} if config is not None and "format" not in config else set()
    return frozenset((_OPTIONAL | effort) & body.keys())


def _unsaid(request: Request) -> list[Loss]:
    """Give the losses of what the dialect has no word for."""
    losses = [Loss(name, "not known to messages") for name in request.extra]
    if request.previous_id:
        losses.append(Loss("previous_response_id", "a conversation kept by a vendor", grave=True))
    if request.verbosity:
        losses.append(Loss("verbosity", "not known to messages"))
    if request.service_tier not in ("", "auto", "default", "standard_only"):
        losses.append(Loss("service_tier", "not known to messages"))
    return losses
