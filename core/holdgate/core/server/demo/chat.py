"""The demo model in OpenAI's Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.server.demo.ask import (
    Ask,
    Frame,
    JsonObject,
    Refused,
    Stamp,
    Tool,
    count_of,
    object_of,
    objects_of,
    size_of,
    sse,
    text_of,
    texts_in,
)
from holdgate.core.server.demo.script import Answer, Stop, fragments, words


def read(body: JsonObject) -> Ask:
    """Read a request. Raises Refused."""
    messages = objects_of(body.get("messages"))
    if not text_of(body.get("model")):
        raise Refused(400, "you must provide a model parameter")
    if not messages:
        raise Refused(400, "Missing required parameter: 'messages'.")
    said, result = _last(messages)
    return Ask(
        model=text_of(body["model"]),
        words=said,
        tools=_tools(body),
        result=result,
        prompt_tokens=size_of(body),
        longest=count_of(body.get("max_completion_tokens")) or count_of(body.get("max_tokens")),
        stream=body.get("stream") is True,
        usage=object_of(body.get("stream_options")).get("include_usage") is True,
    )


def whole(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    """Give the body of a reply that is not streamed."""
    message: JsonObject = {"role": "assistant", "content": answer.text or None, "refusal": None}
    if answer.call:
        message["tool_calls"] = [_call(answer.call.name, answer.call.text, stamp)]
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": _finish(answer.stop),
    }
    head = _head(ask, stamp, "chat.completion")
    return {**head, "choices": [choice], "usage": _usage(answer)}


def frames(ask: Ask, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    """Give the stream of a reply: the role, deltas, the finish, the usage if asked, [DONE]."""
    head = _head(ask, stamp, "chat.completion.chunk")
    tail: JsonObject = {"usage": None} if ask.usage else {}

    def chunk(delta: JsonObject, finish: str | None = None, shown: int = 0) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return Frame(sse({**head, "choices": [choice], **tail}), shown)

    content = None if answer.call else ""
    yield chunk({"role": "assistant", "content": content, "refusal": None})
    for word in words(answer.text):
        yield chunk({"content": word}, shown=1)
    if answer.call:
        yield chunk({"tool_calls": [{"index": 0, **_call(answer.call.name, "", stamp)}]})
        for part in fragments(answer.call.text):
            yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": part}}]}, shown=1)
    yield chunk({}, _finish(answer.stop))
    if ask.usage:
        yield Frame(sse({**head, "choices": [], "usage": _usage(answer)}))
    yield Frame(b"data: [DONE]\n\n")


def refusal(status: int, message: str) -> JsonObject:
    """Give the body of an error."""
    kind = "not_found_error" if status == 404 else "invalid_request_error"
    code = "model_not_found" if status == 404 else None
    return {"error": {"message": message, "type": kind, "code": code, "param": None}}


def _last(messages: list[JsonObject]) -> tuple[str, str | None]:
    """Give the last user message and the tool result that follows it."""
    said, result = "", None
    for message in messages:
        match message.get("role"):
            case "user":
                said, result = texts_in(message.get("content")), None
            case "tool" | "function":
                result = texts_in(message.get("content"))
    return said, result


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    if body.get("tool_choice") == "none":
        return ()
    specs = [object_of(item.get("function")) for item in objects_of(body.get("tools"))]
    return tuple(
        Tool(text_of(spec["name"]), object_of(spec.get("parameters")))
        for spec in specs
        if text_of(spec.get("name"))
    )


def _head(ask: Ask, stamp: Stamp, kind: str) -> JsonObject:
    return {
        "id": f"chatcmpl-{stamp.token}",
        "object": kind,
        "created": stamp.created,
        "model": ask.model,
        "system_fingerprint": None,
    }


def _call(name: str, arguments: str, stamp: Stamp) -> JsonObject:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{stamp.token}", "type": "function", "function": function}


def _finish(stop: Stop) -> str:
    return {"end": "stop", "length": "length", "tool": "tool_calls"}[stop]


def _usage(answer: Answer) -> JsonObject:
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.prompt_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
