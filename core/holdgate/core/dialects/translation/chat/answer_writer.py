"""Whole replies for chat agents that did not ask for a stream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.chat.completion import envelope, usage_json
from holdgate.core.dialects.translation.chat.finishing import WORDS
from holdgate.core.dialects.translation.chat.slots import details_of, extra_content
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Text
from holdgate.core.values.neutral_reply import Answer
from holdgate.core.values.seals import wrap


def write_answer(answer: Answer, telling: Telling) -> bytes:
    """Render a whole reply. Source: OpenAI API reference, the chat completion object."""
    refused = any(isinstance(part, Refusal) for part in answer.parts)
    word = "stop" if answer.why == "refusal" and refused else WORDS[answer.why]
    choice = {
        "index": 0,
        "message": _message(answer),
        "logprobs": None,
        "finish_reason": word,
    }
    found = envelope(telling, "chat.completion")
    return dumps(found | {"choices": [choice], "usage": usage_json(answer.usage)})


def _message(answer: Answer) -> Json:
    texts = [part for part in answer.parts if isinstance(part, Text)]
    refusals = [part.text for part in answer.parts if isinstance(part, Refusal)]
    calls = [_call(part) for part in answer.parts if isinstance(part, Call)]
    said = "".join(part.text for part in texts)
    found: dict[str, Any] = {
        "role": "assistant",
        "content": said if said or not (calls or refusals) else None,
        "refusal": "".join(refusals) or None,
        "annotations": [],
    }
    found |= _thought(part for part in answer.parts if isinstance(part, Reasoning))
    if calls:
        found["tool_calls"] = calls
    if seals := [seal for part in texts for seal in part.seals]:
        found["extra_content"] = extra_content(wrap(seals[-1]))
    return found


def _thought(thoughts: Iterable[Reasoning]) -> Json:
    said = ""
    details: list[Json] = []
    for thought in thoughts:
        details += details_of(thought.seals, len(details), len(said), len(thought.text))
        said += thought.text
    found: dict[str, Any] = {"reasoning_content": said} if said else {}
    return found | {"reasoning_details": details} if details else found


def _call(call: Call) -> Json:
    told: dict[str, Any] = {"id": call.id}
    if call.custom:
        told |= {"type": "custom", "custom": {"name": call.name, "input": call.arguments}}
    else:
        function = {"name": call.name, "arguments": call.arguments}
        told |= {"type": "function", "function": function}
    if call.seals:
        told["extra_content"] = extra_content(wrap(call.seals[0]))
    return told
