"""The response object that opening and closing events and whole replies bear.

All members that OpenAI's reference or the Open Responses specification require are there, also
where they say nothing. What a response repeats of its request is as the agent wrote it; what the
gateway does not do is told so: it stores nothing and works in the foreground.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import msgspec

from holdgate.core.dialects.raw_events import Members, items, members, one_line
from holdgate.core.dialects.reading import Json
from holdgate.core.dialects.translation.base import Telling
from holdgate.core.dialects.translation.json_texts import dumps
from holdgate.core.values.neutral_reply import Why
from holdgate.core.values.usage import Usage

_NULL = msgspec.Raw(b"null")
# What stands for members that the request left out.
_UNSAID: Mapping[str, object] = MappingProxyType(
    {
        "instructions": None,
        "tools": [],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "top_p": 1.0,
        "presence_penalty": 0.0,
        "frequency_penalty": 0.0,
        "top_logprobs": 0,
        "max_output_tokens": None,
        "max_tool_calls": None,
        "previous_response_id": None,
        "prompt_cache_key": None,
        "safety_identifier": None,
        "user": None,
        "metadata": {},
    }
)
_FIXED: Json = {
    "background": False,
    "store": False,
    "truncation": "disabled",
    "service_tier": "default",
}
_INCOMPLETE: Mapping[str, str] = MappingProxyType(
    {
        "length": "max_output_tokens",
        "filter": "content_filter",
        "malformed": "malformed_function_call",
    }
)


class ResponseObject:
    """Renders the response of one request at its beginning and at its end."""

    __slots__ = ("_created", "_head", "_tail")

    def __init__(self, telling: Telling) -> None:
        """Render what stays the same."""
        self._created = telling.created
        head = {"id": response_id(telling), "object": "response", "created_at": telling.created}
        self._head = dumps(head)[:-1]
        said = dumps({"model": telling.model, **_FIXED, **_echo(telling)})
        # The agent may have written it on several lines.
        self._tail = one_line(said)[1:]

    def begun(self) -> bytes:
        """Give the response while it is being worked on."""
        return self._with(
            b'"completed_at":null,"status":"in_progress","error":null,'
            b'"incomplete_details":null,"output":[],"usage":null'
        )

    def ended(self, why: Why, output: list[bytes], usage: Usage | None) -> bytes:
        """Give the whole response."""
        reason = _INCOMPLETE.get(why)
        told = {
            "completed_at": None if reason else self._created,
            "status": "incomplete" if reason else "completed",
            "error": None,
            "incomplete_details": {"reason": reason} if reason else None,
        }
        said = dumps(told)[1:-1] + b',"output":[' + b",".join(output) + b'],"usage":'
        # Some libraries insist on a usage, and refuse the whole reply without.
        return self._with(said + dumps(_usage(usage or Usage())))

    def _with(self, said: bytes) -> bytes:
        return b"%b,%b,%b" % (self._head, said, self._tail)


def response_id(telling: Telling) -> str:
    """Give the id that the agent is told."""
    return f"resp_{telling.id}"


def told_why(why: Why, *, refused: bool) -> Why:
    """Give why the answer ended; who refuses without a word filters, here."""
    return "filter" if why == "refusal" and not refused else why


def item_status(why: Why) -> str:
    """Give the status of an item that was still open at the end."""
    return "incomplete" if why in _INCOMPLETE else "completed"


def _usage(usage: Usage) -> Json:
    read = usage.input + usage.cache_read + usage.cache_write
    return {
        "input_tokens": read,
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": read + usage.output,
    }


def _echo(telling: Telling) -> Json:
    said = {name: msgspec.Raw(raw) for name, raw in telling.request.echo.items()}
    echo: Json = {name: said.get(name, unsaid) for name, unsaid in _UNSAID.items()}
    echo["tools"] = [_tool(tool) for tool in items(said.get("tools")) or ()]
    echo["text"] = _text(members(said.get("text")) or {})
    reasoning = members(said.get("reasoning")) or {}
    echo["reasoning"] = {"effort": _NULL, "summary": _NULL} | reasoning
    return echo


def _tool(tool: Members) -> Members:
    if bytes(tool.get("type", b"")) != b'"function"':
        return tool
    return {"description": _NULL, "parameters": _NULL, "strict": _NULL} | tool


def _text(text: Members) -> Json:
    format = _said(members(text.get("format")) or {}) or {"type": msgspec.Raw(b'"text"')}
    if bytes(format.get("type", b"")) == b'"json_schema"':
        format = {"description": _NULL, "strict": msgspec.Raw(b"false")} | format
    return {**_said(text), "format": format}


def _said(found: Members) -> Members:
    """Leave out null, which requests may say instead of nothing, but most of a reply may not."""
    return {name: raw for name, raw in found.items() if bytes(raw) != b"null"}
