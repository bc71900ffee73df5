"""A whole answer for a Gemini agent: a GenerateContentResponse."""

from __future__ import annotations

from collections.abc import Iterator

from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.gemini.answer_parts import AnswerParts, Json
from holdgate.core.dialects.translation.gemini.finish import REASONS, usage_metadata
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Text
from holdgate.core.values.neutral_reply import Answer


def write_answer(answer: Answer, telling: Telling) -> bytes:
    """Render an answer."""
    made = AnswerParts(telling)
    parts = [part for one in answer.parts for part in _parts(one, made)]
    if made.is_holding or not parts:
        parts.append(made.text(""))
    content = {"parts": parts, "role": "model"}
    body: Json = {
        "candidates": [{"content": content, "finishReason": REASONS[answer.why], "index": 0}]
    }
    if answer.usage is not None:
        body["usageMetadata"] = usage_metadata(answer.usage)
    return dumps(body | {"modelVersion": telling.model, "responseId": telling.id})


def _parts(one: Text | Reasoning | Refusal | Call, made: AnswerParts) -> Iterator[Json]:
    match one:
        case Text():
            if one.text or one.seals:
                yield made.text(one.text, one.seals)
        case Refusal():
            yield made.text(one.text)
        case Reasoning():
            yield from made.thought(one.text)
            made.hold(one.seals)
        case Call():
            yield made.call(one.id, one.name, one.arguments, one.custom, one.seals)
