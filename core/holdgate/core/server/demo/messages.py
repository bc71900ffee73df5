"""The demo model in Anthropic's Messages."""

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
    ask = count(body)
    if not count_of(body.get("max_tokens")):
        raise Refused(400, "max_tokens: Field required")
    return ask


def count(body: JsonObject) -> Ask:
    """Read a request whose tokens are to be counted. Raises Refused."""
    if not text_of(body.get("model")):
        raise Refused(400, "model: Field required")
    messages = objects_of(body.get("messages"))
    if not messages:
        raise Refused(400, "messages: Field required")
    said, result = _last(messages)
    return Ask(
        model=text_of(body["model"]),
        words=said,
        tools=_tools(body),
        result=result,
        prompt_tokens=size_of(body),
        longest=count_of(body.get("max_tokens")),
        stream=body.get("stream") is True,
    )


def whole(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    """Give the body of a reply that is not streamed."""
    block: JsonObject = {"type": "text", "text": answer.text}
    if answer.call:
        block = _tool_use(answer.call.name, stamp) | {"input": answer.call.arguments}
    end = {"content": [block], "stop_reason": _reason(answer.stop)}
    return _message(ask, answer, stamp) | end | {"usage": _usage(answer, answer.output_tokens)}


def frames(ask: Ask, answer: Answer, stamp: Stamp) -> Iterator[Frame]:
    """Give the stream of a reply: the message's start, one block, its delta and stop."""

    def event(kind: str, shown: int = 0, **data: object) -> Frame:
        return Frame(sse({"type": kind, **data}, kind), shown)

    def delta(**data: object) -> Frame:
        return event("content_block_delta", 1, index=0, delta=data)

    yield event("message_start", message=_message(ask, answer, stamp))
    opening: JsonObject = {"type": "text", "text": ""}
    if answer.call:
        opening = _tool_use(answer.call.name, stamp)
    yield event("content_block_start", index=0, content_block=opening)
    yield event("ping")
    for word in words(answer.text):
        yield delta(type="text_delta", text=word)
    for part in fragments(answer.call.text) if answer.call else ():
        yield delta(type="input_json_delta", partial_json=part)
    yield event("content_block_stop", index=0)
    end = {"stop_reason": _reason(answer.stop), "stop_sequence": None}
    yield event("message_delta", delta=end, usage=_usage(answer, answer.output_tokens))
    yield event("message_stop")


def refusal(status: int, message: str) -> JsonObject:
    """Give the body of an error."""
    kind = "not_found_error" if status == 404 else "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": message}}


def _last(messages: list[JsonObject]) -> tuple[str, str | None]:
    """Give the last user message and the tool result in it or after it.

    Results ride in user messages, and agents add reminders of their own beside them: a message
    with a result is therefore not a new question.
    """
    said, result = "", None
    for message in messages:
        if message.get("role") != "user":
            continue
        found = [
            part for part in objects_of(message.get("content")) if part.get("type") == "tool_result"
        ]
        if found:
            result = texts_in(found[-1].get("content"))
        else:
            said, result = texts_in(message.get("content")), None
    return said, result


def _tools(body: JsonObject) -> tuple[Tool, ...]:
    if object_of(body.get("tool_choice")).get("type") == "none":
        return ()
    return tuple(
        Tool(text_of(spec["name"]), object_of(spec["input_schema"]))
        for spec in objects_of(body.get("tools"))
        if text_of(spec.get("name")) and "input_schema" in spec
    )


def _message(ask: Ask, answer: Answer, stamp: Stamp) -> JsonObject:
    return {
        "id": f"msg_{stamp.token}",
        "type": "message",
        "role": "assistant",
        "model": ask.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(answer, 1),
    }


def _tool_use(name: str, stamp: Stamp) -> JsonObject:
    return {"type": "tool_use", "id": f"toolu_{stamp.token}", "name": name, "input": {}}


def _reason(stop: Stop) -> str:
    return {"end": "end_turn", "length": "max_tokens", "tool": "tool_use"}[stop]


def _usage(answer: Answer, output: int) -> JsonObject:
    return {
        "input_tokens": answer.prompt_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": output,
    }
