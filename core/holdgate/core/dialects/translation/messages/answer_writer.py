"""Tells a whole answer to a Messages agent."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.custom_tools import as_arguments
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.dialects.translation.messages.block_writer import input_of
from holdgate.core.dialects.translation.messages.message import (
    call_block,
    message_of,
    stop_details,
    text_block,
    thinking_block,
)
from holdgate.core.dialects.translation.messages.slots import envelope_block, thought_slots
from holdgate.core.dialects.translation.messages.stop_reasons import reason_of
from holdgate.core.values.neutral import Call, Reasoning, Refusal, Text
from holdgate.core.values.neutral_reply import Answer
from holdgate.core.values.seals import wrap


def write_answer(answer: Answer, telling: Telling) -> bytes:
    """See base.Translator."""
    calls = sum(isinstance(part, Call) for part in answer.parts)
    reason = reason_of(answer.why, answer.stop, calls)
    message = message_of(telling, answer.usage) | {
        "content": [block for part in answer.parts for block in _blocks(part)],
        "stop_details": stop_details(reason),
        "stop_reason": reason,
        "stop_sequence": answer.stop if reason == "stop_sequence" else None,
    }
    return dumps(message)


def _blocks(part: Text | Reasoning | Refusal | Call) -> Iterator[Json]:
    match part:
        case Text(text, seals=seals):
            if text:
                yield text_block(text)
            yield from (envelope_block(seal, "text") for seal in seals)
        case Refusal(text):
            yield text_block(text)
        case Reasoning(text, seals):
            signing, others = thought_slots(seals)
            if text or signing is not None:
                yield thinking_block(text, wrap(signing) if signing is not None else "")
            yield from others
        case Call():
            yield from (envelope_block(seal, "call", part.id) for seal in part.seals)
            yield _call(part)


def _call(call: Call) -> Json:
    text = as_arguments(call.arguments) if call.custom else call.arguments
    return call_block(call.id, call.name, msgspec.Raw(input_of(text)))
