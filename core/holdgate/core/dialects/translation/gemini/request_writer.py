"""A request for Gemini.

Source: Gemini API reference, GenerateContentRequest. Caches of prompts are implicit there: marks
and keys of them say nothing, and the earlier turns are always written the same.
"""

from __future__ import annotations

from holdgate.core.dialects.translation.base import Target, Written
from holdgate.core.dialects.translation.gemini.content_writer import ContentWriter
from holdgate.core.dialects.translation.gemini.settings_writer import SettingsWriter
from holdgate.core.dialects.translation.gemini.tools_writer import ToolsWriter, names_of
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.settling import settle
from holdgate.core.values.neutral import Loss, Request


def write_request(request: Request, target: Target) -> Written:
    """Render a request; the model and the way of streaming go into its path."""
    messages, losses = settle(request.messages)
    names = names_of(request.tools)
    contents = ContentWriter(target, names)
    tools = ToolsWriter(target, names)
    settings = SettingsWriter(target)
    body: dict[str, object] = {}
    # The longest lasting first, as Google's own caches take a prompt.
    system, body["contents"] = contents.write(messages)
    declared = tools.tools(request.tools)
    if system is not None:
        body = {"systemInstruction": system} | body
    if declared:
        body = {"tools": declared} | body
    if request.choice is not None and any("functionDeclarations" in tool for tool in declared):
        body["toolConfig"] = tools.choice(request.choice, request.tools)
    config = settings.write(request)
    if config:
        body["generationConfig"] = config
    told = {name: value for name, value in body.items() if name not in target.without}
    return Written(
        body=dumps(told),
        losses=(
            *losses,
            *contents.losses,
            *tools.losses,
            *settings.losses,
            *_unsaid(request),
        ),
        names=names.refs,
    )


def _unsaid(request: Request) -> list[Loss]:
    """Give the losses of what Gemini has no member for."""
    losses = [Loss(name, "not known to gemini") for name in request.extra]
    if request.parallel is False and request.tools:
        losses.append(Loss("parallel", "Gemini may call several tools at once"))
    if request.verbosity:
        losses.append(Loss("verbosity", "not known to gemini"))
    if request.service_tier not in ("", "auto", "default"):
        losses.append(Loss("service_tier", "not known to gemini"))
    if request.previous_id:
        losses.append(Loss("previous_id", "a conversation that another vendor keeps", grave=True))
    return losses
