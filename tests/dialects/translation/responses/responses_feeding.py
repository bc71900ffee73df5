"""Short ways to feed the readers and writers of the dialect `responses`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from holdgate.core.dialects.translation.base import ReplyReader, Target, Telling, Written
from holdgate.core.dialects.translation.responses.translator import ResponsesTranslator
from holdgate.core.values.neutral import Request
from holdgate.core.values.neutral_reply import Answer, Event

OURS = ResponsesTranslator()
TARGET = Target("openai", "responses", "gpt-4.1")
THINKER = Target("openai", "responses", "gpt-5")
# Members of a response that the references list as required.
REQUIRED = {
    "id",
    "object",
    "created_at",
    "completed_at",
    "status",
    "incomplete_details",
    "model",
    "previous_response_id",
    "instructions",
    "output",
    "error",
    "tools",
    "tool_choice",
    "truncation",
    "parallel_tool_calls",
    "text",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "top_logprobs",
    "temperature",
    "reasoning",
    "user",
    "usage",
    "max_output_tokens",
    "max_tool_calls",
    "store",
    "background",
    "service_tier",
    "metadata",
    "safety_identifier",
    "prompt_cache_key",
}


def read(**members: object) -> Request:
    body: dict[str, object] = {"model": "m", "input": "hi"}
    return OURS.read_request(json.dumps(body | members).encode(), "m", "sse")


def write(request: Request, target: Target = TARGET) -> tuple[dict[str, Any], Written]:
    written = OURS.write_request(request, target)
    return json.loads(written.body), written


def telling(**members: object) -> Telling:
    return Telling("abc", "asked/for", 1_700_000_000, "sse", read(**members))


def sse(*events: dict[str, object]) -> bytes:
    return b"".join(
        b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), json.dumps(event).encode())
        for event in events
    )


def heard(data: bytes, reader: ReplyReader | None = None) -> list[Event]:
    reader = reader or OURS.reply_reader(TARGET)
    return reader.feed(data) + reader.close()


def told(events: Iterable[Event], **request: object) -> list[dict[str, Any]]:
    return bodies(OURS.reply_writer(telling(**request)).tell(list(events)))


def bodies(stream: bytes) -> list[dict[str, Any]]:
    found = []
    for event in stream.decode().split("\n\n")[:-1]:
        name, data = event.split("\n")
        body = json.loads(data.removeprefix("data: "))
        assert name == f"event: {body['type']}"
        found.append(body)
    return found


def answered(answer: Answer, **request: object) -> dict[str, Any]:
    whole = OURS.write_answer(answer, telling(**request))
    found: dict[str, Any] = json.loads(whole)
    return found
