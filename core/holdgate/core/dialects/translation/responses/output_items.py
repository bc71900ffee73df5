"""Items of a reply as the agent gets them, in JSON text: begun, and complete.

Texts come as JSON strings that are escaped already, since each is told several times.
"""

from __future__ import annotations

from typing import Literal

from holdgate.core.dialects.translation.json_texts import escaped

Status = Literal["in_progress", "completed", "incomplete"]
Speech = Literal["text", "refusal"]


def part(speech: Speech, text: bytes = b'""') -> bytes:
    """Give a part of a message."""
    if speech == "refusal":
        return b'{"type":"refusal","refusal":' + text + b"}"
    return b'{"type":"output_text","text":' + text + b',"annotations":[],"logprobs":[]}'


def message(id: bytes, status: Status, content: bytes = b"") -> bytes:
    """Give a message of the assistant with the JSON of its parts."""
    return b'{"type":"message","id":%b,"status":"%b","role":"assistant","content":[%b]}' % (
        id,
        status.encode(),
        content,
    )


def summary(text: bytes = b'""') -> bytes:
    """Give a part of a reasoning item's summary."""
    return b'{"type":"summary_text","text":' + text + b"}"


def reasoning(id: bytes, parts: bytes = b"", encrypted: str = "") -> bytes:
    """Give a reasoning item; the slot for opaque values is there only with one."""
    sealed = b',"encrypted_content":' + escaped(encrypted) if encrypted else b""
    return b'{"type":"reasoning","id":%b,"summary":[%b]%b}' % (id, parts, sealed)


def call(
    id: bytes,
    status: Status,
    call_id: str,
    name: str,
    given: bytes,
    *,
    custom: bool,
    namespace: str,
) -> bytes:
    """Give a call of a tool; `given`: its arguments or input as a JSON string."""
    kind, member = (b"custom_tool_call", b"input") if custom else (b"function_call", b"arguments")
    within = b',"namespace":' + escaped(namespace) if namespace else b""
    return b'{"type":"%b","id":%b,"call_id":%b,"name":%b%b,"%b":%b,"status":"%b"}' % (
        kind,
        id,
        escaped(call_id),
        escaped(name),
        within,
        member,
        given,
        status.encode(),
    )
