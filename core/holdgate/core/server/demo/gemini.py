"""The demo model in Gemini's generateContent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from holdgate.core.server.demo.ask import (
    Ask,
    Frame,
    JsonObject,
    Refused,
    Stamp,
    Tool,
    compact,
    count_of,
    encoded,
    object_of,
    objects_of,
    size_of,
    spoken,
    text_of,
)
from holdgate.core.server.demo.script import Answer, Stop, words


def read(body: JsonObject) -> Ask:
    """Read a request; its model and the way to stream are in its path. Raises Refused."""
    contents = objects_of(body.get("contents"))
    if not contents or not all(objects_of(content.get("parts")) for content in contents):
        raise Refused(400, "* GenerateContentRequest.contents: contents is not specified")
    said, result = _last(contents)
    settings = object_of(_field(body, "generationConfig"))
    return Ask(
        model="",
        words=said,
        tools=_tools(body),
        result=result,
        prompt_tokens=size_of(body),
        longest=count_of(_field(settings, "maxOutputTokens")),
    )


def count(body: JsonObject) -> Ask:
    """Read a request whose tokens are to be counted. Raises Refused."""
    inner = object_of(_field(body, "generateContentRequest"))
    return replace(read(inner or body), prompt_tokens=size_of(body))


def whole(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    """Give the body of a reply that is not streamed."""
    return _body(ask, answer, stamp, _part(answer, answer.text), answer.output_tokens, last=True)


def frames(ask: Ask, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    """Give the stream of a reply: chunks, the last with the finish reason."""
    if answer.call:
        bodies = [_body(ask, answer, stamp, _part(answer, ""), answer.output_tokens)]
    else:
        bodies = [
            _body(ask, answer, stamp, {"text": word}, made)
            for made, word in enumerate(words(answer.text), 1)
        ]
    for index, body in enumerate(bodies):
        opening = "[" if index == 0 else ",\r\n"
        yield Frame(_written(ask, body, opening, ""), 1)
    last = _body(ask, answer, stamp, {"text": ""}, answer.output_tokens, last=True)
    yield Frame(_written(ask, last, ",\r\n" if bodies else "[", "]"))


def refusal(status: int, message: str) -> JsonObject:
    """Give the body of an error."""
    state = "NOT_FOUND" if status == 404 else "INVALID_ARGUMENT"
    return {"error": {"code": status, "message": message, "status": state}}


def _last(contents: list[JsonObject]) -> tuple[str, str | None]:
    """Give the last user message and the function response in it or after it."""
    said, result = "", None
    for content in contents:
        if content.get("role", "user") == "model":
            continue
        parts = objects_of(content.get("parts"))
        found = [object_of(_field(part, "functionResponse")) for part in parts]
        answered = [response for response in found if response]
        if answered:
            result = compact(answered[-1].get("response", {}))
        else:
            said, result = spoken(text_of(part.get("text")) for part in parts), None
    return said, result


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    config = object_of(_field(object_of(_field(body, "toolConfig")), "functionCallingConfig"))
    if config.get("mode") == "NONE":
        return ()
    return tuple(
        Tool(text_of(spec["name"]), _schema(spec))
        for group in objects_of(body.get("tools"))
        for spec in objects_of(_field(group, "functionDeclarations"))
        if text_of(spec.get("name"))
    )


def _schema(spec: JsonObject) -> JsonObject:
    return object_of(_field(spec, "parametersJsonSchema")) or object_of(spec.get("parameters"))


def _field(holder: JsonObject, name: str) -> object:
    """Give a field of the API by its name or by its snake_case spelling, which Gemini takes too."""
    snake = re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)
    return holder.get(name, holder.get(snake))


def _written(ask: Ask, body: JsonObject, before: str, after: str) -> bytes:
    text = compact(body)
    return encoded(f"{before}{text}{after}" if ask.array else f"data: {text}\r\n\r\n")


def _part(answer: Answer, text: str) -> JsonObject:
    if answer.call:
        return {"functionCall": {"name": answer.call.name, "args": answer.call.arguments}}
    return {"text": text}


def _body(
    ask: Ask, answer: Answer, stamp: Stamp, part: JsonObject, made: int, last: bool = False
) -> JsonObject:
    candidate: JsonObject = {"content": {"parts": [part], "role": "model"}, "index": 0}
    if last:
        candidate["finishReason"] = _reason(answer.stop)
    usage = {
        "promptTokenCount": answer.prompt_tokens,
        "candidatesTokenCount": made,
        "totalTokenCount": answer.prompt_tokens + made,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": ask.model,
        "responseId": stamp.token,
    }


def _reason(stop: Stop) -> str:
    return "MAX_TOKENS" if stop == "length" else "STOP"
