"""A message as a Messages agent gets it, with every member that the reference lists."""

from __future__ import annotations

from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.messages.token_usage import message_usage
from holdgate.core.values.usage import Usage


def message_of(telling: Telling, usage: Usage | None) -> Json:
    """Give the message before anything is in it."""
    return {
        "id": f"msg_{telling.id}",
        "type": "message",
        "role": "assistant",
        "model": telling.model,
        "content": [],
        "container": None,
        "diagnostics": None,
        "stop_details": None,
        "stop_reason": None,
        "stop_sequence": None,
        "usage": message_usage(usage),
    }


def text_block(text: str) -> Json:
    """Give a block of text."""
    return {"type": "text", "text": text, "citations": None}


def thinking_block(text: str, signature: str) -> Json:
    """Give a thought; one that nobody signed has an empty signature, as none may be made up."""
    return {"type": "thinking", "thinking": text, "signature": signature}


def call_block(id: str, name: str, input: object) -> Json:
    """Give a call."""
    return {
        "type": "tool_use",
        "id": id,
        "name": name,
        "input": input,
        "caller": {"type": "direct"},
    }


def stop_details(reason: str) -> Json | None:
    """Give what the reference has to say on a refusal."""
    if reason != "refusal":
        return None
    return {"type": "refusal", "category": None, "explanation": None}
